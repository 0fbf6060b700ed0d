// node bench/csr-lint.mjs [--seconds 2]
// CPU time of one CSR in the linter, its signature checked too, as in POST /csr-lint. It asserts nothing.
import { generateKeyPairSync } from 'node:crypto';
import { parseArgs } from 'node:util';
import { buildCsr, lintCsrText, lintStoredCsr } from '../packages/crypto/dist/src/index.js';

const { values } = parseArgs({ options: { seconds: { type: 'string', default: '2' } } });
const seconds = Number(values.seconds);

const p256 = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
const rsa = (modulusLength) => generateKeyPairSync('rsa', { modulusLength }).privateKey;
const large = rsa(4096);
const one = ['www.example.org'];
const many = Array.from({ length: 2_500 }, (_, n) => `h${n}.example.org`);
const addresses = Array.from({ length: 7_000 }, (_, n) => `10.${n >> 12}.${(n >> 6) & 63}.${n & 63}`);
const international = Array.from({ length: 2_000 }, (_, n) => `xn--bcher-kva.${n}.ch`);

const cases = [
  ['P-256, one name', '1 ms', { privateKey: p256, dnsNames: one }],
  ['RSA-2048, one name', '3 ms', { privateKey: rsa(2048), dnsNames: one }],
  ['RSA-4096, one name', '3 ms', { privateKey: large, dnsNames: one }],
  ['P-256, 100 names', '', { privateKey: p256, dnsNames: many.slice(0, 100) }],
  ['P-256, 2,500 names', '50 ms', { privateKey: p256, dnsNames: many }],
  ['P-256, 2,000 international names', '50 ms', { privateKey: p256, dnsNames: international }],
  ['RSA-4096, 7,000 addresses', '50 ms', { privateKey: large, dnsNames: one, ipAddresses: addresses }],
];

/** Mean milliseconds of CPU of a call, over the time of the run. */
async function cpuMsOf(call) {
  await call();
  const end = performance.now() + seconds * 1000;
  const cpu = process.cpuUsage();
  let count = 0;
  for (; performance.now() < end; count += 1) await call();
  const { user, system } = process.cpuUsage(cpu);
  return (user + system) / 1000 / count;
}

process.stdout.write('| CSR | KiB | With its signature | As stored | Budget |\n|---|---|---|---|---|\n');
for (const [what, budget, request] of cases) {
  const { pem } = await buildCsr(request);
  const options = { profile: 'public', fqdn: 'www.example.org' };
  const text = await cpuMsOf(() => lintCsrText(pem, options));
  const stored = await cpuMsOf(() => lintStoredCsr(pem, options));
  const kib = (pem.length / 1024).toFixed(1);
  process.stdout.write(
    `| ${what} | ${kib} | ${text.toFixed(2)} ms | ${stored.toFixed(2)} ms | ${budget} |\n`,
  );
}

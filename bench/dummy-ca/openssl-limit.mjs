// What OpenSSL could do at this moment if there were nothing but signatures: for each certificate one of the
// authority made and one of the request checked, with keys at hand, on every core at once.
import { fork } from 'node:child_process';
import { generateKeyPairSync, randomBytes, sign, verify } from 'node:crypto';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';

const keys = { ec: ['ec', { namedCurve: 'P-256' }], rsa: ['rsa', { modulusLength: 2048 }] };

/** Row of the pairs of signatures in `seconds`, authority and requests with keys of the kind `ec` or `rsa`. */
export async function opensslLimit({ what, kind, seconds }) {
  const counts = await Promise.all(
    Array.from({ length: availableParallelism() }, async () => {
      const child = fork(fileURLToPath(import.meta.url), [kind, String(seconds)]);
      const [result] = await once(child, 'message');
      return result;
    }),
  );
  const pairs = counts.reduce((sum, each) => sum + each.pairs, 0);
  const cpuMs = counts.reduce((sum, each) => sum + each.cpuMs, 0) / pairs;
  const perSecond = pairs / seconds;
  const figure = `${Math.round(perSecond).toLocaleString('en')}/s`;
  process.stderr.write(`  ${what}: ${figure}\n`);
  return { what, figure, perSecond, cpuMs };
}

function countPairs(kind, seconds) {
  const { privateKey, publicKey } = generateKeyPairSync(...keys[kind]);
  const octets = randomBytes(400);
  const signature = sign('sha256', octets, privateKey);
  const before = process.cpuUsage();
  let pairs = 0;
  for (const end = performance.now() + seconds * 1000; performance.now() < end; pairs += 1) {
    verify('sha256', octets, publicKey, signature);
    sign('sha256', octets, privateKey);
  }
  const { user, system } = process.cpuUsage(before);
  return { pairs, cpuMs: (user + system) / 1000 };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.send(countPairs(process.argv[2], Number(process.argv[3])));
  process.disconnect();
}

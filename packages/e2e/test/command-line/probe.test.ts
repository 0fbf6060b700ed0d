import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { createServer, type Server } from 'node:tls';
import {
  createIssuer,
  createRoot,
  encodeName,
  exportPrivateKeyPem,
  exportSpki,
  formatPem,
  generateKeyPair,
  issueCertificate,
} from '@certloop/crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';

const program = createRequire(import.meta.url).resolve('@certloop/cli/bin/certloop.js');
let folder: string;
let server: Server;
let place: string;
let serialNumber: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'certloop-probe-'));
  // certificates have no fractions of seconds
  const now = Math.floor(Date.now() / 1000) * 1000;
  const validity = { notBefore: new Date(now - 86_400_000), notAfter: new Date(now + 86_400_000) };
  const root = createIssuer(
    await createRoot({ keyKind: 'P-256', subject: { commonName: 'Probed' }, serialNumber: 1n, ...validity }),
  );
  serialNumber = `01${randomBytes(8).toString('hex')}`;
  const issue = async (serial: string) => {
    const { publicKey, privateKey } = await generateKeyPair('P-256');
    const der = await issueCertificate(root, {
      serialNumber: BigInt(`0x${serial}`),
      subjectDer: encodeName({}),
      spkiDer: exportSpki(publicKey),
      subjectAltNames: { dnsNames: ['www.example.test'] },
      ...validity,
    });
    return { cert: formatPem('CERTIFICATE', der), key: exportPrivateKeyPem(privateKey) };
  };
  const ours = await issue(serialNumber);
  const rootPem = formatPem('CERTIFICATE', root.certificate.der);
  await writeFile(join(folder, 'root.pem'), rootPem);
  await writeFile(join(folder, 'ours.pem'), ours.cert + rootPem);
  await writeFile(join(folder, 'newer.pem'), (await issue('02')).cert + rootPem);
  server = createServer({ ca: [], ...ours });
  server.on('tlsClientError', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  place = `127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  await new Promise((done) => server.close(done));
  await rm(folder, { recursive: true });
});

async function probe(...args: string[]) {
  const child = spawn(process.execPath, [program, 'probe', ...args], { cwd: folder, env: {} });
  const ended = once(child, 'close');
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: (await ended)[0], out, err };
}

const named = ['--sni', 'www.example.test'];

test('certloop probe shows the served certificate, and exits with 0 if it is the expected one', async () => {
  const { code, out, err } = await probe(place, ...named, '--cert', 'ours.pem', '--json');
  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(JSON.parse(out)).toEqual([
    expect.objectContaining({
      address: place,
      class: 'current',
      well: true,
      served: expect.objectContaining({
        serialNumber,
        dnsNames: ['www.example.test'],
        keyAlgorithm: 'ECDSA',
      }),
    }),
  ]);
  const trusted = await probe(place, ...named, '--ca', 'root.pem');
  expect(trusted).toMatchObject({
    code: 0,
    err: '',
    out: expect.stringMatching(`${place} +trusted +${serialNumber}`),
  });
});

test('certloop probe exits with 1 and says what to do if another certificate is served', async () => {
  const foreign = await probe(place, ...named, '--cert', 'newer.pem');
  expect(foreign).toMatchObject({ code: 1, out: expect.stringMatching(/ foreign /) });
  expect(foreign.err).toBe(
    `certloop: ${place} serves certificate ${serialNumber}, which is not ours: install 02, or correct the target.\n`,
  );
  expect((await probe(place, ...named)).out).toMatch(/ untrusted /);
  expect((await probe(place, '--ca', 'root.pem')).out).toMatch(/ name_mismatch /);
  const closed = await probe('127.0.0.1:1', '--json');
  expect(closed.code).toBe(1);
  expect(JSON.parse(closed.out)).toMatchObject([
    { class: 'unreachable', stage: 'refused', fault: 'connection_refused' },
  ]);
  expect((await probe('169.254.169.254', '--json')).out).toMatch(/"fault": "address_not_allowed"/);
});

test('certloop probe exits with 2 for invalid arguments', async () => {
  for (const args of [
    ['127.1'],
    ['a.test:0'],
    [place, '--starttls', 'gopher'],
    [place, '--cert', 'a', '--fqdn', 'b'],
  ]) {
    expect((await probe(...args)).code).toBe(2);
  }
});

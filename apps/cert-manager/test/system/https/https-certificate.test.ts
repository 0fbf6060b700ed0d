import { once } from 'node:events';
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { connect as connectPlain } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import {
  certificateLabel,
  createIssuer,
  createRoot,
  exportPrivateKeyPem,
  exportSpki,
  formatPem,
  generateKeyPair,
  issueCertificate,
} from '@certloop/crypto';
import { type Listening, listen } from '@certloop/server';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startAppOnSqlite, type TestApp } from '../../support/app.js';
import { type FakeCa, startFakeCa } from '../../support/cas/fake-ca.js';

const day = 86_400_000;
const now = new Date('2026-03-01T12:00:00.000Z');
const clock = { now: () => now };

let folder: string;
let app: TestApp;
let secure: Listening | undefined;
let ca: FakeCa | undefined;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'certloop-https-'));
});
afterEach(async () => {
  await secure?.close();
  await app.close();
  await ca?.close();
  await rm(folder, { recursive: true });
  secure = undefined;
  ca = undefined;
});

const file = (name: string) => join(folder, name);

interface Pair {
  readonly cert: string;
  readonly key: string;
}

/** A pair whose certificate has the serial number, as two certificates in the file. */
async function pair(serialNumber: bigint, notAfter = new Date(now.getTime() + 90 * day)): Promise<Pair> {
  const validity = { notBefore: new Date(now.getTime() - 100 * day), notAfter };
  const subject = { commonName: 'Test CA' };
  const root = await createRoot({ keyKind: 'P-256', subject, ...validity, serialNumber: 1n });
  const issuer = await createIssuer(root);
  const { privateKey, publicKey } = await generateKeyPair('P-256');
  const der = await issueCertificate(issuer, {
    serialNumber,
    subjectDer: Buffer.from([0x30, 0]),
    spkiDer: exportSpki(publicKey),
    ...validity,
    subjectAltNames: { dnsNames: ['localhost'] },
  });
  const pems = [der, issuer.certificate.der].map((each) => formatPem(certificateLabel, each));
  return { cert: pems.join(''), key: exportPrivateKeyPem(privateKey) };
}

async function write({ cert, key }: Partial<Pair>): Promise<void> {
  if (cert !== undefined) await writeFile(file('cert.pem'), cert);
  if (key !== undefined) await writeFile(file('key.pem'), key);
}

/** Starts the service with its https listener. */
async function serve(environment: Readonly<Record<string, string>>): Promise<void> {
  app = await startAppOnSqlite({ now, environment: { CERT_MANAGER_HTTPS_PORT: '0', ...environment } });
  const tls = (await app.https?.open()) ?? 'later';
  secure = await listen(app.http, { host: '127.0.0.1', port: 0, tls });
  if (secure.useTls !== undefined) app.https?.follow(secure.useTls);
}

const byFiles = () => ({ TLS_CERT_FILE: file('cert.pem'), TLS_KEY_FILE: file('key.pem') });

/** Serial number of the certificate that a new connection sees. Rejects when there is no handshake. */
async function serialServed(): Promise<number> {
  const socket = connect({
    port: Number(new URL(secure?.url ?? '').port),
    host: '127.0.0.1',
    rejectUnauthorized: false,
  });
  await once(socket, 'secureConnect');
  const { serialNumber } = socket.getPeerCertificate();
  socket.destroy();
  return Number.parseInt(serialNumber, 16);
}

const refresh = () => app.jobs.run('https');
const reasons = (event: string) =>
  app.logged().flatMap((line) => (line['event'] === event ? [String(line['reason'])] : []));

describe('https with files', () => {
  test('serves every path of the API port', async () => {
    await write(await pair(2n));
    await serve(byFiles());
    const socket = connect({
      port: Number(new URL(secure?.url ?? '').port),
      host: '127.0.0.1',
      rejectUnauthorized: false,
    });
    socket.end('GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
    const parts: Buffer[] = [];
    socket.on('data', (part: Buffer) => parts.push(part));
    await once(socket, 'end');
    expect(Buffer.concat(parts).toString()).toMatch(/^HTTP\/1\.1 200 /);
  });

  test('ends a connection that breaks off before its handshake, without waiting for more', async () => {
    await write(await pair(2n));
    await serve(byFiles());
    const { server, url } = secure ?? {};
    if (server === undefined) throw new Error('the service has its https listener');
    const broken = once(server, 'tlsClientError') as Promise<[NodeJS.ErrnoException]>;
    const client = connectPlain(Number(new URL(url ?? '').port), '127.0.0.1');
    await once(client, 'connect');
    client.destroy();
    const [{ code }] = await broken;
    expect(code).toBe('ECONNRESET');
  });

  test('uses files that were replaced, and reads the same ones once', async () => {
    await write(await pair(2n));
    await serve(byFiles());
    await refresh();
    expect(await serialServed()).toBe(2);
    await write(await pair(3n));
    await refresh();
    expect(await serialServed()).toBe(3);
    expect(app.logged().filter(({ event }) => event === 'https.certificate_in_use')).toHaveLength(2);
  });

  test('keeps the pair in use while only half of the other one is written', async () => {
    await write(await pair(2n));
    await serve(byFiles());
    const { cert, key } = await pair(3n);
    await write({ cert });
    await refresh();
    await refresh();
    expect(await serialServed()).toBe(2);
    expect(reasons('https.certificate_refused')).toEqual([
      `TLS_KEY_FILE (${file('key.pem')}): the key is not that of the certificate`,
    ]);
    await write({ key });
    await refresh();
    expect(await serialServed()).toBe(3);
  });

  test.each<[string, (whole: Pair) => Promise<unknown>, RegExp]>([
    ['no certificate', () => write({ cert: 'nothing' }), /^TLS_CERT_FILE .*: it contains no certificate$/],
    [
      'a chain that breaks off',
      ({ cert }) => write({ cert: cert.slice(0, -40) }),
      /^TLS_CERT_FILE .*: the block of line \d+ has no END line$/,
    ],
    [
      'octets that are no certificate',
      () => write({ cert: formatPem(certificateLabel, Buffer.from('no certificate')) }),
      /^TLS_CERT_FILE .*: it contains a damaged certificate$/,
    ],
    [
      'half a key',
      ({ key }) => write({ key: key.slice(0, 80) }),
      /^TLS_KEY_FILE .*: it contains no private key/,
    ],
    ['an empty key', () => write({ key: '' }), /^TLS_KEY_FILE .*: it contains no private key/],
    [
      'no file',
      () => rename(file('key.pem'), file('gone.pem')),
      /^TLS_KEY_FILE .*: it cannot be read: ENOENT$/,
    ],
  ])('keeps the pair in use and says why when there is %s', async (_, spoil, reason) => {
    const whole = await pair(2n);
    await write(whole);
    await serve(byFiles());
    await spoil(whole);
    await refresh();
    expect(await serialServed()).toBe(2);
    const said = reasons('https.certificate_refused');
    expect(said).toEqual([expect.stringMatching(reason)]);
    expect(JSON.stringify(app.logged())).not.toContain('PRIVATE KEY');
  });

  test('keeps the pair in use when the other certificate has expired', async () => {
    await write(await pair(2n));
    await serve(byFiles());
    await write(await pair(3n, new Date(now.getTime() - day)));
    await refresh();
    expect(await serialServed()).toBe(2);
    expect(reasons('https.certificate_refused')).toEqual([
      `TLS_CERT_FILE (${file('cert.pem')}): the certificate expired on 2026-02-28T12:00:00.000Z`,
    ]);
  });

  test('starts with a certificate that has expired, and says so', async () => {
    await write(await pair(2n, new Date(now.getTime() - day)));
    await serve(byFiles());
    expect(await serialServed()).toBe(2);
    expect(reasons('https.certificate_expired')).toHaveLength(1);
  });

  test('does not start with a pair that cannot be used', async () => {
    const { cert } = await pair(2n);
    await write({ cert, key: (await pair(3n)).key });
    await expect(serve(byFiles())).rejects.toThrow(
      `TLS_KEY_FILE (${file('key.pem')}): the key is not that of the certificate`,
    );
  });
});

describe('https with a certificate of dummy-ca', () => {
  const names = { CERT_MANAGER_HTTPS_NAMES: 'localhost 127.0.0.1' };

  test('gets another one when a third of the validity is left', async () => {
    ca = await startFakeCa({ now: () => app?.clock.now() ?? now });
    await serve({ ...names, DUMMY_CA_URL: ca.url });
    expect(await serialServed()).toBe(1);
    app.clock.advance(59 * day);
    await refresh();
    expect(await serialServed()).toBe(1);
    app.clock.advance(2 * day);
    await refresh();
    expect(await serialServed()).toBe(2);
    expect(ca.validityDays).toEqual([90, 90]);
  });

  test('gets another one when the CA has another root', async () => {
    ca = await startFakeCa(clock);
    await serve({ ...names, DUMMY_CA_URL: ca.url });
    await refresh();
    expect(await serialServed()).toBe(1);
    await ca.restart();
    await refresh();
    expect(await serialServed()).toBe(2);
  });

  test('rejects handshakes until the CA has issued the first one, and says why', async () => {
    ca = await startFakeCa(clock);
    ca.answer('with a refusal');
    await serve({ ...names, DUMMY_CA_URL: ca.url });
    await expect(serialServed()).rejects.toThrow(/handshake/);
    await refresh();
    expect(reasons('https.certificate_not_issued')).toEqual([expect.stringContaining('this CSR')]);
    ca.answer('normally');
    await refresh();
    expect(await serialServed()).toBeGreaterThan(0);
  });

  test('keeps the one in use while the CA does not answer', async () => {
    ca = await startFakeCa(clock);
    await serve({ ...names, DUMMY_CA_URL: ca.url });
    await ca.close();
    ca = undefined;
    await refresh();
    await refresh();
    expect(await serialServed()).toBe(1);
    expect(reasons('https.certificate_not_issued')).toHaveLength(1);
  });
});

import { execFileSync } from 'node:child_process';
import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StartFailed } from '@certloop/server';
import { hasProgram } from '@certloop/server/testing';
import request from 'supertest';
import { describe, expect, test } from 'vitest';
import { startCa } from '../support/app.js';
import { p256 } from '../support/csrs.js';
import { oddPair, type PemPair, rootPair } from '../support/roots.js';

const now = new Date('2026-11-21T10:00:00Z');
const at = (days: number) => new Date(now.getTime() + days * 86_400_000);
const valid = { notBefore: at(-1), notAfter: at(100) };
const start = ({ keyPem, certificatePem }: PemPair) =>
  startCa({ rootKeyPem: keyPem, rootCertificatePem: certificatePem }, { now });

describe('a root from files', () => {
  test.each(['P-256', 'P-384', 'P-521', 'RSA-2048', 'Ed25519'] as const)('of %s signs', async (keyType) => {
    const pair = await rootPair({ ...valid, keyType });
    const ca = await start(pair);
    expect(ca.authority.rootPem).toBe(pair.certificatePem);
    const { certificate } = await ca.issue();
    expect(certificate.checkIssued(ca.root)).toBe(true);
    expect(certificate.verify(ca.root.publicKey)).toBe(true);
    expect(certificate.validTo).toBe(ca.root.validTo);
    await request(ca.http).get('/root').expect(200);
  });

  const ifOpenssl = hasProgram('openssl', 'it makes no root', ['version']) ? test : test.skip;
  ifOpenssl('made by openssl ecparam and openssl req is taken as it is', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'dummy-ca-'));
    const path = join(folder, 'root.key');
    execFileSync('openssl', ['ecparam', '-name', 'prime256v1', '-genkey', '-out', path]);
    const args = ['req', '-x509', '-key', path, '-days', '30', '-subj', '/O=Own/CN=Own root'];
    const certificatePem = execFileSync('openssl', args, { encoding: 'utf8' });
    const key = readFileSync(path, 'utf8');
    rmSync(folder, { recursive: true });
    const ca = await startCa({ rootKeyPem: key, rootCertificatePem: certificatePem });
    const { certificate } = await ca.issue();
    expect(certificate.verify(new X509Certificate(certificatePem).publicKey)).toBe(true);
  });

  test.each<[string, () => Promise<PemPair>, RegExp]>([
    [
      'its key is another one',
      async () => ({ ...(await rootPair(valid)), keyPem: pkcs8(p256().privateKey) }),
      /another private key/,
    ],
    ['its key is not a key', async () => ({ ...(await rootPair(valid)), keyPem: 'hello' }), /private key/],
    ['its key is encrypted', async () => ({ ...(await rootPair(valid)), keyPem: encrypted() }), /encrypted/],
    [
      'its certificate is invalid',
      async () => ({ ...(await rootPair(valid)), certificatePem: 'x' }),
      /certificate/,
    ],
    [
      'there are two certificates',
      async () => {
        const pair = await rootPair(valid);
        return { ...pair, certificatePem: pair.certificatePem + pair.certificatePem };
      },
      /exactly one certificate/,
    ],
    ['it is not an authority', async () => oddPair({ isCa: false, issuer: 'odd' }), /CA certificate/],
    ['it is an intermediate', async () => oddPair({ isCa: true, issuer: 'other' }), /not self-signed/],
    ['it has expired', () => rootPair({ notBefore: at(-9), notAfter: at(-1) }), /valid only from/],
    ['it is not valid yet', () => rootPair({ notBefore: at(1), notAfter: at(9) }), /valid only from/],
  ])('is refused when %s', async (_, pair, sentence) => {
    const failure = await start(await pair()).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(StartFailed);
    const { message } = failure as StartFailed;
    expect(message).toMatch(sentence);
    expect(message).toContain('DUMMY_CA_ROOT_KEY');
    expect(message.split('\n')).toHaveLength(1);
    expect(message).not.toContain('BEGIN');
  });
});

const pkcs8 = (key: ReturnType<typeof p256>['privateKey']) =>
  String(key.export({ type: 'pkcs8', format: 'pem' }));

function encrypted(): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const options = { type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' } as const;
  return String(privateKey.export(options));
}

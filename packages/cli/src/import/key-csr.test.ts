import { createPrivateKey } from 'node:crypto';
import {
  csrLabels,
  describeCsr,
  type KeyKind,
  parseCertificate,
  parseCsr,
  parsePem,
  verifyCsr,
} from '@certloop/crypto';
import { beforeAll, expect, test } from 'vitest';
import { createTestAuthority } from './authority.fixture.js';
import { csrForCertificate } from './key-csr.js';

let authority: Awaited<ReturnType<typeof createTestAuthority>>;
beforeAll(async () => {
  authority = await createTestAuthority();
});

type Encoding = 'pkcs8' | 'pkcs1' | 'sec1';

const encoded = (keyPem: string, type: Encoding, passphrase?: string) => {
  const secret = passphrase === undefined ? {} : { cipher: 'aes-256-cbc', passphrase };
  return Buffer.from(createPrivateKey(keyPem).export({ type, format: 'pem', ...secret } as never));
};

test.each<[KeyKind, Encoding]>([
  ['RSA-2048', 'pkcs8'],
  ['RSA-2048', 'pkcs1'],
  ['P-256', 'pkcs8'],
  ['P-256', 'sec1'],
  ['P-384', 'sec1'],
  ['P-521', 'pkcs8'],
  ['Ed25519', 'pkcs8'],
])('signs a CSR with a key of %s in %s', async (kind, type) => {
  const names = ['a.test', '*.a.test'];
  const request = { names, addresses: ['192.0.2.1'], commonName: 'a.test', kind };
  const { der, keyPem, pem } = await authority.issue(request);
  const leaf = parseCertificate(der);
  const bundle = Buffer.concat([Buffer.from(pem), encoded(keyPem, type)]);
  const csr = parseCsr(parsePem(await csrForCertificate(leaf, [bundle]), csrLabels));
  expect(await verifyCsr(csr)).toMatchObject({ ok: true });
  expect(csr.spkiDer).toEqual(leaf.spkiDer);
  expect(describeCsr(csr)).toMatchObject({
    dnsNames: names,
    ipAddresses: ['192.0.2.1'],
    commonNames: ['a.test'],
  });
});

test('takes the key that fits of several', async () => {
  const [first, second] = [await authority.issue(), await authority.issue()];
  const files = [first, second].map(({ keyPem }) => Buffer.from(keyPem));
  const csr = parseCsr(parsePem(await csrForCertificate(parseCertificate(second.der), files), csrLabels));
  expect(csr.spkiDer).toEqual(parseCertificate(second.der).spkiDer);
});

test.each<[string, (keyPem: string, otherPem: string) => Buffer[], RegExp]>([
  ['no key', () => [], /^no private key was found beside the certificate$/],
  ['another key', (_key, other) => [Buffer.from(other)], /^the private key is not that of the certificate$/],
  [
    'an encrypted key in PKCS#8',
    (key) => [encoded(key, 'pkcs8', 'secret')],
    /^the private key is encrypted: /,
  ],
  ['an encrypted key in SEC 1', (key) => [encoded(key, 'sec1', 'secret')], /^the private key is encrypted: /],
  [
    'a damaged key',
    (key) => [Buffer.from(key.replace('MI', 'XX'))],
    /^the private key is damaged or of an unknown kind$/,
  ],
])('rejects %s', async (_what, filesOf, reason) => {
  const { der, keyPem } = await authority.issue();
  const { keyPem: other } = await authority.issue();
  await expect(csrForCertificate(parseCertificate(der), filesOf(keyPem, other))).rejects.toThrow(reason);
});

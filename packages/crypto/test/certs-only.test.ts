import { X509Certificate } from 'node:crypto';
import { afterAll, describe, expect, test } from 'vitest';
import { createIssuer, createRoot, encodeCertsOnly } from '../src/index.js';
import { hasOpenssl, OpensslFolder } from './openssl.js';

const rootOf = async (commonName: string) => {
  const request = {
    keyKind: 'P-256',
    subject: { commonName },
    notBefore: new Date('2026-01-01T00:00:00Z'),
    notAfter: new Date('2027-01-01T00:00:00Z'),
    serialNumber: 1n,
  } as const;
  return createIssuer(await createRoot(request)).certificate.der;
};

(hasOpenssl ? describe : describe.skip)('a file of certificates for OpenSSL', () => {
  const folder = new OpensslFolder();
  afterAll(() => folder.close());

  test.each([1, 2, 5])('contains %i certificates in their order', async (count) => {
    const names = Array.from({ length: count }, (_, index) => `Name ${index}`);
    const ders = await Promise.all(names.map(rootOf));
    const base64 = encodeCertsOnly(ders).toString('base64');
    folder.write(
      'chain.p7b',
      `-----BEGIN PKCS7-----\n${base64.replace(/.{64}/g, '$&\n')}\n-----END PKCS7-----\n`,
    );
    const text = folder.run('pkcs7', '-in', 'chain.p7b', '-print_certs');
    const read = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
    expect(read.map((pem) => new X509Certificate(pem).raw.toString('hex'))).toEqual(
      ders.map((der) => der.toString('hex')),
    );
  });
});

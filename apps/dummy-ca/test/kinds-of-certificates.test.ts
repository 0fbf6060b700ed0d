import { X509Certificate } from 'node:crypto';
import { lintCertificate } from '@certloop/crypto';
import { hasProgram, say } from '@certloop/server/testing';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { dnsIdentifiers } from './support/acme-client.js';
import { csrField, dns, emptyName, extensionRequest, ip, p256, rsa, subjectAltName } from './support/csrs.js';
import { certificatePem, derOf, type PublicCa, startPublicCa } from './support/public-ca.js';

jest.setTimeout(60_000);

const hasOpenssl = hasProgram('openssl', 'it judges no kind of certificate', ['version']);
const hasCerttool = hasProgram('certtool', 'it judges no kind of certificate');

const longName = `${'a'.repeat(63)}.${'b'.repeat(63)}.${'c'.repeat(63)}.example.test`;
const asking = (name: Uint8Array, parts: object = {}) =>
  csrField({ ...parts, attributes: [extensionRequest(subjectAltName(name))] });

interface Kind {
  readonly csr: string;
  readonly members?: object;
  /** The moment at which it is valid, in seconds from now. */
  readonly at?: number;
}

const kinds: Readonly<Record<string, Kind>> = {
  EC: { csr: asking(dns('www.example.test'), { keys: p256() }) },
  RSA: { csr: asking(dns('www.example.test'), { keys: rsa() }) },
  'an IP address': { csr: asking(ip(192, 0, 2, 7), { subject: emptyName }) },
  'an IPv6 address': {
    csr: asking(ip(0x20, 1, 0xd, 0xb8, ...new Array<number>(11).fill(0), 1), { subject: emptyName }),
  },
  'a wildcard': { csr: asking(dns('*.example.test'), { subject: emptyName }) },
  'a long name': { csr: asking(dns(longName), { subject: emptyName }) },
  'a hundred years': { csr: csrField(), members: { validity_days: 36_500 } },
  'a minute': { csr: csrField(), members: { validity_seconds: 60 } },
  expired: {
    csr: csrField(),
    members: { validity_seconds: 600, not_before_offset_seconds: -3600 },
    at: -3300,
  },
  'not yet valid': {
    csr: csrField(),
    members: { validity_seconds: 600, not_before_offset_seconds: 3600 },
    at: 3900,
  },
};

describe.each(['P-256', 'RSA-2048'] as const)('below a root of %s', (keyType) => {
  let ca: PublicCa;
  let root: string;
  beforeAll(async () => {
    ca = await startPublicCa({ source: { keyType } });
    root = ca.file('root.pem', ca.rootPem);
  });
  afterAll(() => ca.close());

  /** Judges a certificate and what stands above it by our lint, OpenSSL and GnuTLS, at a moment. */
  async function judge(pem: string, issuerPem: string, at = 0): Promise<void> {
    expect(lintCertificate(derOf(pem), derOf(issuerPem))).toEqual([]);
    const [leaf, issuer] = [ca.file('leaf.pem', pem), ca.file('issuer.pem', issuerPem)];
    const moment = Math.floor(Date.now() / 1000) + at;
    const between = issuerPem === ca.rootPem ? [] : ['-untrusted', issuer];
    if (hasOpenssl) {
      const strict = ['verify', '-x509_strict', '-attime', String(moment), '-CAfile', root];
      expect(await say('openssl', [...strict, ...between, leaf])).toMatch(/: OK/);
    }
    if (hasCerttool) {
      const chain = ca.file('chain.pem', issuerPem === ca.rootPem ? pem : `${pem}${issuerPem}`);
      const args = ['--verify', '--load-ca-certificate', root, '--infile', chain];
      // This program has no other clock than the machine's: beside the time it must find nothing.
      const said = await say('certtool', args).catch(({ message }: Error) => message);
      const verdict = /Chain verification output: (.*)/.exec(said)?.[1]?.trim();
      const late =
        'Not verified. The certificate is NOT trusted. The certificate chain uses expired certificate.';
      const early =
        'Not verified. The certificate is NOT trusted. The certificate chain uses not yet valid certificate.';
      expect(verdict).toBe(at === 0 ? 'Verified. The certificate is trusted.' : at < 0 ? late : early);
    }
  }

  test.each(Object.entries(kinds))('%s', async (_, { csr, members, at }) => {
    const pem = await ca.sign({ csr, ...members });
    const text = new X509Certificate(pem).infoAccess ?? '';
    expect(text).toContain(`OCSP - URI:${ca.url}/ocsp`);
    expect(text).toContain(`CA Issuers - URI:${ca.url}/issuers/root`);
    await judge(pem, ca.rootPem, at);
  });

  test.each([
    ['names', dnsIdentifiers('a.example.test', '*.example.test')],
    ['an address', [{ type: 'ip', value: '192.0.2.7' }]],
  ])('ACME: %s, and its intermediate', async (_, identifiers) => {
    const intermediate = certificatePem(await ca.get('/issuers/intermediate'));
    const { pem } = await (await ca.acmeClient()).issue(identifiers);
    const leaf = `${pem.split('-----END CERTIFICATE-----')[0]}-----END CERTIFICATE-----\n`;
    await judge(leaf, intermediate);
    await judge(intermediate, ca.rootPem);
  });

  test('both roots are clean', async () => {
    for (const name of ['root', 'alternate-root']) {
      const der = await ca.get(`/issuers/${name}`);
      expect(lintCertificate(der, der)).toEqual([]);
    }
  });
});

test('without a public address certificates name no addresses, and with less settings fewer', async () => {
  const quiet = await startPublicCa({ source: { publicUrl: undefined } });
  expect(new X509Certificate(await quiet.sign()).infoAccess).toBeUndefined();
  await quiet.close();
  const some = await startPublicCa({ source: { pointers: ['ocsp'] } });
  expect(new X509Certificate(await some.sign()).infoAccess).toBe(`OCSP - URI:${some.url}/ocsp`);
  await some.close();
});

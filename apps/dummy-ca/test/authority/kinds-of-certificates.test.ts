import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import { dnsIdentifiers, type Identifiers } from '@certloop/acme-server/testing';
import { splitChain } from '@certloop/crypto';
import { lintCertificate } from '@certloop/crypto/lint';
import { hasProgram, say } from '@certloop/server/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeHttpsCertificate } from '../../src/acme/issuance/https-certificate.service.js';
import {
  algorithms,
  commonName,
  csrField,
  dns,
  email,
  emptyName,
  extensionRequest,
  ip,
  nameOf,
  p256,
  rsa,
  subjectAltName,
  uri,
} from '../support/csrs.js';
import { oid, sequence, set, utf8 } from '../support/der.js';
import { certificatePem, derOf, type PublicCa, startPublicCa } from '../support/public-ca.js';

const hasOpenssl = hasProgram('openssl', 'it judges no kind of certificate', ['version']);
const hasCerttool = hasProgram('certtool', 'it judges no kind of certificate');

const longName = `${'a'.repeat(63)}.${'b'.repeat(63)}.${'c'.repeat(63)}.example.test`;
const curve = (namedCurve: string) => generateKeyPairSync('ec', { namedCurve });
const asking = (name: Uint8Array, parts: object = {}) =>
  csrField({ ...parts, attributes: [extensionRequest(subjectAltName(name))] });
// From then on times are written in another type (RFC 5280 §4.1.2.5).
const secondsTo2050 = Math.floor((Date.UTC(2050) - Date.now()) / 1000);

interface Kind {
  readonly csr: string;
  readonly members?: object;
  /** The moment at which it is valid, in seconds from now. */
  readonly at?: number;
  /** What our lint says, when the CSR has it so and its content is not judged. */
  readonly remarks?: readonly string[];
}

const kinds: Readonly<Record<string, Kind>> = {
  'P-256': { csr: asking(dns('www.example.test'), { keys: p256() }) },
  'P-384': { csr: asking(dns('www.example.test'), { keys: curve('P-384') }) },
  'P-521': { csr: asking(dns('www.example.test'), { keys: curve('P-521') }) },
  RSA: { csr: asking(dns('www.example.test'), { keys: rsa() }) },
  Ed25519: {
    csr: asking(dns('www.example.test'), {
      keys: generateKeyPairSync('ed25519'),
      signatureAlgorithm: algorithms.ed25519,
    }),
  },
  'a subject alone': { csr: csrField({ attributes: [] }), remarks: ['the subjectAltName is missing'] },
  'a person and a service': {
    csr: csrField({
      attributes: [extensionRequest(subjectAltName(email('ada@example.test'), uri('urn:example:ada')))],
    }),
  },
  'an IP address': { csr: asking(ip(192, 0, 2, 7), { subject: emptyName }) },
  'an IPv6 address': {
    csr: asking(ip(0x20, 1, 0xd, 0xb8, ...new Array<number>(11).fill(0), 1), { subject: emptyName }),
  },
  'a wildcard': { csr: asking(dns('*.example.test'), { subject: emptyName }) },
  'a long name': { csr: asking(dns(longName), { subject: emptyName }) },
  'a subject with an empty part': {
    csr: asking(dns('www.example.test'), {
      subject: sequence(set(), set(sequence(oid(commonName), utf8('www.example.test')))),
    }),
  },
  'a subject of an empty part alone': {
    csr: asking(dns('www.example.test'), { subject: sequence(set()) }),
  },
  'an international name': {
    csr: asking(dns('xn--mnchen-3ya.test'), { subject: nameOf([commonName, 'münchen.test']) }),
  },
  'a common name of 64 letters': {
    csr: asking(dns('www.example.test'), { subject: nameOf([commonName, 'c'.repeat(64)]) }),
  },
  'five hundred names': {
    csr: asking(Buffer.concat(Array.from({ length: 500 }, (_, n) => dns(`h${n}.example.test`)))),
  },
  'until the end of 2049': { csr: csrField(), members: { validity_seconds: secondsTo2050 - 3600 } },
  'until the beginning of 2050': { csr: csrField(), members: { validity_seconds: secondsTo2050 + 3600 } },
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

/** What ACME is asked for, with the same moments. */
const orders: Readonly<Record<string, Omit<Kind, 'csr'> & { readonly identifiers: Identifiers }>> = {
  names: { identifiers: dnsIdentifiers('a.example.test', '*.example.test') },
  'an address': { identifiers: [{ type: 'ip', value: '192.0.2.7' }] },
  'an IPv6 address': { identifiers: [{ type: 'ip', value: '2001:db8::1' }] },
  'a short profile': { identifiers: dnsIdentifiers('a.example.test'), members: { profile: 'brief' } },
  'a profile that is expired': {
    identifiers: dnsIdentifiers('a.example.test'),
    members: { profile: 'expired' },
    at: -3300,
  },
  'a profile that is not yet valid': {
    identifiers: dnsIdentifiers('a.example.test'),
    members: { profile: 'later' },
    at: 3900,
  },
};
const profiles = 'usual:7776000 brief:60 expired:600:-3600 later:600:3600';

describe.each(['P-256', 'P-384', 'RSA-2048'] as const)('below a root of %s', (keyType) => {
  let ca: PublicCa;
  let root: string;
  beforeAll(async () => {
    ca = await startPublicCa({ source: { keyType }, environment: { DUMMY_CA_PROFILES: profiles } });
    root = ca.file('root.pem', ca.rootPem);
  });
  afterAll(() => ca.close());

  /** Judges a certificate and what stands above it by our lint, OpenSSL and GnuTLS, at a moment. */
  async function judge(
    pem: string,
    issuerPem: string,
    { at = 0, remarks = [] }: Pick<Kind, 'at' | 'remarks'> = {},
    rootPem = ca.rootPem,
  ): Promise<void> {
    expect(lintCertificate(derOf(pem), derOf(issuerPem))).toEqual(remarks);
    const [leaf, issuer] = [ca.file('leaf.pem', pem), ca.file('issuer.pem', issuerPem)];
    const moment = Math.floor(Date.now() / 1000) + at;
    ca.file('root.pem', rootPem);
    const between = issuerPem === rootPem ? [] : ['-untrusted', issuer];
    if (hasOpenssl) {
      const strict = ['verify', '-x509_strict', '-attime', String(moment), '-CAfile', root];
      expect(await say('openssl', [...strict, ...between, leaf])).toMatch(/: OK/);
    }
    if (hasCerttool) {
      const chain = ca.file('chain.pem', issuerPem === rootPem ? pem : `${pem}${issuerPem}`);
      const args = ['--verify', '--load-ca-certificate', root, '--infile', chain];
      // This program uses the clock of the machine: it must find no faults except the time.
      const said = await say('certtool', args).catch(({ message }: Error) => message);
      const verdict = /Chain verification output: (.*)/.exec(said)?.[1]?.trim();
      const late =
        'Not verified. The certificate is NOT trusted. The certificate chain uses expired certificate.';
      const early =
        'Not verified. The certificate is NOT trusted. The certificate chain uses not yet valid certificate.';
      expect(verdict).toBe(at === 0 ? 'Verified. The certificate is trusted.' : at < 0 ? late : early);
    }
  }

  test.each(Object.entries(kinds))('%s', async (_, { csr, members, ...kind }) => {
    const pem = await ca.sign({ csr, ...members });
    const text = new X509Certificate(pem).infoAccess ?? '';
    expect(text).toContain(`OCSP - URI:${ca.url}/ocsp`);
    expect(text).toContain(`CA Issuers - URI:${ca.url}/issuers/root`);
    await judge(pem, ca.rootPem, kind);
  });

  test.each(Object.entries(orders))('ACME: %s', async (_, { identifiers, members, ...kind }) => {
    const { pem } = await (await ca.acmeClient()).issue(identifiers, members);
    const [leaf = '', intermediate = ''] = splitChain(pem).map(certificatePem);
    await judge(leaf, intermediate, kind);
  });

  test('the intermediate, below either root', async () => {
    await judge(certificatePem(await ca.get('/issuers/intermediate')), ca.rootPem);
    const alternateRoot = certificatePem(await ca.get('/issuers/alternate-root'));
    await judge(String(await ca.get('/acme/issuers/1')), alternateRoot, {}, alternateRoot);
  });

  test('that of the service itself, for https', async () => {
    const names = ['localhost', '127.0.0.1', '::1'];
    const { cert } = await makeHttpsCertificate(ca.authority, names, ca.clock);
    await judge(cert, ca.rootPem);
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

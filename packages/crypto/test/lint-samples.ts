import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { encodeExtension } from '../src/certificates/extensions.js';
import type { CsrLintCode } from '../src/csr-lint/lint-codes.js';
import type { CsrLintOptions } from '../src/csr-lint/lint-facts.js';
import { buildCsr, type CsrRequest } from '../src/csrs/build-csr.js';
import { parseCsr } from '../src/csrs/csr.js';
import { contextConstructed, tag } from '../src/der/der.js';
import {
  encode,
  encodeBitOctets,
  encodeInteger,
  encodeNull,
  encodeOid,
  encodeSequence,
  encodeSetOf,
} from '../src/der/der-writer.js';
import { oid } from '../src/der/oids.js';
import { csrLabels, formatPem } from '../src/der/pem.js';
import { exportSpki } from '../src/keys/keys.js';
import { encodeGeneralNames } from '../src/names/general-names.js';
import { encodeName } from '../src/names/names.js';
import { type CsrParts, forgeCsr, forgeRequest } from './forge.js';
import { prime, primeFrom, rocaPrime, rsaKeyOf } from './rsa-numbers.js';

/** A text that has exactly the finding of its code in the profile `acme`, or in the one of its options. */
export interface LintSample {
  readonly code: CsrLintCode;
  readonly text: () => Promise<string>;
  readonly options?: Partial<CsrLintOptions>;
}

export const host = 'www.example.org';

const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const pem = (der: Buffer): string => formatPem(csrLabels[0], der);
const attributes = (...parts: Buffer[]): Buffer => encode(contextConstructed(0), ...parts);
const nameExtension = encodeExtension({
  oid: oid.subjectAltName,
  critical: false,
  value: encodeGeneralNames({ dnsNames: [host] }),
});
const oneName = attributes(forgeRequest([nameExtension]));

const built = (request: Partial<CsrRequest>) => async (): Promise<string> =>
  (await buildCsr({ privateKey, dnsNames: [host], ...request })).pem;

const extended = (dotted: string, ...value: number[]) =>
  built({ extensions: [{ oid: dotted, critical: false, value: Buffer.from(value) }] });

const forged =
  (parts: CsrParts, key: KeyObject = privateKey) =>
  async (): Promise<string> =>
    pem(await forgeCsr(key, { subject: encodeName({}), tail: [oneName], ...parts }));

/** A CSR with a signature that is made of its signed part. */
const signed =
  (parts: CsrParts, make: (octets: Buffer) => Buffer, key: KeyObject = privateKey) =>
  async () => {
    const whole = { subject: encodeName({}), tail: [oneName], ...parts };
    const octets = parseCsr(await forgeCsr(key, whole)).signed;
    return pem(await forgeCsr(key, { ...whole, signature: encodeBitOctets(make(octets)) }));
  };

const algorithm = (dotted: string, ...parameters: Buffer[]): Buffer =>
  encodeSequence(encodeOid(dotted), ...parameters);

const ofPrimes = (primes: () => readonly bigint[], exponent?: bigint) => async (): Promise<string> => {
  const key = rsaKeyOf(primes(), exponent);
  const parts = { spki: key.spki, algorithm: algorithm('1.2.840.113549.1.1.11', encodeNull()) };
  return signed(parts, key.sign)();
};

/** A key of another kind in the place of the one that signs. */
const keyed = (spki: Buffer) => forged({ spki });
const spkiOf = (kind: Buffer, octets: Buffer): Buffer => encodeSequence(kind, encodeBitOctets(octets));

/** Primes for which the exponent 3 has an inverse. */
function primeFor(exponent: bigint): bigint {
  for (;;) {
    const found = prime(1024);
    if ((found - 1n) % exponent !== 0n) return found;
  }
}

/** Two primes that make a modulus of 2048 bits with the factor. */
function primesWith(factor: bigint): bigint[] {
  for (;;) {
    const found = [factor, prime(1019), prime(1020)];
    if (found.reduce((all, one) => all * one, 1n) >> 2047n === 1n) return found;
  }
}

const changedPoint = (): Buffer => {
  const spki = Buffer.from(exportSpki(privateKey));
  spki.writeUInt8((spki.at(-1) ?? 0) ^ 1, spki.length - 1);
  return spki;
};

const named = (type: string, text: string): Buffer =>
  encodeSequence(encodeSetOf(encodeSequence(encodeOid(type), encode(tag.utf8String, Buffer.from(text)))));

const whole = built({});

/** A CSR that is signed with the hash by ECDSA. */
export const signedWith = (hash: string, dotted: string): Promise<string> =>
  signed({ algorithm: algorithm(dotted) }, (octets) => sign(hash, octets, privateKey))();

/** A CSR of another version than 0. */
export const ofVersion = (version: bigint): Promise<string> => forged({ version: encodeInteger(version) })();

const fileSamples: readonly LintSample[] = [
  { code: 'not_pem', text: async () => 'hello', options: { fqdn: host } },
  { code: 'not_pem', text: async () => (await whole()).replaceAll(/-----.*\n/g, '') },
  { code: 'several_blocks', text: async () => (await whole()) + (await whole()) },
  {
    code: 'private_key_present',
    text: async () => `${await whole()}${privateKey.export({ type: 'pkcs8', format: 'pem' })}`,
    options: { fqdn: host },
  },
  {
    code: 'trailing_data',
    text: async () =>
      pem(Buffer.concat([Buffer.from((await whole()).replaceAll(/-.*/g, ''), 'base64'), Buffer.of(5, 0)])),
  },
  { code: 'not_der', text: async () => pem(Buffer.from('nonsense')), options: { fqdn: host } },
  { code: 'version_not_0', text: () => ofVersion(2n) },
];

/** A CSR with a key that is bound to RSASSA-PSS, signed with it. */
async function boundToPss(): Promise<string> {
  const key = generateKeyPairSync('rsa-pss', { modulusLength: 2048 }).privateKey;
  const sha256 = algorithm('2.16.840.1.101.3.4.2.1', encodeNull());
  const parameters = encodeSequence(
    encode(contextConstructed(0), sha256),
    encode(contextConstructed(1), algorithm(oid.mgf1, sha256)),
    encode(contextConstructed(2), encodeInteger(32n)),
  );
  const parts = { spki: exportSpki(key), algorithm: algorithm(oid.rsassaPss, parameters) };
  return signed(parts, (octets) => sign('sha256', octets, { key, saltLength: 32 }))();
}

const keySamples: readonly LintSample[] = [
  {
    code: 'signature_wrong',
    text: forged({ signature: encodeBitOctets(Buffer.from('3006020101020101', 'hex')) }),
  },
  {
    code: 'weak_signature',
    text: () => signedWith('sha1', '1.2.840.10045.4.1'),
  },
  { code: 'weak_signature', text: forged({ algorithm: algorithm('1.2.840.113549.1.1.4', encodeNull()) }) },
  {
    code: 'signature_unusual',
    text: signed({ algorithm: algorithm('1.2.840.10045.4.3.1') }, (octets) =>
      sign('sha224', octets, privateKey),
    ),
  },
  { code: 'key_too_small', text: ofPrimes(() => [prime(512), prime(512)]) },
  { code: 'key_too_large', text: ofPrimes(() => Array.from({ length: 17 }, () => prime(512))) },
  { code: 'key_size_unusual', text: ofPrimes(() => [prime(1040), prime(1040)]) },
  { code: 'small_exponent', text: ofPrimes(() => [primeFor(3n), primeFor(3n)], 3n) },
  { code: 'exponent_unusual', text: ofPrimes(() => [prime(1024), prime(1024)], 65_539n) },
  { code: 'exponent_unusual', text: keyed(rsaKeyOf([prime(1024), prime(1024)], 65_536n).spki) },
  { code: 'modulus_even', text: keyed(rsaKeyOf([2n ** 1023n, prime(1025)]).spki) },
  { code: 'small_prime', text: ofPrimes(() => primesWith(751n)) },
  {
    code: 'close_primes',
    text: ofPrimes(() => {
      const first = prime(1024);
      return [first, primeFrom(first + 2n ** 500n)];
    }),
  },
  { code: 'roca', text: ofPrimes(() => [rocaPrime(1024, 1000n), rocaPrime(1025, 3000n)]) },
  ...['P-521', 'brainpoolP256r1'].map((namedCurve): LintSample => {
    const key = generateKeyPairSync('ec', { namedCurve }).privateKey;
    return { code: 'curve_not_public', text: built({ privateKey: key }) };
  }),
  {
    code: 'curve_not_public',
    text: built({ privateKey: generateKeyPairSync('ed25519').privateKey }),
  },
  { code: 'point_not_on_curve', text: keyed(changedPoint()) },
  {
    code: 'explicit_parameters',
    text: keyed(spkiOf(algorithm(oid.ecPublicKey, encodeSequence(encodeInteger(1n))), Buffer.alloc(65, 4))),
  },
  { code: 'key_kind_unusual', text: keyed(exportSpki(generateKeyPairSync('x25519').publicKey)) },
  { code: 'key_kind_unusual', text: boundToPss },
  { code: 'key_compromised', text: whole, options: { isKeyCompromised: true } },
  {
    code: 'post_quantum_key',
    text: keyed(spkiOf(algorithm('2.16.840.1.101.3.4.3.18'), Buffer.alloc(1952, 7))),
  },
];

const longName = `${'a'.repeat(60)}.example.org`;

const nameSamples: readonly LintSample[] = [
  { code: 'no_subject_alt_name', text: built({ dnsNames: [], subject: { commonName: host } }) },
  {
    code: 'san_empty',
    text: forged({
      subject: encodeName({ commonName: host }),
      tail: [
        attributes(
          forgeRequest([
            encodeExtension({ oid: oid.subjectAltName, critical: false, value: encodeSequence() }),
          ]),
        ),
      ],
    }),
  },
  { code: 'fqdn_not_covered', text: whole, options: { fqdn: 'a.example.org' } },
  { code: 'more_names', text: built({ dnsNames: [host, 'a.example.org'] }), options: { fqdn: host } },
  { code: 'invalid_names', text: built({ dnsNames: [host, 'a..example.org'] }) },
  { code: 'invalid_names', text: built({ dnsNames: ['www.example.org.'] }) },
  { code: 'wildcard_misplaced', text: built({ dnsNames: ['a.*.example.org', host] }) },
  { code: 'not_an_a_label', text: built({ dnsNames: [host, 'xn--a.example.org'] }) },
  { code: 'san_underscore', text: built({ dnsNames: [host, 'a_b.example.org'] }) },
  { code: 'san_reserved', text: built({ dnsNames: [host, 'printer.local'] }) },
  { code: 'san_reserved', text: built({ dnsNames: [host, '1.2.0.192.in-addr.arpa'] }) },
  { code: 'san_single_label', text: built({ dnsNames: [host, 'intern'] }) },
  { code: 'san_private_address', text: built({ ipAddresses: ['10.0.0.1', '1.1.1.1', 'fd00::1'] }) },
  { code: 'san_repeated', text: built({ dnsNames: [host, host] }) },
  { code: 'san_upper_case', text: built({ dnsNames: ['WWW.example.org'] }) },
  {
    code: 'san_other_kind',
    text: built({ emailAddresses: ['a@example.org'], uris: ['https://example.org/'] }),
  },
  {
    code: 'too_many_names',
    text: built({ dnsNames: Array.from({ length: 101 }, (_, index) => `h${index}.example.org`) }),
  },
  {
    code: 'too_many_names',
    text: built({ dnsNames: Array.from({ length: 26 }, (_, index) => `h${index}.example.org`) }),
    options: { maxNames: 25 },
  },
  { code: 'common_name_not_in_sans', text: built({ subject: { commonName: 'Example Ltd' } }) },
  {
    code: 'common_name_too_long',
    text: built({ dnsNames: [longName], subject: { commonName: longName } }),
  },
  {
    code: 'common_name_is_address',
    text: built({ ipAddresses: ['1.1.1.1'], subject: { commonName: '1.1.1.1' } }),
  },
];

const requestSamples: readonly LintSample[] = [
  { code: 'unusual_extensions', text: extended('1.2.3', 5, 0) },
  { code: 'ca_requested', text: extended(oid.basicConstraints, 0x30, 3, 1, 1, 0xff) },
  {
    code: 'extension_repeated',
    text: forged({ tail: [attributes(forgeRequest([nameExtension, nameExtension]))] }),
  },
  {
    code: 'extension_repeated',
    text: forged({ tail: [attributes(forgeRequest([nameExtension]), forgeRequest([nameExtension]))] }),
  },
  {
    code: 'client_auth_requested',
    text: extended(oid.extendedKeyUsage, ...encodeSequence(encodeOid('1.3.6.1.5.5.7.3.2'))),
  },
  { code: 'must_staple', text: extended(oid.tlsFeature, 0x30, 3, 2, 1, 5) },
  {
    code: 'challenge_password',
    text: forged({
      tail: [
        attributes(
          encodeSequence(
            encodeOid('1.2.840.113549.1.9.7'),
            encodeSetOf(encode(tag.utf8String, Buffer.from('secret'))),
          ),
          forgeRequest([nameExtension]),
        ),
      ],
    }),
  },
  { code: 'subject_dropped', text: forged({ subject: named('2.5.4.10', 'Example Ltd') }) },
];

/** At least one text for every code; each is made once. */
export const lintSamples: readonly LintSample[] = [
  ...fileSamples,
  ...keySamples,
  ...nameSamples,
  ...requestSamples,
].map(({ text, ...sample }) => {
  let made: Promise<string> | undefined;
  return {
    ...sample,
    text: () => {
      made ??= text();
      return made;
    },
  };
});

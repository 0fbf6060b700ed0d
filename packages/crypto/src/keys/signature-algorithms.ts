import { type DerElement, tag } from '../der/der.js';
import { decodeOid, decodeSmallInteger, Members } from '../der/der-values.js';
import { oid } from '../der/oids.js';

/** How a signature is checked; `hash` as Node names it. `unsupported` says why it is not. */
export type SignatureScheme =
  | { readonly kind: 'rsa-pkcs1'; readonly hash: string }
  | { readonly kind: 'rsa-pss'; readonly hash: string; readonly saltLength: number }
  | { readonly kind: 'ecdsa'; readonly hash: string }
  | { readonly kind: 'eddsa'; readonly curve: 'Ed25519' | 'Ed448' }
  | { readonly kind: 'unsupported'; readonly reason: string };

/** An AlgorithmIdentifier of a signature; `name` is OpenSSL's long name, or the dotted identifier. */
export interface SignatureAlgorithm {
  readonly oid: string;
  readonly name: string;
  readonly scheme: SignatureScheme;
  /** DER of the whole AlgorithmIdentifier. */
  readonly der: Buffer;
}

type Known = readonly [dotted: string, name: string, scheme: SignatureScheme];

const rsa = (dotted: string, name: string, hash: string): Known => [
  dotted,
  name,
  { kind: 'rsa-pkcs1', hash },
];
const ecdsa = (dotted: string, name: string, hash: string): Known => [dotted, name, { kind: 'ecdsa', hash }];
const refused = (dotted: string, name: string, reason: string): Known => [
  dotted,
  name,
  { kind: 'unsupported', reason },
];

const brokenHash = 'its hash is broken';
const dsaRefused = 'DSA keys are not accepted';

const known: ReadonlyMap<string, Known> = new Map(
  [
    rsa('1.2.840.113549.1.1.5', 'sha1WithRSAEncryption', 'sha1'),
    rsa('1.3.14.3.2.29', 'sha1WithRSA', 'sha1'),
    rsa('1.2.840.113549.1.1.14', 'sha224WithRSAEncryption', 'sha224'),
    rsa('1.2.840.113549.1.1.11', 'sha256WithRSAEncryption', 'sha256'),
    rsa('1.2.840.113549.1.1.12', 'sha384WithRSAEncryption', 'sha384'),
    rsa('1.2.840.113549.1.1.13', 'sha512WithRSAEncryption', 'sha512'),
    rsa('1.2.840.113549.1.1.15', 'sha512-224WithRSAEncryption', 'sha512-224'),
    rsa('1.2.840.113549.1.1.16', 'sha512-256WithRSAEncryption', 'sha512-256'),
    rsa('2.16.840.1.101.3.4.3.13', 'RSA-SHA3-224', 'sha3-224'),
    rsa('2.16.840.1.101.3.4.3.14', 'RSA-SHA3-256', 'sha3-256'),
    rsa('2.16.840.1.101.3.4.3.15', 'RSA-SHA3-384', 'sha3-384'),
    rsa('2.16.840.1.101.3.4.3.16', 'RSA-SHA3-512', 'sha3-512'),
    ecdsa('1.2.840.10045.4.1', 'ecdsa-with-SHA1', 'sha1'),
    ecdsa('1.2.840.10045.4.3.1', 'ecdsa-with-SHA224', 'sha224'),
    ecdsa('1.2.840.10045.4.3.2', 'ecdsa-with-SHA256', 'sha256'),
    ecdsa('1.2.840.10045.4.3.3', 'ecdsa-with-SHA384', 'sha384'),
    ecdsa('1.2.840.10045.4.3.4', 'ecdsa-with-SHA512', 'sha512'),
    ecdsa('2.16.840.1.101.3.4.3.9', 'ecdsa_with_SHA3-224', 'sha3-224'),
    ecdsa('2.16.840.1.101.3.4.3.10', 'ecdsa_with_SHA3-256', 'sha3-256'),
    ecdsa('2.16.840.1.101.3.4.3.11', 'ecdsa_with_SHA3-384', 'sha3-384'),
    ecdsa('2.16.840.1.101.3.4.3.12', 'ecdsa_with_SHA3-512', 'sha3-512'),
    [oid.ed25519, 'ED25519', { kind: 'eddsa', curve: 'Ed25519' }] as const,
    [oid.ed448, 'ED448', { kind: 'eddsa', curve: 'Ed448' }] as const,
    refused('1.2.840.113549.1.1.2', 'md2WithRSAEncryption', brokenHash),
    refused('1.2.840.113549.1.1.3', 'md4WithRSAEncryption', brokenHash),
    refused('1.2.840.113549.1.1.4', 'md5WithRSAEncryption', brokenHash),
    refused('1.3.14.3.2.3', 'md5WithRSA', brokenHash),
    refused('1.2.840.10040.4.3', 'dsaWithSHA1', dsaRefused),
    refused('1.3.14.3.2.27', 'dsaWithSHA', dsaRefused),
    refused('2.16.840.1.101.3.4.3.1', 'dsa_with_SHA224', dsaRefused),
    refused('2.16.840.1.101.3.4.3.2', 'dsa_with_SHA256', dsaRefused),
    refused('1.2.156.10197.1.501', 'SM2-with-SM3', 'SM2 keys are not accepted'),
  ].map((entry) => [entry[0], entry]),
);

// Hashes that RSASSA-PSS may name (RFC 4055 §2.1, RFC 8702 apart from SHAKE).
const hashes: ReadonlyMap<string, string> = new Map([
  ['1.3.14.3.2.26', 'sha1'],
  ['2.16.840.1.101.3.4.2.4', 'sha224'],
  ['2.16.840.1.101.3.4.2.1', 'sha256'],
  ['2.16.840.1.101.3.4.2.2', 'sha384'],
  ['2.16.840.1.101.3.4.2.3', 'sha512'],
  ['2.16.840.1.101.3.4.2.5', 'sha512-224'],
  ['2.16.840.1.101.3.4.2.6', 'sha512-256'],
  ['2.16.840.1.101.3.4.2.7', 'sha3-224'],
  ['2.16.840.1.101.3.4.2.8', 'sha3-256'],
  ['2.16.840.1.101.3.4.2.9', 'sha3-384'],
  ['2.16.840.1.101.3.4.2.10', 'sha3-512'],
]);

/**
 * The signature algorithm that an AlgorithmIdentifier names. Unknown and unaccepted ones come back with the scheme
 * `unsupported`; only a malformed structure throws InvalidInput.
 */
export function parseSignatureAlgorithm(element: DerElement): SignatureAlgorithm {
  const { dotted, parameters } = parseAlgorithm(element, 'the signature algorithm');
  const der = element.raw;
  if (dotted === oid.rsassaPss) {
    return { oid: dotted, name: 'rsassaPss', scheme: parsePssScheme(parameters), der };
  }
  const [, name, scheme] = known.get(dotted) ?? refused(dotted, dotted, 'it is unknown here');
  if (parameters !== undefined && !mayHaveParameters(scheme, parameters)) {
    throw parameters.malformed('the signature algorithm has parameters that it must not have');
  }
  return { oid: dotted, name, scheme, der };
}

/** Members of any AlgorithmIdentifier (RFC 5280 §4.1.1.2). Throws InvalidInput. */
export function parseAlgorithm(element: DerElement, name: string) {
  const members = new Members(element, name);
  const dotted = decodeOid(members.next(name, tag.oid), name);
  const parameters = element.children.length > 1 ? members.next(name) : undefined;
  members.finish();
  return { dotted, parameters };
}

// NULL belongs to RSA; with ECDSA it is wrong (RFC 5758 §3.2), yet harmless in what others made.
function mayHaveParameters(scheme: SignatureScheme, parameters: DerElement): boolean {
  if (scheme.kind === 'unsupported') return true;
  return scheme.kind !== 'eddsa' && parameters.tag === tag.null;
}

/** RSASSA-PSS-params (RFC 4055 §3.1); what is omitted means SHA-1, a salt of 20 octets and trailer 1. */
function parsePssScheme(parameters: DerElement | undefined): SignatureScheme {
  if (parameters === undefined) return unsupported('its parameters are missing');
  const members = new Members(parameters, 'the parameters of RSASSA-PSS');
  const hashElement = members.optionalExplicit(0, 'the hash of RSASSA-PSS');
  const maskElement = members.optionalExplicit(1, 'the mask of RSASSA-PSS');
  const salt = members.optionalExplicit(2, 'the salt length of RSASSA-PSS');
  const trailer = members.optionalExplicit(3, 'the trailer of RSASSA-PSS');
  members.finish();
  const hash = hashElement === undefined ? 'sha1' : hashOf(hashElement);
  const maskHash = maskElement === undefined ? 'sha1' : hashOfMask(maskElement);
  const saltLength = salt === undefined ? 20 : decodeSmallInteger(salt, 'the salt length of RSASSA-PSS');
  if (hash === undefined || maskHash === undefined) return unsupported('its hash or mask is unknown here');
  if (hash !== maskHash) return unsupported('its hash and the hash of its mask differ');
  if (trailer !== undefined && decodeSmallInteger(trailer, 'the trailer of RSASSA-PSS') !== 1) {
    return unsupported('its trailer is unknown here');
  }
  return { kind: 'rsa-pss', hash, saltLength };
}

const unsupported = (reason: string): SignatureScheme => ({ kind: 'unsupported', reason });

function hashOf(element: DerElement): string | undefined {
  const { dotted, parameters } = parseAlgorithm(element, 'a hash');
  return parameters === undefined || parameters.tag === tag.null ? hashes.get(dotted) : undefined;
}

function hashOfMask(element: DerElement): string | undefined {
  const { dotted, parameters } = parseAlgorithm(element, 'the mask of RSASSA-PSS');
  return dotted === oid.mgf1 && parameters !== undefined ? hashOf(parameters) : undefined;
}

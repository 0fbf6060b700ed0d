import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { bitString, integer, nil, octetString, oid, sequence, set, tlv, utf8, yes } from './der.js';

export interface KeyPair {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

export const p256 = (): KeyPair => generateKeyPairSync('ec', { namedCurve: 'P-256' });
export const rsa = (modulusLength = 2048): KeyPair => generateKeyPairSync('rsa', { modulusLength });

/** Name of one RDN each for the pairs of attribute type and text. */
export function nameOf(...attributes: readonly (readonly [string, string])[]): Buffer {
  return sequence(...attributes.map(([type, text]) => set(sequence(oid(type), utf8(text)))));
}

export const commonName = '2.5.4.3';
export const emptyName = sequence();

export const dns = (host: string) => tlv(0x82, Buffer.from(host, 'latin1'));
export const ip = (...octets: readonly number[]) => tlv(0x87, Buffer.from(octets));
export const email = (address: string) => tlv(0x81, Buffer.from(address, 'latin1'));
export const uri = (address: string) => tlv(0x86, Buffer.from(address, 'latin1'));

/** Extension (RFC 5280 §4.1.2.9) with the given content of its octet string. */
export function extension(type: string, content: Uint8Array, critical?: 'critical'): Buffer {
  return sequence(oid(type), ...(critical === undefined ? [] : [yes]), octetString(content));
}

export const subjectAltName = (...names: readonly Uint8Array[]) => extension('2.5.29.17', sequence(...names));

/** Attribute extensionRequest (RFC 2985 §5.4.2). */
export const extensionRequest = (...extensions: readonly Uint8Array[]) =>
  sequence(oid('1.2.840.113549.1.9.14'), set(sequence(...extensions)));

export interface CsrParts {
  readonly keys?: KeyPair;
  readonly subject?: Uint8Array;
  readonly attributes?: readonly Uint8Array[];
  readonly version?: number;
  readonly hash?: string;
  readonly signatureAlgorithm?: Uint8Array;
  readonly spki?: Uint8Array;
  readonly signature?: Uint8Array;
}

export const algorithms = {
  ecdsaSha256: sequence(oid('1.2.840.10045.4.3.2')),
  ecdsaSha384: sequence(oid('1.2.840.10045.4.3.3')),
  ecdsaSha1: sequence(oid('1.2.840.10045.4.1')),
  rsaSha256: sequence(oid('1.2.840.113549.1.1.11'), nil),
  rsaSha1: sequence(oid('1.2.840.113549.1.1.5'), nil),
  rsaMd5: sequence(oid('1.2.840.113549.1.1.4'), nil),
  ed25519: sequence(oid('1.3.101.112')),
} as const;

/** DER of a certification request (RFC 2986), signed by its own key; any part may be replaced. */
export function csrDer(parts: CsrParts = {}): Buffer {
  const { publicKey, privateKey } = parts.keys ?? p256();
  const isRsa = publicKey.asymmetricKeyType === 'rsa';
  const attributes = parts.attributes ?? [extensionRequest(subjectAltName(dns('www.example.test')))];
  const toBeSigned = sequence(
    integer(parts.version ?? 0),
    parts.subject ?? nameOf([commonName, 'www.example.test']),
    parts.spki ?? publicKey.export({ type: 'spki', format: 'der' }),
    tlv(0xa0, ...attributes),
  );
  const algorithm = parts.signatureAlgorithm ?? (isRsa ? algorithms.rsaSha256 : algorithms.ecdsaSha256);
  const hash = publicKey.asymmetricKeyType === 'ed25519' ? null : (parts.hash ?? 'sha256');
  return sequence(toBeSigned, algorithm, bitString(parts.signature ?? sign(hash, toBeSigned, privateKey)));
}

/** PEM block (RFC 7468) that ends with a line break. */
export function pemOf(der: Uint8Array, label = 'CERTIFICATE REQUEST'): string {
  const lines =
    Buffer.from(der)
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`;
}

export const base64 = (text: string | Uint8Array) => Buffer.from(text).toString('base64');

/** Member `csr` of a request to sign. */
export const csrField = (parts?: CsrParts) => base64(pemOf(csrDer(parts)));

import { createHash } from 'node:crypto';
import { contextConstructed, contextPrimitive, type DerElement, parseDer, tag } from '../der/der.js';
import { decodeBitOctets, decodeInteger, expectTag, Members } from '../der/der-values.js';
import { keyUsageBit, oid } from '../der/oids.js';
import { decodeTime } from '../der/times.js';
import { type PublicKey, parsePublicKey } from '../keys/public-keys.js';
import { parseSignatureAlgorithm, type SignatureAlgorithm } from '../keys/signature-algorithms.js';
import type { SignedOctets } from '../keys/signatures.js';
import { type GeneralNames, noGeneralNames, parseGeneralNames } from '../names/general-names.js';
import { type DistinguishedName, parseName } from '../names/names.js';
import {
  type BasicConstraints,
  type Extension,
  findExtension,
  parseBasicConstraints,
  parseExtensions,
  parseKeyUsage,
} from './extensions.js';

/** A certificate (RFC 5280 §4.1) taken apart; every Buffer is a slice of the octets given. */
export interface Certificate extends SignedOctets {
  readonly der: Buffer;
  /** The signed part, TBSCertificate. */
  readonly signed: Buffer;
  /** 1, 2 or 3. */
  readonly version: number;
  /** Lower-case hex without a sign octet; "-" in front of a negative one. */
  readonly serialNumber: string;
  readonly issuerDer: Buffer;
  readonly issuer: DistinguishedName;
  readonly subjectDer: Buffer;
  readonly subject: DistinguishedName;
  readonly notBefore: Date;
  readonly notAfter: Date;
  readonly spkiDer: Buffer;
  readonly publicKey: PublicKey;
  readonly extensions: readonly Extension[];
  readonly subjectAltNameDer: Buffer | undefined;
  readonly subjectAltNames: GeneralNames;
  readonly subjectKeyIdentifier: Buffer | undefined;
  readonly authorityKeyIdentifier: Buffer | undefined;
  readonly isCa: boolean;
  /** Certificate authorities that may stand between this one and a leaf; undefined for no bound. */
  readonly pathLength: number | undefined;
  /** False when a keyUsage is present and omits keyCertSign. */
  readonly maySignCertificates: boolean;
  readonly signatureAlgorithm: SignatureAlgorithm;
  readonly signature: Buffer;
}

const what = 'certificate';

/** The certificate that the octets are, its signature unchecked. Throws InvalidInput for anything malformed. */
export function parseCertificate(der: Buffer): Certificate {
  const members = new Members(parseDer(der, what), 'the certificate');
  const signed = members.next('the signed part', tag.sequence);
  const algorithm = members.next('the signature algorithm', tag.sequence);
  const signature = decodeBitOctets(members.next('the signature'), 'the signature');
  members.finish();
  const part = parseSignedPart(signed);
  // RFC 5280 §4.1.1.2: what was signed and what is claimed outside of it must be the same.
  if (!part.algorithm.raw.equals(algorithm.raw))
    throw algorithm.malformed('its two fields of the signature algorithm differ');
  return {
    der,
    signed: signed.raw,
    version: part.version,
    serialNumber: part.serialNumber,
    issuerDer: part.issuer.raw,
    issuer: parseName(part.issuer),
    subjectDer: part.subject.raw,
    subject: parseName(part.subject),
    ...part.validity,
    spkiDer: part.publicKey.spkiDer,
    publicKey: part.publicKey,
    extensions: part.extensions,
    ...readExtensions(part.extensions),
    signatureAlgorithm: parseSignatureAlgorithm(algorithm),
    signature,
  };
}

/** SHA-256 over the DER, lower-case hex. */
export const fingerprint = (der: Uint8Array): string => createHash('sha256').update(der).digest('hex');

/** Whether the instant lies within the validity, both bounds included. */
export function isWithinValidity({ notBefore, notAfter }: Certificate, now: Date): boolean {
  // notAfter counts to the end of its second.
  return now >= notBefore && now.getTime() < notAfter.getTime() + 1000;
}

function parseSignedPart(element: DerElement) {
  const members = new Members(element, 'the signed part');
  const version = parseVersion(members.optionalExplicit(0, 'the version'));
  const serialNumber = formatSerial(members.next('the serial number', tag.integer));
  const algorithm = members.next('the inner signature algorithm', tag.sequence);
  const issuer = members.next('the issuer', tag.sequence);
  const validity = parseValidity(members.next('the validity'));
  const subject = members.next('the subject', tag.sequence);
  const publicKey = parsePublicKey(members.next('the public key'));
  members.optional(contextPrimitive(1));
  members.optional(contextPrimitive(2));
  const list = members.optionalExplicit(3, 'the list of extensions');
  members.finish();
  const extensions = list === undefined ? [] : parseExtensions(list);
  return { version, serialNumber, algorithm, issuer, validity, subject, publicKey, extensions };
}

function parseVersion(element: DerElement | undefined): number {
  if (element === undefined) return 1;
  const version = decodeInteger(element, 'the version');
  if (version < 0n || version > 2n) throw element.malformed('its version is unknown');
  return Number(version) + 1;
}

function parseValidity(element: DerElement): { notBefore: Date; notAfter: Date } {
  const members = new Members(element, 'the validity');
  const notBefore = decodeTime(members.next('notBefore'), 'notBefore');
  const notAfter = decodeTime(members.next('notAfter'), 'notAfter');
  members.finish();
  return { notBefore, notAfter };
}

function formatSerial(element: DerElement): string {
  const { content } = element;
  if (((content[0] ?? 0) & 0x80) === 0) {
    return (content[0] === 0 && content.length > 1 ? content.subarray(1) : content).toString('hex');
  }
  const magnitude = (-decodeInteger(element, 'the serial number')).toString(16);
  return `-${magnitude.padStart(magnitude.length + (magnitude.length % 2), '0')}`;
}

function readExtensions(extensions: readonly Extension[]) {
  const valueFor = (dotted: string): Buffer | undefined => findExtension(extensions, dotted)?.value;
  const subjectAltNameDer = valueFor(oid.subjectAltName);
  const usages = valueFor(oid.keyUsage);
  return {
    subjectAltNameDer,
    subjectAltNames: subjectAltNameDer === undefined ? noGeneralNames : parseGeneralNames(subjectAltNameDer),
    subjectKeyIdentifier: parseSubjectKeyIdentifier(valueFor(oid.subjectKeyIdentifier)),
    authorityKeyIdentifier: parseAuthorityKeyIdentifier(valueFor(oid.authorityKeyIdentifier)),
    ...constraintsOf(valueFor(oid.basicConstraints)),
    maySignCertificates: usages === undefined || parseKeyUsage(usages).includes(keyUsageBit.keyCertSign),
  };
}

function constraintsOf(value: Buffer | undefined): BasicConstraints {
  return value === undefined ? { isCa: false, pathLength: undefined } : parseBasicConstraints(value);
}

function parseSubjectKeyIdentifier(value: Buffer | undefined): Buffer | undefined {
  if (value === undefined) return undefined;
  const name = 'the subject key identifier';
  return expectTag(parseDer(value, name), tag.octetString, name).content;
}

/** The keyIdentifier of an AuthorityKeyIdentifier (RFC 5280 §4.2.1.1); issuer and serial in it are not read. */
function parseAuthorityKeyIdentifier(value: Buffer | undefined): Buffer | undefined {
  if (value === undefined) return undefined;
  const name = 'the authority key identifier';
  const members = new Members(parseDer(value, name), name);
  const identifier = members.optional(contextPrimitive(0));
  members.optional(contextConstructed(1));
  members.optional(contextPrimitive(2));
  members.finish();
  return identifier?.content;
}

import { createHash } from 'node:crypto';
import { InvalidInput } from '@certloop/contracts';
import { contextConstructed, parseDer, tag } from '../der/der.js';
import {
  encode,
  encodeBitOctets,
  encodeBoolean,
  encodeInteger,
  encodeNamedBits,
  encodeOctetString,
  encodeOid,
  encodeSequence,
} from '../der/der-writer.js';
import { keyPurposes, keyUsageBit, oid } from '../der/oids.js';
import { encodeTime } from '../der/times.js';
import { type PublicKey, parsePublicKey } from '../keys/public-keys.js';
import { encodeGeneralNames, type GeneralNamesInput } from '../names/general-names.js';
import { type Extension, encodeExtension } from './extensions.js';
import type { Issuer } from './issuer.js';

/** What to put into a certificate beside what the profile puts into every one. */
export interface IssueRequest {
  /** 1 up to 2^159 - 1, which is what 20 octets hold (RFC 5280 §4.1.2.2). */
  readonly serialNumber: bigint;
  /** DER of the Name, taken over as it is. */
  readonly subjectDer: Buffer;
  /** DER of the SubjectPublicKeyInfo, taken over as it is. */
  readonly spkiDer: Buffer;
  /** The same taken apart, where that was done before. */
  readonly publicKey?: PublicKey;
  readonly notBefore: Date;
  readonly notAfter: Date;
  /** Octets of the subjectAltName value, taken over as they are; wins over `subjectAltNames`. */
  readonly subjectAltNameDer?: Buffer | undefined;
  readonly subjectAltNames?: GeneralNamesInput | undefined;
  /** Names as in RFC 5280 (`serverAuth`) or dotted identifiers; server and client authentication by default. */
  readonly extendedKeyUsage?: readonly string[];
  /** What the profile of a leaf usually has and this one lacks; keyEncipherment is set for RSA alone. */
  readonly without?: readonly ('subjectKeyIdentifier' | 'keyEncipherment')[];
  /** Makes the certificate one of an authority, with no extended key usage. */
  readonly authority?: { readonly pathLength?: number };
  /** Further extensions, such as where the revocation list is found; none that the profile has itself. */
  readonly extensions?: readonly Extension[];
}

/**
 * DER of a certificate of version 3 by the profile of RFC 5280: key identifiers, critical keyUsage and
 * basicConstraints, subjectAltName critical if and only if the subject is empty. Throws InvalidInput for a serial
 * number out of range, a validity that is none or leaves the issuer's, and extensions given twice.
 */
export async function issueCertificate(issuer: Issuer, request: IssueRequest): Promise<Buffer> {
  refuseInvalidRequest(issuer, request);
  const signed = encodeSequence(
    versionThree,
    encodeInteger(request.serialNumber),
    issuer.algorithmDer,
    issuer.nameDer,
    encodeSequence(encodeTime(request.notBefore), encodeTime(request.notAfter)),
    request.subjectDer,
    request.spkiDer,
    encode(contextConstructed(3), encodeSequence(...encodeProfile(issuer, request))),
  );
  return encodeSequence(signed, issuer.algorithmDer, encodeBitOctets(await issuer.sign(signed)));
}

const versionThree = encode(contextConstructed(0), encodeInteger(2n));
const maxSerialNumber = 2n ** 159n - 1n;
const profileOids: readonly string[] = [
  oid.basicConstraints,
  oid.keyUsage,
  oid.extendedKeyUsage,
  oid.subjectKeyIdentifier,
  oid.authorityKeyIdentifier,
  oid.subjectAltName,
];

const encodeCritical = (dotted: string, value: Buffer): Buffer =>
  encodeExtension({ oid: dotted, critical: true, value });

// cA FALSE is the default and so is left out: an empty SEQUENCE (X.690 §11.5).
const leafConstraints = encodeCritical(oid.basicConstraints, encodeSequence());
const { digitalSignature, keyEncipherment, keyCertSign, cRLSign } = keyUsageBit;
const leafUsage = encodeCritical(oid.keyUsage, encodeNamedBits([digitalSignature]));
// Only RSA keys can encrypt a key, for the TLS versions that still do so.
const rsaLeafUsage = encodeCritical(oid.keyUsage, encodeNamedBits([digitalSignature, keyEncipherment]));
const authorityUsage = encodeCritical(oid.keyUsage, encodeNamedBits([keyCertSign, cRLSign]));

function encodeProfile(issuer: Issuer, request: IssueRequest): Buffer[] {
  const subjectAltName = request.subjectAltNameDer ?? encodeNames(request.subjectAltNames);
  const publicKey = request.publicKey ?? parsePublicKey(parseDer(request.spkiDer, 'public key'));
  return [
    ...(request.authority === undefined
      ? encodeLeafUse(request, publicKey)
      : encodeAuthorityUse(request.authority)),
    ...(lacks(request, 'subjectKeyIdentifier') ? [] : [encodeKeyIdentifier(publicKey)]),
    issuer.authorityKeyIdentifierDer,
    ...(subjectAltName === undefined ? [] : [encodeSubjectAltName(subjectAltName, request.subjectDer)]),
    ...(request.extensions ?? []).map(encodeExtension),
  ];
}

const lacks = ({ without = [] }: IssueRequest, part: (typeof without)[number]): boolean =>
  without.includes(part);

function encodeKeyIdentifier({ keyOctets }: PublicKey): Buffer {
  // RFC 5280 §4.2.1.2, method 1
  const value = encodeOctetString(createHash('sha1').update(keyOctets).digest());
  return encodeExtension({ oid: oid.subjectKeyIdentifier, critical: false, value });
}

function encodeLeafUse(request: IssueRequest, { kind }: PublicKey): Buffer[] {
  const { extendedKeyUsage } = request;
  return [
    leafConstraints,
    kind === 'RSA' && !lacks(request, 'keyEncipherment') ? rsaLeafUsage : leafUsage,
    ...(extendedKeyUsage === undefined ? usualPurposes : encodePurposes(extendedKeyUsage)),
  ];
}

function encodePurposes(purposes: readonly string[]): Buffer[] {
  if (purposes.length === 0) return [];
  const value = encodeSequence(...purposes.map(encodePurpose));
  return [encodeExtension({ oid: oid.extendedKeyUsage, critical: false, value })];
}

function encodeAuthorityUse({ pathLength }: { readonly pathLength?: number }): Buffer[] {
  const bound = pathLength === undefined ? [] : [encodeInteger(BigInt(pathLength))];
  return [
    encodeCritical(oid.basicConstraints, encodeSequence(encodeBoolean(true), ...bound)),
    authorityUsage,
  ];
}

function encodeSubjectAltName(value: Buffer, subjectDer: Buffer): Buffer {
  return encodeExtension({ oid: oid.subjectAltName, critical: isEmptyName(subjectDer), value });
}

const encodeNames = (names: GeneralNamesInput | undefined): Buffer | undefined =>
  names === undefined ? undefined : encodeGeneralNames(names);

const purposeOids = new Map([...keyPurposes].map(([dotted, { name }]) => [name, dotted]));

const encodePurpose = (purpose: string): Buffer => encodeOid(purposeOids.get(purpose) ?? purpose);

const usualPurposes = encodePurposes(['serverAuth', 'clientAuth']);

const isEmptyName = (der: Buffer): boolean => der[0] === tag.sequence && der[1] === 0;

function refuseInvalidRequest({ certificate }: Issuer, request: IssueRequest): void {
  const { serialNumber, notBefore, notAfter, extensions = [] } = request;
  if (serialNumber < 1n || serialNumber > maxSerialNumber) {
    throw new InvalidInput('The serial number is not within 1 and 2^159 - 1', { code: 'invalid_serial' });
  }
  if (!(notBefore <= notAfter)) {
    throw new InvalidInput('The certificate would end before it begins', { code: 'invalid_validity' });
  }
  if (notBefore < certificate.notBefore || notAfter > certificate.notAfter) {
    const reason = 'The certificate would be valid when its issuer is not';
    throw new InvalidInput(reason, { code: 'validity_outside_issuer' });
  }
  const added = new Set(extensions.map((extension) => extension.oid));
  if (added.size < extensions.length || profileOids.some((each) => added.has(each))) {
    throw new InvalidInput('An extension is given twice', { code: 'duplicate_extension' });
  }
}

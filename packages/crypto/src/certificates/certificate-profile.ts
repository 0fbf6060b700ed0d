import { createHash } from 'node:crypto';
import { parseDer } from '../der/der.js';
import {
  encodeBoolean,
  encodeInteger,
  encodeNamedBits,
  encodeOctetString,
  encodeOid,
  encodeSequence,
} from '../der/der-writer.js';
import { keyPurposes, keyUsageBit, oid } from '../der/oids.js';
import { type PublicKey, parsePublicKey } from '../keys/public-keys.js';
import { encodeGeneralNames, type GeneralNamesInput } from '../names/general-names.js';
import { parseName } from '../names/names.js';
import { type Extension, encodeExtension } from './extensions.js';
import type { Issuer } from './issuer.js';

/** Content of a certificate in addition to what the profile puts into every one. */
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
  /** Extensions that the profile of a leaf usually has and this one lacks; keyEncipherment is set for RSA alone. */
  readonly without?: readonly ('subjectKeyIdentifier' | 'keyEncipherment')[];
  /** Makes the certificate one of an authority, with no extended key usage. */
  readonly authority?: { readonly pathLength?: number };
  /** Further extensions, such as where the revocation list is found; none that the profile has itself. */
  readonly extensions?: readonly Extension[];
}

export const profileOids: readonly string[] = [
  oid.basicConstraints,
  oid.keyUsage,
  oid.extendedKeyUsage,
  oid.subjectKeyIdentifier,
  oid.authorityKeyIdentifier,
  oid.subjectAltName,
];

const encodeCritical = (dotted: string, value: Buffer): Buffer =>
  encodeExtension({ oid: dotted, critical: true, value });

// cA FALSE is the default and so is omitted: an empty SEQUENCE (X.690 §11.5).
const leafConstraints = encodeCritical(oid.basicConstraints, encodeSequence());

const { digitalSignature, keyEncipherment, keyCertSign, cRLSign } = keyUsageBit;
const leafUsage = encodeCritical(oid.keyUsage, encodeNamedBits([digitalSignature]));

// Only RSA keys can encrypt a key, for the TLS versions that still do so.
const rsaLeafUsage = encodeCritical(oid.keyUsage, encodeNamedBits([digitalSignature, keyEncipherment]));

const authorityUsage = encodeCritical(oid.keyUsage, encodeNamedBits([keyCertSign, cRLSign]));

export function encodeProfile(issuer: Issuer, request: IssueRequest): Buffer[] {
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

const isEmptyName = (der: Buffer): boolean => parseName(parseDer(der, 'name')).length === 0;

import { InvalidInput } from '@certloop/contracts';
import { type Extension, findExtension, parseExtensions } from '../certificates/extensions.js';
import { contextConstructed, type DerElement, parseDer, tag } from '../der/der.js';
import { decodeBitOctets, decodeInteger, decodeOid, Members } from '../der/der-values.js';
import { encodeNull, encodeOid, encodeSequence } from '../der/der-writer.js';
import { oid } from '../der/oids.js';
import type { KeyCache } from '../keys/key-cache.js';
import { type PublicKey, parsePublicKey } from '../keys/public-keys.js';
import { parseSignatureAlgorithm, type SignatureAlgorithm } from '../keys/signature-algorithms.js';
import { type SignedOctets, type Verification, verifySignature } from '../keys/signatures.js';
import { type GeneralNames, noGeneralNames, parseGeneralNames } from '../names/general-names.js';
import { type DistinguishedName, parseName, requireLoadableName } from '../names/names.js';

/** One attribute of a request: its type and the DER of each value. */
export interface CsrAttribute {
  readonly type: string;
  readonly values: readonly Buffer[];
}

/** A certification request (RFC 2986) taken apart; every Buffer but `spkiDer` is a slice of the octets given. */
export interface Csr extends SignedOctets {
  readonly der: Buffer;
  /** The signed part, CertificationRequestInfo. */
  readonly signed: Buffer;
  /** As encoded: 0, the version of RFC 2986, or 1 or 2, which some clients write. */
  readonly version: number;
  readonly subjectDer: Buffer;
  readonly subject: DistinguishedName;
  /** The key in the form of RFC 3279 §2.3.1: with NULL as the parameters of RSA, where the CSR leaves them out. */
  readonly spkiDer: Buffer;
  readonly publicKey: PublicKey;
  readonly attributes: readonly CsrAttribute[];
  /** Requested extensions in their order. */
  readonly extensions: readonly Extension[];
  /** Octets of the requested subjectAltName value, undefined when none is requested. */
  readonly subjectAltNameDer: Buffer | undefined;
  readonly subjectAltNames: GeneralNames;
  readonly signatureAlgorithm: SignatureAlgorithm;
  readonly signature: Buffer;
}

const what = 'CSR';

/**
 * The request that the octets are. Structure only: the signature is not checked, see verifyCsr.
 * Throws InvalidInput: `malformed_der` for octets that are not a well-formed request (also a subjectAltName or a subject
 * that cannot be read), `duplicate_extension`, `duplicate_attribute` when extensions are requested twice.
 * More than RFC 2986 allows is accepted where clients in use write it: the versions 1 and 2, no attributes element at
 * all, and a request for extensions without a value.
 */
export function parseCsr(der: Buffer): Csr {
  const members = new Members(parseDer(der, what), 'the request');
  const signed = members.next('the signed part', tag.sequence);
  const signatureAlgorithm = parseSignatureAlgorithm(members.next('the signature algorithm'));
  const signature = decodeBitOctets(members.next('the signature'), 'the signature');
  members.finish();
  const { version, subject, publicKey, spkiDer, attributes } = parseSignedPart(signed);
  const extensions = requestedExtensions(attributes);
  const name = parseName(subject);
  requireLoadableName(name, subject);
  const subjectAltName = findExtension(extensions, oid.subjectAltName);
  return {
    der,
    signed: signed.raw,
    version,
    subjectDer: subject.raw,
    subject: name,
    spkiDer,
    publicKey,
    attributes: attributes.map(({ type, values }) => ({ type, values: values.map((value) => value.raw) })),
    extensions,
    subjectAltNameDer: subjectAltName?.value,
    subjectAltNames:
      subjectAltName === undefined
        ? noGeneralNames
        : parseGeneralNames(subjectAltName.value, `${what} subjectAltName`),
    signatureAlgorithm,
    signature,
  };
}

/** Whether the request is signed by the key it asks a certificate for, or why not. Never throws. */
export function verifyCsr(csr: Csr, cache?: KeyCache): Promise<Verification> {
  return verifySignature(csr, csr.publicKey, cache);
}

interface ParsedAttribute {
  readonly type: string;
  readonly element: DerElement;
  readonly values: readonly DerElement[];
}

function parseSignedPart(element: DerElement) {
  const members = new Members(element, 'the signed part');
  const version = parseVersion(members.next('the version', tag.integer));
  const subject = members.next('the subject', tag.sequence);
  const key = members.next('the public key');
  const publicKey = parsePublicKey(key);
  const spkiDer = publicKey.kind === 'RSA' ? encodeRsaSpki(key) : publicKey.spkiDer;
  const attributes = members.optional(contextConstructed(0))?.children.map(parseAttribute) ?? [];
  members.finish();
  return { version, subject, publicKey, spkiDer, attributes };
}

// Go and others refuse certificates whose RSA key has other parameters than NULL, or none.
function encodeRsaSpki({ children: [algorithm, bits], raw }: DerElement): Buffer {
  const [, parameters] = algorithm?.children ?? [];
  if (parameters !== undefined && parameters.tag !== tag.null) {
    throw parameters.malformed('the parameters of its RSA key are not NULL');
  }
  if (parameters !== undefined || bits === undefined) return raw;
  return encodeSequence(encodeSequence(encodeOid(oid.rsaEncryption), encodeNull()), bits.raw);
}

// Certbot before 1.29 and ruby-acme-client write 2, others 1; OpenSSL, GnuTLS and public CAs accept both.
const maxVersion = 2n;

function parseVersion(element: DerElement): number {
  const version = decodeInteger(element, 'the version');
  if (version < 0n || version > maxVersion) throw element.malformed('its version is not 0, 1 or 2');
  return Number(version);
}

function parseAttribute(element: DerElement): ParsedAttribute {
  const members = new Members(element, 'an attribute');
  const type = decodeOid(members.next('the type of an attribute'), 'the type of an attribute');
  const { children } = members.next('the values of an attribute', tag.set);
  members.finish();
  return { type, element, values: children };
}

// Windows 2000 and XP ask for extensions under an identifier of their own, with the same syntax.
const requestTypes: readonly string[] = [oid.extensionRequest, oid.microsoftExtensionRequest];

/** RFC 2985 §5.4.2: one attribute with one value; two of them would leave open which one counts. */
function requestedExtensions(attributes: readonly ParsedAttribute[]): Extension[] {
  const [request, second] = attributes.filter((attribute) => requestTypes.includes(attribute.type));
  if (request === undefined) return [];
  if (second !== undefined) {
    throw new InvalidInput(`${what} requests extensions in two attributes`, { code: 'duplicate_attribute' });
  }
  const [list, ...rest] = request.values;
  if (rest.length > 0) throw request.element.malformed('the request for extensions has more than one value');
  return list === undefined ? [] : parseExtensions(list);
}

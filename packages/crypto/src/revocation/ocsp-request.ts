import { InvalidInput } from '@certloop/contracts';
import { type Extension, findExtension, parseExtensions } from '../certificates/extensions.js';
import { contextConstructed, type DerElement, parseDer, tag } from '../der/der.js';
import { decodeInteger, decodeOid, expectTag, Members } from '../der/der-values.js';
import { oid } from '../der/oids.js';

/** Which certificate is asked about (RFC 6960 §4.1.1); hashes and serial number in lower-case hex. */
export interface OcspCertId {
  /** The CertID itself, to be repeated in the answer. */
  readonly der: Buffer;
  /** Name of the hash for Node, or the dotted identifier of one that is unknown here. */
  readonly hash: string;
  readonly issuerNameHash: string;
  readonly issuerKeyHash: string;
  /** Without a sign octet; "-" in front of a negative one. */
  readonly serialNumber: string;
}

export interface OcspRequest {
  readonly certIds: readonly OcspCertId[];
  /** Octets of the nonce, 1 to 128; undefined without one. */
  readonly nonce: Buffer | undefined;
}

/** Hashes by which issuers are named (RFC 6960 §4.3 asks for SHA-1). */
export const ocspHashes: ReadonlyMap<string, string> = new Map([
  ['1.3.14.3.2.26', 'sha1'],
  ['2.16.840.1.101.3.4.2.1', 'sha256'],
  ['2.16.840.1.101.3.4.2.2', 'sha384'],
  ['2.16.840.1.101.3.4.2.3', 'sha512'],
]);

const what = 'OCSP request';
// RFC 9654 §2.1: a nonce without octets or with more than these is a malformed request.
const maxNonceOctets = 128;

/**
 * The request that the octets are (RFC 6960 §4.1.1); a signature of its own is not looked at. Throws InvalidInput for
 * whatever is malformed, asks about nothing, or has a critical extension that is unknown here.
 */
export function parseOcspRequest(der: Buffer): OcspRequest {
  const members = new Members(parseDer(der, what), 'the request');
  const asked = new Members(members.next('what is asked', tag.sequence), 'what is asked');
  const signature = members.optional(contextConstructed(0));
  members.finish();
  if (signature !== undefined) parseSignature(signature);
  const version = asked.optionalExplicit(0, 'the version');
  if (version !== undefined && decodeInteger(version, 'the version') !== 0n) {
    throw version.malformed('its version is not 1');
  }
  // Who asks makes no difference.
  asked.optional(contextConstructed(1));
  const list = asked.next('the list of certificates', tag.sequence);
  const extensions = knownExtensions(asked.optionalExplicit(2, 'the list of extensions'));
  asked.finish();
  if (list.children.length === 0) throw list.malformed('it names no certificate');
  return { certIds: list.children.map(parseSingle), nonce: nonceOf(extensions) };
}

function parseSignature(element: DerElement): void {
  const [inner, ...rest] = element.children;
  if (inner === undefined || rest.length > 0)
    throw element.malformed('its signature is not a single element');
  expectTag(inner, tag.sequence, 'the signature');
}

function parseSingle(element: DerElement): OcspCertId {
  const members = new Members(element, 'a certificate that is asked about');
  const id = parseCertId(members.next('the identifier of a certificate'));
  knownExtensions(members.optionalExplicit(0, 'the list of extensions'));
  members.finish();
  return id;
}

function parseCertId(element: DerElement): OcspCertId {
  const members = new Members(element, 'the identifier of a certificate');
  const algorithm = new Members(members.next('the hash', tag.sequence), 'the hash');
  const dotted = decodeOid(algorithm.next('the hash'), 'the hash');
  algorithm.optional(tag.null);
  algorithm.finish();
  const name = members.next('the hash of the name', tag.octetString).content;
  const key = members.next('the hash of the key', tag.octetString).content;
  const serialNumber = decodeInteger(members.next('the serial number'), 'the serial number');
  members.finish();
  return {
    der: element.raw,
    hash: ocspHashes.get(dotted) ?? dotted,
    issuerNameHash: name.toString('hex'),
    issuerKeyHash: key.toString('hex'),
    serialNumber: hexOf(serialNumber),
  };
}

function hexOf(value: bigint): string {
  const digits = (value < 0n ? -value : value).toString(16);
  return `${value < 0n ? '-' : ''}${digits.padStart(digits.length + (digits.length % 2), '0')}`;
}

/** RFC 6960 §4.4: what is not understood is passed over unless it is critical. */
function knownExtensions(list: DerElement | undefined): Extension[] {
  if (list === undefined) return [];
  const extensions = parseExtensions(list);
  const unknown = extensions.find(({ critical, oid: dotted }) => critical && dotted !== oid.ocspNonce);
  if (unknown === undefined) return extensions;
  throw new InvalidInput(`${what} has the critical extension ${unknown.oid}, which is unknown here`, {
    code: 'unknown_extension',
  });
}

function nonceOf(extensions: readonly Extension[]): Buffer | undefined {
  const extension = findExtension(extensions, oid.ocspNonce);
  if (extension === undefined) return undefined;
  const element = expectTag(parseDer(extension.value, what), tag.octetString, 'the nonce');
  const { length } = element.content;
  if (length === 0 || length > maxNonceOctets) throw element.malformed('its nonce has a wrong length');
  return element.content;
}

import { InvalidInput } from '@certloop/contracts';
import { parseCertificate } from '../certificates/certificate.js';
import { findExtension, parseExtensions } from '../certificates/extensions.js';
import { contextConstructed, contextPrimitive, type DerElement, parseDer, tag } from '../der/der.js';
import { decodeBitOctets, decodeInteger, expectTag, Members } from '../der/der-values.js';
import { oid } from '../der/oids.js';
import { decodeTime } from '../der/times.js';
import { parseSignatureAlgorithm } from '../keys/signature-algorithms.js';
import { verifySignatureSync } from '../keys/signatures.js';
import { faultIf } from './lint-extensions.js';

const what = 'revocation list';

/**
 * Departures of a revocation list from DER and the profile of RFC 5280 §5, one sentence each; empty for a clean one of
 * the issuer. Never throws: what cannot be read at all is one sentence.
 */
export function lintRevocationList(der: Buffer, issuerDer: Buffer): string[] {
  try {
    const members = new Members(parseDer(der, what), what);
    const signed = members.next('the signed part', tag.sequence);
    const algorithm = members.next('the signature algorithm', tag.sequence);
    const signature = decodeBitOctets(members.next('the signature'), 'the signature');
    members.finish();
    const issuer = parseCertificate(issuerDer);
    const octets = { signed: signed.raw, signatureAlgorithm: parseSignatureAlgorithm(algorithm), signature };
    const verification = verifySignatureSync(octets, issuer.publicKey);
    return [
      ...lintSignedPart(signed, algorithm, issuer),
      ...(verification.ok ? [] : [`the signature of the issuer is wrong: ${verification.reason}`]),
    ];
  } catch (error) {
    if (error instanceof InvalidInput) return [error.message];
    throw error;
  }
}

type IssuerFacts = Pick<ReturnType<typeof parseCertificate>, 'subjectDer' | 'subjectKeyIdentifier'>;

function lintSignedPart(signed: DerElement, algorithm: DerElement, issuer: IssuerFacts): string[] {
  const members = new Members(signed, 'the signed part');
  const version = members.optional(tag.integer);
  const inner = members.next('the inner signature algorithm', tag.sequence);
  const name = members.next('the issuer', tag.sequence);
  const thisUpdate = decodeTime(members.next('thisUpdate'), 'thisUpdate');
  const nextUpdate = decodeTime(members.next('nextUpdate'), 'nextUpdate');
  const entries = members.optional(tag.sequence);
  const extensions = members.optional(contextConstructed(0))?.children[0];
  members.finish();
  return [
    ...faultIf(version === undefined || decodeInteger(version, 'the version') !== 1n, 'the version is not 2'),
    ...faultIf(!inner.raw.equals(algorithm.raw), 'there are two signature algorithms'),
    ...faultIf(
      !name.raw.equals(issuer.subjectDer),
      'the issuer is not byte for byte its certificate’s subject',
    ),
    ...faultIf(nextUpdate <= thisUpdate, 'nextUpdate is not after thisUpdate'),
    ...(entries === undefined ? [] : lintEntries(entries)),
    ...(extensions === undefined ? ['there are no extensions'] : lintListExtensions(extensions, issuer)),
  ];
}

function lintListExtensions(list: DerElement, { subjectKeyIdentifier }: IssuerFacts): string[] {
  const extensions = parseExtensions(list);
  const authority = findExtension(extensions, oid.authorityKeyIdentifier);
  const number = findExtension(extensions, oid.crlNumber);
  const identifier =
    authority &&
    new Members(parseDer(authority.value, what), 'the key identifier').optional(contextPrimitive(0))?.content;
  const value = number && expectTag(parseDer(number.value, what), tag.integer, 'the number').content;
  return [
    ...faultIf(
      identifier === undefined || subjectKeyIdentifier?.equals(identifier) !== true,
      'the authority key identifier is not the key identifier of the issuer',
    ),
    ...faultIf(value === undefined, 'the number is missing'),
    ...faultIf(value !== undefined && value.length > 20, 'the number is longer than 20 octets'),
    ...faultIf(number?.critical === true || authority?.critical === true, 'an extension is critical'),
  ];
}

function lintEntries(entries: DerElement): string[] {
  const serials = entries.children.map(({ children }) => children[0]?.content.toString('hex') ?? '');
  return [
    ...faultIf(entries.children.length === 0, 'the list of entries is empty instead of absent'),
    ...faultIf(new Set(serials).size !== serials.length, 'a serial number is listed twice'),
    ...entries.children.flatMap(lintEntry),
  ];
}

/** RFC 5280 §5.3.1: the reason is not critical, and unspecified is said by leaving it out. */
function lintEntry(entry: DerElement): string[] {
  const members = new Members(entry, 'an entry');
  members.next('the serial number', tag.integer);
  decodeTime(members.next('the moment of the revocation'), 'the moment of the revocation');
  const list = members.optional(tag.sequence);
  members.finish();
  const reason = list && findExtension(parseExtensions(list), oid.crlReason);
  const code = reason && expectTag(parseDer(reason.value, what), tag.enumerated, 'the reason').content[0];
  return [
    ...faultIf(code === 0, 'the reason unspecified is written out'),
    ...faultIf(reason?.critical === true, 'the reason is critical'),
  ];
}

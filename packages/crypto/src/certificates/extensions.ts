import { InvalidInput } from '@certloop/contracts';
import { type DerElement, parseDer, tag } from '../der/der.js';
import {
  decodeBoolean,
  decodeNamedBits,
  decodeOid,
  decodeSmallInteger,
  expectTag,
  Members,
} from '../der/der-values.js';
import { encodeBoolean, encodeOctetString, encodeOid, encodeSequence } from '../der/der-writer.js';
import { keyPurposes, keyUsagePurposes, oid } from '../der/oids.js';
import { extensionFacts } from './extension-facts.js';

/** One extension as it is encoded; `value` are the octets inside of extnValue. */
export interface Extension {
  readonly oid: string;
  readonly critical: boolean;
  readonly value: Buffer;
}

/** One extension for readers; `value` is lower-case hex of the octets inside of extnValue. */
export interface ExtensionDescription {
  /** The object identifier in dotted text, as is `oid`. */
  readonly id: string;
  readonly oid: string;
  readonly name: string;
  readonly critical: boolean;
  readonly value: string;
  readonly description: string;
  readonly purposes: readonly string[];
}

/** Content of basicConstraints (RFC 5280 §4.2.1.9). */
export interface BasicConstraints {
  readonly isCa: boolean;
  readonly pathLength: number | undefined;
}

/**
 * Extensions of an Extensions value in their order; an empty list is taken as none. Throws InvalidInput when it is
 * malformed or an extension appears twice (`duplicate_extension`, RFC 5280 §4.2).
 */
export function parseExtensions(list: DerElement): Extension[] {
  const seen = new Set<string>();
  return expectTag(list, tag.sequence, 'the list of extensions').children.map((element) => {
    const extension = parseExtension(element);
    if (seen.has(extension.oid)) {
      const { name } = extensionFacts(extension.oid);
      throw new InvalidInput(`${element.what} has the extension ${name} twice`, {
        code: 'duplicate_extension',
      });
    }
    seen.add(extension.oid);
    return extension;
  });
}

/** DER of an extension; `critical` is omitted when false, being the default. */
export function encodeExtension({ oid: dotted, critical, value }: Extension): Buffer {
  const parts = critical ? [encodeBoolean(true)] : [];
  return encodeSequence(encodeOid(dotted), ...parts, encodeOctetString(value));
}

export function findExtension(extensions: readonly Extension[], dotted: string): Extension | undefined {
  return extensions.find((extension) => extension.oid === dotted);
}

/** Facts about an extension for readers. Never throws: what cannot be read says so in its description. */
export function describeExtension(extension: Extension): ExtensionDescription {
  const { name, description } = extensionFacts(extension.oid);
  const purposes = readPurposes(extension);
  return {
    id: extension.oid,
    oid: extension.oid,
    name,
    critical: extension.critical,
    value: extension.value.toString('hex'),
    description: purposes === undefined ? `${description} (its value is malformed)` : description,
    purposes: purposes ?? [],
  };
}

/** Numbers of the bits set in a keyUsage value. Throws InvalidInput. */
export function parseKeyUsage(value: Buffer): number[] {
  return decodeNamedBits(parseDer(value, 'keyUsage'), 'the list of usages');
}

/** Throws InvalidInput; a path length without cA is accepted, though it has no effect. */
export function parseBasicConstraints(value: Buffer): BasicConstraints {
  const members = new Members(parseDer(value, 'basicConstraints'), 'basicConstraints');
  const cA = members.optional(tag.boolean);
  const pathLength = members.optional(tag.integer);
  members.finish();
  return {
    isCa: cA !== undefined && decodeBoolean(cA, 'cA'),
    pathLength: pathLength && decodeSmallInteger(pathLength, 'the path length'),
  };
}

/** Object identifiers of an ExtKeyUsageSyntax value. Throws InvalidInput. */
export function parseExtendedKeyUsage(value: Buffer): string[] {
  const list = expectTag(parseDer(value, 'extendedKeyUsage'), tag.sequence, 'the list of purposes');
  return list.children.map((element) => decodeOid(element, 'a purpose'));
}

function parseExtension(element: DerElement): Extension {
  const members = new Members(element, 'an extension');
  const dotted = decodeOid(members.next('the type of an extension'), 'the type of an extension');
  // An encoded FALSE is not DER, but Java and older Windows write it; it says the same.
  const critical = members.optional(tag.boolean);
  const value = members.next('the value of an extension', tag.octetString);
  members.finish();
  return {
    oid: dotted,
    critical: critical !== undefined && decodeBoolean(critical, 'critical'),
    value: value.content,
  };
}

function readPurposes(extension: Extension): string[] | undefined {
  try {
    return purposeReaders.get(extension.oid)?.(extension.value) ?? [];
  } catch (error) {
    // Only the readers' own refusals mean a malformed value.
    if (error instanceof InvalidInput) return undefined;
    throw error;
  }
}

const netscapePurposes = [
  'SSL Client',
  'SSL Server',
  'S/MIME',
  'Object Signing',
  'Reserved',
  'SSL CA',
  'S/MIME CA',
  'Object Signing CA',
];

// RFC 7633 §4: numbers of TLS extensions; these two ask a server to staple its revocation status.
const tlsFeatures = new Map([
  [5, 'OCSP Must-Staple (status_request)'],
  [17, 'OCSP Must-Staple (status_request_v2)'],
]);

const purposeReaders: ReadonlyMap<string, (value: Buffer) => string[]> = new Map([
  [oid.keyUsage, (value: Buffer) => bitPurposes(parseKeyUsage(value), keyUsagePurposes)],
  [oid.netscapeCertType, (value: Buffer) => bitPurposes(parseKeyUsage(value), netscapePurposes)],
  [oid.extendedKeyUsage, (value: Buffer) => parseExtendedKeyUsage(value).map(purposeOf)],
  [oid.basicConstraints, constraintPurposes],
  [oid.tlsFeature, tlsFeaturePurposes],
]);

function bitPurposes(bits: readonly number[], words: readonly string[]): string[] {
  return bits.map((bit) => words[bit] ?? `Bit ${bit}`);
}

const purposeOf = (dotted: string): string => keyPurposes.get(dotted)?.purpose ?? dotted;

function constraintPurposes(value: Buffer): string[] {
  const { isCa, pathLength } = parseBasicConstraints(value);
  if (!isCa) return ['End Entity'];
  return ['Certificate Authority', ...(pathLength === undefined ? [] : [`Path Length ${pathLength}`])];
}

function tlsFeaturePurposes(value: Buffer): string[] {
  const list = expectTag(parseDer(value, 'tlsFeature'), tag.sequence, 'the list of features');
  return list.children.map((element) => {
    const feature = decodeSmallInteger(element, 'a feature');
    return tlsFeatures.get(feature) ?? `TLS Extension ${feature}`;
  });
}

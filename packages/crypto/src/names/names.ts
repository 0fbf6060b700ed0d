import { type DerElement, parseDer, tag } from '../der/der.js';
import { decodeOid, expectTag, Members } from '../der/der-values.js';
import { encode, encodeOid, encodeSequence, encodeSetOf } from '../der/der-writer.js';
import { attributeTypeNames, oid } from '../der/oids.js';
import { decodeText } from './name-text.js';

/** One attribute of a distinguished name; `text` is undefined when the value is not a readable string. */
interface NameAttribute {
  readonly type: string;
  readonly text: string | undefined;
  /** DER of the value. */
  readonly value: Buffer;
}

/** Relative distinguished names in the order of the encoding, each of at least one attribute. */
export type DistinguishedName = readonly (readonly NameAttribute[])[];

/** Attributes a name can be made of, in the order in which they are encoded. */
export interface SubjectFields {
  readonly country?: string;
  readonly state?: string;
  readonly locality?: string;
  readonly organization?: string;
  readonly organizationalUnit?: string;
  readonly commonName?: string;
}

/**
 * The Name (RFC 5280 §4.1.2.4) that the element is. Parts without attributes are left out: OpenSSL and others accept them.
 * Throws InvalidInput.
 */
export function parseName(element: DerElement): DistinguishedName {
  return expectTag(element, tag.sequence, 'a name').children.flatMap((set) => {
    const part = expectTag(set, tag.set, 'a part of a name').children.map(parseAttribute);
    return part.length === 0 ? [] : [part];
  });
}

// What programs can load as the value of an attribute: OpenSSL fails on a certificate with any other type.
const loadableTags: ReadonlySet<number | undefined> = new Set([
  tag.utf8String,
  tag.printableString,
  tag.ia5String,
  tag.numericString,
  tag.teletexString,
  tag.bmpString,
  tag.universalString,
]);

const loadableRawTags: ReadonlySet<number | undefined> = new Set([tag.bitString, tag.sequence]);

/**
 * Refuses a name that would make a certificate which common programs cannot load: one with a string that is not text
 * of its type, or with a value of a type that is not a DirectoryString (RFC 5280 §4.1.2.4) or another usual string. Types
 * that are not known may also hold a BIT STRING or a SEQUENCE. Throws InvalidInput, `malformed_der`.
 */
export function requireLoadableName(name: DistinguishedName, element: DerElement): void {
  for (const { type, text, value } of name.flat()) {
    const typeName = attributeTypeNames.get(type);
    const isText = loadableTags.has(value[0]) && text !== undefined;
    const isRaw = typeName === undefined && loadableRawTags.has(value[0]);
    if (!isText && !isRaw) throw element.malformed(`its subject has no readable text as ${typeName ?? type}`);
  }
}

/**
 * Text of a distinguished name, RFC 4514: the last encoded part first, parts joined by "," and several attributes
 * of one part by "+"; control characters escaped as hex pairs; unknown types as `1.2.3=#hex`. Empty for no name.
 */
export function formatName(name: DistinguishedName): string {
  return name
    .toReversed()
    .map((part) => part.map(formatAttribute).join('+'))
    .join(',');
}

/** Text of the name that the octets are, as formatName gives it. Throws InvalidInput. */
export function describeName(der: Buffer): string {
  return formatName(parseName(parseDer(der, 'name')));
}

/** Readable common names of the name, in the order of the encoding. */
export function listCommonNames(name: DistinguishedName): string[] {
  return name
    .flat()
    .filter((attribute) => attribute.type === oid.commonName)
    .flatMap((attribute) => attribute.text ?? []);
}

/** DER of a name, one attribute to a part: UTF8String, but PrintableString for the country. */
export function encodeName(fields: SubjectFields): Buffer {
  const parts: [string, number, string | undefined][] = [
    ['2.5.4.6', tag.printableString, fields.country],
    ['2.5.4.8', tag.utf8String, fields.state],
    ['2.5.4.7', tag.utf8String, fields.locality],
    ['2.5.4.10', tag.utf8String, fields.organization],
    ['2.5.4.11', tag.utf8String, fields.organizationalUnit],
    [oid.commonName, tag.utf8String, fields.commonName],
  ];
  return encodeSequence(
    ...parts.flatMap(([type, stringType, text]) =>
      text === undefined
        ? []
        : [encodeSetOf(encodeSequence(encodeOid(type), encode(stringType, Buffer.from(text, 'utf8'))))],
    ),
  );
}

function parseAttribute(element: DerElement): NameAttribute {
  const members = new Members(element, 'an attribute of a name');
  const type = decodeOid(members.next('the type of a name attribute'), 'the type of a name attribute');
  const value = members.next('the value of a name attribute');
  members.finish();
  return { type, text: decodeText(value), value: value.raw };
}

function formatAttribute({ type, text, value }: NameAttribute): string {
  const name = attributeTypeNames.get(type);
  // RFC 4514 §2.4: without a short name, or without a string form, the value is its DER in hex.
  if (name === undefined || text === undefined) return `${name ?? type}=#${value.toString('hex')}`;
  return `${name}=${escapeText(text)}`;
}

function escapeText(text: string): string {
  return text
    .replaceAll(/["+,;<>\\]/g, (character) => `\\${character}`)
    .replace(/ $/, '\\ ')
    .replace(/^[ #]/, (character) => `\\${character}`)
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, hexPairs);
}

// Characters that show nothing or reorder what is shown would let a name pass for another.
function hexPairs(character: string): string {
  return [...Buffer.from(character, 'utf8')]
    .map((octet) => `\\${octet.toString(16).padStart(2, '0')}`)
    .join('');
}

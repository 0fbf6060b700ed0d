import { InvalidInput } from '@certloop/contracts';
import { contextConstructed, contextPrimitive, type DerElement, parseDer, tag } from '../der/der.js';
import { decodeOid, dottedOid, expectTag } from '../der/der-values.js';
import { encode, encodeSequence } from '../der/der-writer.js';
import { formatIpAddress, parseIpAddress } from './ip-addresses.js';
import { formatName, parseName } from './names.js';

/** General names (RFC 5280 §4.2.1.6) sorted by kind, each kind in the order of the encoding. */
export interface GeneralNames {
  readonly dnsNames: readonly string[];
  readonly emailAddresses: readonly string[];
  /** Dotted, or RFC 5952 text. */
  readonly ipAddresses: readonly string[];
  readonly uris: readonly string[];
  /** RFC 4514 text. */
  readonly directoryNames: readonly string[];
  /** Kinds without a form of their own, as `otherName:1.2.3`, `registeredID:1.2.3` and the like. */
  readonly otherNames: readonly string[];
}

export const noGeneralNames: GeneralNames = {
  dnsNames: [],
  emailAddresses: [],
  ipAddresses: [],
  uris: [],
  directoryNames: [],
  otherNames: [],
};

/** Names to encode; kinds that are omitted stay empty. */
export type GeneralNamesInput = Partial<
  Pick<GeneralNames, 'dnsNames' | 'emailAddresses' | 'ipAddresses' | 'uris'>
>;

type Kind = keyof GeneralNames;

/**
 * Names of a GeneralNames value such as that of subjectAltName. Throws InvalidInput when it is not DER, holds no
 * name, an address is not 4 or 16 octets, or a text has anything but printable ASCII (no NUL, no UTF-8).
 */
export function parseGeneralNames(der: Buffer, what = 'subjectAltName'): GeneralNames {
  const { children } = expectTag(parseDer(der, what), tag.sequence, 'the list of names');
  if (children.length === 0) {
    throw new InvalidInput(`${what} is malformed: it contains no name`, { code: 'malformed_der' });
  }
  const names: Record<Kind, string[]> = {
    dnsNames: [],
    emailAddresses: [],
    ipAddresses: [],
    uris: [],
    directoryNames: [],
    otherNames: [],
  };
  for (const child of children) {
    const [kind, text] = parseGeneralName(child);
    names[kind].push(text);
  }
  return names;
}

/**
 * DER of the names: host names, addresses of mail, IP addresses, URIs. Throws InvalidInput for a text that is not
 * printable ASCII, for an IP address that is none, and when there is no name at all.
 */
export function encodeGeneralNames(names: GeneralNamesInput): Buffer {
  const encoded = [
    ...(names.dnsNames ?? []).map((text) => encode(contextPrimitive(2), asciiOctets(text))),
    ...(names.emailAddresses ?? []).map((text) => encode(contextPrimitive(1), asciiOctets(text))),
    ...(names.ipAddresses ?? []).map((text) => encode(contextPrimitive(7), ipOctets(text))),
    ...(names.uris ?? []).map((text) => encode(contextPrimitive(6), asciiOctets(text))),
  ];
  if (encoded.length === 0)
    throw new InvalidInput('A list of names needs at least one name', { code: 'no_names' });
  return encodeSequence(...encoded);
}

function parseGeneralName(element: DerElement): [Kind, string] {
  switch (element.tag) {
    case contextConstructed(0):
      return ['otherNames', `otherName:${otherNameType(element)}`];
    case contextPrimitive(1):
      return ['emailAddresses', ascii(element)];
    case contextPrimitive(2):
      return ['dnsNames', ascii(element)];
    case contextConstructed(3):
      return ['otherNames', 'x400Address'];
    case contextConstructed(4):
      return ['directoryNames', directoryName(element)];
    case contextConstructed(5):
      return ['otherNames', 'ediPartyName'];
    case contextPrimitive(6):
      return ['uris', ascii(element)];
    case contextPrimitive(7):
      return ['ipAddresses', ipAddress(element)];
    case contextPrimitive(8):
      return ['otherNames', `registeredID:${registeredId(element)}`];
    default:
      throw element.malformed('a name is of a kind that does not exist');
  }
}

const printableAscii = /^[\x20-\x7e]*$/;

function ascii(element: DerElement): string {
  const text = element.content.toString('latin1');
  if (!printableAscii.test(text))
    throw element.malformed('a name contains characters that are not printable ASCII');
  return text;
}

function ipAddress(element: DerElement): string {
  const text = formatIpAddress(element.content);
  if (text === undefined) throw element.malformed('an IP address is neither 4 nor 16 octets long');
  return text;
}

function directoryName(element: DerElement): string {
  const [name, ...rest] = element.children;
  // Name is a CHOICE, so the tag around it is explicit (X.680 §31.2.7).
  if (name === undefined || rest.length > 0)
    throw element.malformed('a directory name is not exactly one name');
  return formatName(parseName(name));
}

function otherNameType(element: DerElement): string {
  const [type, value, ...rest] = element.children;
  if (type === undefined || value?.tag !== contextConstructed(0) || rest.length > 0) {
    throw element.malformed('an otherName is not a type and a value');
  }
  return decodeOid(type, 'the type of an otherName');
}

function registeredId(element: DerElement): string {
  // The implicit tag hides the type from the reader: give it back and let it be checked.
  const content = Buffer.from(element.content);
  parseDer(encode(tag.oid, content), element.what);
  return dottedOid(content);
}

function asciiOctets(text: string): Buffer {
  if (text === '' || !printableAscii.test(text)) {
    throw new InvalidInput(`A name must be printable ASCII: ${JSON.stringify(text.slice(0, 80))}`, {
      code: 'malformed_name',
    });
  }
  return Buffer.from(text, 'latin1');
}

function ipOctets(text: string): Buffer {
  const octets = parseIpAddress(text);
  if (octets === undefined) {
    throw new InvalidInput(`"${text.slice(0, 80)}" is not an IP address`, { code: 'malformed_name' });
  }
  return octets;
}

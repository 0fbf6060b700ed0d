import { InvalidInput } from '@certloop/contracts';

/** Identifier octets that occur in X.509 and PKCS#10 (X.680 §8.4). */
export const tag = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  null: 0x05,
  oid: 0x06,
  enumerated: 0x0a,
  utf8String: 0x0c,
  numericString: 0x12,
  printableString: 0x13,
  teletexString: 0x14,
  ia5String: 0x16,
  utcTime: 0x17,
  generalizedTime: 0x18,
  visibleString: 0x1a,
  universalString: 0x1c,
  bmpString: 0x1e,
  sequence: 0x30,
  set: 0x31,
} as const;

/** Identifier octet of a primitive context-specific tag 0..30. */
export const contextPrimitive = (number: number): number => 0x80 | number;

/** Identifier octet of a constructed context-specific tag 0..30. */
export const contextConstructed = (number: number): number => 0xa0 | number;

// Far above any honest request; together they keep 64 KiB of hostile input below a few milliseconds.
const maxDepth = 32;
const maxElements = 10_000;
// 19 octets of 7 bits hold the 128-bit arcs of 2.25 (X.667); longer ones would make big numbers costly.
const maxArcOctets = 19;
const maxOidOctets = 256;

/** One DER element: offsets into the octets it was read from, nothing copied. */
export class DerElement {
  readonly what: string;
  readonly bytes: Buffer;
  readonly tag: number;
  readonly start: number;
  readonly contentStart: number;
  readonly end: number;
  /** Elements inside a constructed one; empty for a primitive one. */
  readonly children: readonly DerElement[];

  constructor(source: Source, place: Place, children: readonly DerElement[]) {
    this.what = source.what;
    this.bytes = source.bytes;
    this.tag = place.tag;
    this.start = place.start;
    this.contentStart = place.contentStart;
    this.end = place.end;
    this.children = children;
  }

  /** Octets of the whole element. */
  get raw(): Buffer {
    return this.bytes.subarray(this.start, this.end);
  }

  /** Octets after tag and length. */
  get content(): Buffer {
    return this.bytes.subarray(this.contentStart, this.end);
  }

  /** The refusal to throw when this element is not what its place asks for. */
  malformed(reason: string): InvalidInput {
    return malformed(this.what, reason, this.start);
  }
}

interface Source {
  readonly bytes: Buffer;
  /** Name of what the octets are meant to be, for messages: "CSR", "certificate". */
  readonly what: string;
  elements: number;
}

interface Place {
  readonly tag: number;
  readonly start: number;
  readonly contentStart: number;
  readonly end: number;
}

/**
 * The one element that the octets are, checked to its last leaf: definite minimal lengths, minimal integers and
 * object identifiers, booleans 00 or FF, bit strings with zero padding, nothing after the end (X.690 §10, §11).
 * The order of a SET OF is not checked, since widespread generators of requests do not sort.
 * `what` names the input in messages. Throws InvalidInput with code `malformed_der`.
 */
export function parseDer(bytes: Buffer, what: string): DerElement {
  const source: Source = { bytes, what, elements: 0 };
  const element = readElement(source, 0, bytes.length, 0);
  if (element.end !== bytes.length) {
    throw malformed(what, `${bytes.length - element.end} octets follow its end`, element.end);
  }
  return element;
}

function readElement(source: Source, start: number, limit: number, depth: number): DerElement {
  if (depth > maxDepth) throw malformed(source.what, `it is nested more than ${maxDepth} deep`, start);
  source.elements += 1;
  if (source.elements > maxElements) {
    throw malformed(source.what, `it has more than ${maxElements} elements`, start);
  }
  const place = readHeader(source, start, limit);
  if ((place.tag & 0x20) === 0) {
    checkPrimitive(source, place);
    return new DerElement(source, place, []);
  }
  if (place.tag < 0x40 && place.tag !== tag.sequence && place.tag !== tag.set) {
    throw malformed(source.what, 'a primitive type is constructed', start);
  }
  return new DerElement(source, place, readChildren(source, place, depth));
}

function readChildren(source: Source, place: Place, depth: number): DerElement[] {
  const children: DerElement[] = [];
  for (let offset = place.contentStart; offset < place.end; ) {
    const child = readElement(source, offset, place.end, depth + 1);
    children.push(child);
    offset = child.end;
  }
  return children;
}

function readHeader({ bytes, what }: Source, start: number, limit: number): Place {
  const identifier = bytes[start];
  const first = bytes[start + 1];
  if (identifier === undefined || first === undefined || start + 2 > limit) {
    throw malformed(what, 'it ends too early', start);
  }
  if ((identifier & 0x1f) === 0x1f) throw malformed(what, 'a tag number is above 30', start);
  let contentStart = start + 2;
  let length = first;
  if (first >= 0x80) {
    const octets = first & 0x7f;
    if (octets === 0) throw malformed(what, 'a length is indefinite', start);
    // Four octets already reach 4 GiB.
    if (octets > 4 || contentStart + octets > limit) throw malformed(what, 'it ends too early', start);
    length = bytes.readUIntBE(contentStart, octets);
    if (length < 0x80 || bytes[contentStart] === 0) throw malformed(what, 'a length is not minimal', start);
    contentStart += octets;
  }
  const end = contentStart + length;
  if (end > limit) throw malformed(what, 'it ends too early', start);
  return { tag: identifier, start, contentStart, end };
}

function checkPrimitive({ bytes, what }: Source, { tag: identifier, start, contentStart, end }: Place): void {
  const fault = primitiveFault(identifier, bytes, contentStart, end);
  if (fault !== undefined) throw malformed(what, fault, start);
}

function primitiveFault(identifier: number, bytes: Buffer, start: number, end: number): string | undefined {
  const length = end - start;
  const first = bytes[start] ?? 0;
  switch (identifier) {
    case 0x00:
      return 'an end-of-contents octet has no place in DER';
    case tag.boolean:
      return length === 1 && (first === 0 || first === 0xff) ? undefined : 'a BOOLEAN is neither 00 nor FF';
    case tag.integer:
    case tag.enumerated:
      return isMinimalInteger(bytes, start, length) ? undefined : 'an INTEGER is not minimal';
    case tag.bitString:
      return isCleanBitString(bytes, start, end) ? undefined : 'a BIT STRING has wrong unused bits';
    case tag.null:
      return length === 0 ? undefined : 'a NULL has content';
    case tag.oid:
      return isValidOid(bytes, start, end) ? undefined : 'an OBJECT IDENTIFIER is malformed';
    case tag.sequence & ~0x20:
    case tag.set & ~0x20:
      return 'a SEQUENCE or SET is primitive';
    default:
      return undefined;
  }
}

function isMinimalInteger(bytes: Buffer, start: number, length: number): boolean {
  if (length === 0) return false;
  if (length === 1) return true;
  const second = (bytes[start + 1] ?? 0) & 0x80;
  return !(bytes[start] === 0 && second === 0) && !(bytes[start] === 0xff && second === 0x80);
}

function isCleanBitString(bytes: Buffer, start: number, end: number): boolean {
  if (end === start) return false;
  const unusedBits = bytes[start] ?? 0;
  if (unusedBits === 0) return true;
  if (unusedBits > 7 || end - start === 1) return false;
  return ((bytes[end - 1] ?? 0) & ((1 << unusedBits) - 1)) === 0;
}

function isValidOid(bytes: Buffer, start: number, end: number): boolean {
  if (end === start || end - start > maxOidOctets) return false;
  let arcOctets = 0;
  for (let offset = start; offset < end; offset += 1) {
    const octet = bytes[offset] ?? 0;
    if (arcOctets === 0 && octet === 0x80) return false;
    arcOctets += 1;
    if (arcOctets > maxArcOctets) return false;
    if (octet < 0x80) arcOctets = 0;
  }
  return arcOctets === 0;
}

function malformed(what: string, reason: string, offset: number): InvalidInput {
  return new InvalidInput(`${what} is malformed: ${reason} (at octet ${offset})`, {
    code: 'malformed_der',
    title: 'Not well-formed DER',
  });
}

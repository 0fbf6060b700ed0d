import { InvalidInput } from '@certloop/contracts';
import { tag } from './der.js';
import { oid } from './oids.js';

/** DER of an element with the given identifier octet around the parts. */
export function encode(identifier: number, ...parts: readonly Uint8Array[]): Buffer {
  let length = 0;
  for (const part of parts) length += part.length;
  const header = encodeHeader(identifier, length);
  const der = Buffer.allocUnsafe(header.length + length);
  der.set(header, 0);
  let offset = header.length;
  for (const part of parts) {
    der.set(part, offset);
    offset += part.length;
  }
  return der;
}

export const encodeSequence = (...parts: readonly Uint8Array[]): Buffer => encode(tag.sequence, ...parts);

/** DER of a SET OF; the parts are put into the order that DER asks for (X.690 §11.6). */
export function encodeSetOf(...parts: readonly Buffer[]): Buffer {
  return encode(tag.set, ...[...parts].sort(Buffer.compare));
}

export const encodeOctetString = (content: Uint8Array): Buffer => encode(tag.octetString, content);

/** DER of a BIT STRING without unused bits. */
export const encodeBitOctets = (content: Uint8Array): Buffer => encode(tag.bitString, Buffer.of(0), content);

export const encodeBoolean = (value: boolean): Buffer => encode(tag.boolean, Buffer.of(value ? 0xff : 0));

export const encodeNull = (): Buffer => encode(tag.null);

/** DER of a BIT STRING of named bits: numbers from 0, trailing zero bits omitted (X.690 §11.2.2). */
export function encodeNamedBits(bits: readonly number[]): Buffer {
  const highest = Math.max(-1, ...bits);
  const octets = Buffer.alloc(Math.ceil((highest + 1) / 8));
  for (const bit of bits) octets[bit >> 3] = (octets[bit >> 3] ?? 0) | (0x80 >> (bit & 7));
  const unusedBits = (8 - ((highest + 1) % 8)) % 8;
  return encode(tag.bitString, Buffer.of(unusedBits), octets);
}

/** DER of an INTEGER, two's complement, as short as possible. */
export function encodeInteger(value: bigint): Buffer {
  if (value >= 0n) {
    const digits = value.toString(16);
    const padded = digits.length % 2 === 0 ? digits : `0${digits}`;
    // A leading high bit would make it negative.
    return encode(tag.integer, Buffer.from(padded >= '8' ? `00${padded}` : padded, 'hex'));
  }
  let octets = 1;
  while (BigInt.asIntN(octets * 8, value) !== value) octets += 1;
  const hex = BigInt.asUintN(octets * 8, value)
    .toString(16)
    .padStart(octets * 2, '0');
  return encode(tag.integer, Buffer.from(hex, 'hex'));
}

/** DER of an ENUMERATED with a value from 0 to 127. */
export const encodeEnumerated = (value: number): Buffer => encode(tag.enumerated, Buffer.of(value));

/** DER of an object identifier given as dotted text. Throws InvalidInput when it is not one. */
export function encodeOid(dotted: string): Buffer {
  return knownOids.get(dotted) ?? encodeArcs(dotted);
}

function encodeArcs(dotted: string): Buffer {
  if (!/^[012](\.(0|[1-9]\d*))+$/.test(dotted)) throw notAnOid(dotted);
  const [first = 0n, second = 0n, ...rest] = dotted.split('.').map(BigInt);
  if (first < 2n && second > 39n) throw notAnOid(dotted);
  return encode(tag.oid, ...[first * 40n + second, ...rest].map(encodeArc));
}

function encodeArc(arc: bigint): Buffer {
  const octets = [Number(arc & 0x7fn)];
  for (let rest = arc >> 7n; rest > 0n; rest >>= 7n) octets.unshift(Number(rest & 0x7fn) | 0x80);
  return Buffer.from(octets);
}

// Those that the code itself writes, most of them into every certificate.
const knownOids: ReadonlyMap<string, Buffer> = new Map(
  Object.values(oid).map((dotted) => [dotted, encodeArcs(dotted)]),
);

function encodeHeader(identifier: number, length: number): Buffer {
  if (length < 0x80) return Buffer.of(identifier, length);
  if (length < 0x100) return Buffer.of(identifier, 0x81, length);
  if (length < 0x10000) return Buffer.of(identifier, 0x82, length >> 8, length & 0xff);
  return Buffer.of(identifier, 0x83, length >> 16, (length >> 8) & 0xff, length & 0xff);
}

function notAnOid(dotted: string): InvalidInput {
  return new InvalidInput(`"${dotted.slice(0, 80)}" is not an object identifier such as 1.2.840.113549`, {
    code: 'malformed_oid',
  });
}

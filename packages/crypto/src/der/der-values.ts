import { contextConstructed, type DerElement, tag } from './der.js';

/**
 * Reads the members of a SEQUENCE in order. `next` takes the member that must come, `optional` takes it only if
 * its tag fits, `finish` refuses leftovers. All refusals are InvalidInput and name the member.
 */
export class Members {
  readonly #parent: DerElement;
  #index = 0;

  constructor(parent: DerElement, name: string) {
    this.#parent = expectTag(parent, tag.sequence, name);
  }

  next(name: string, wanted?: number): DerElement {
    const member = this.#parent.children[this.#index];
    if (member === undefined) throw this.#parent.malformed(`${name} is missing`);
    this.#index += 1;
    return wanted === undefined ? member : expectTag(member, wanted, name);
  }

  optional(wanted: number): DerElement | undefined {
    const member = this.#parent.children[this.#index];
    if (member?.tag !== wanted) return undefined;
    this.#index += 1;
    return member;
  }

  /** Content of an EXPLICIT [number] member, or undefined when it is omitted. */
  optionalExplicit(number: number, name: string): DerElement | undefined {
    const wrapper = this.optional(contextConstructed(number));
    if (wrapper === undefined) return undefined;
    const [inner, ...rest] = wrapper.children;
    if (inner === undefined || rest.length > 0) throw wrapper.malformed(`${name} is not exactly one element`);
    return inner;
  }

  finish(): void {
    const member = this.#parent.children[this.#index];
    if (member !== undefined) throw member.malformed('an unexpected element follows');
  }
}

/** The element itself. Throws InvalidInput when its tag is another. */
export function expectTag(element: DerElement, wanted: number, name: string): DerElement {
  if (element.tag !== wanted) throw element.malformed(`${name} has the wrong type`);
  return element;
}

/** Value of an INTEGER of any size. */
export function decodeInteger(element: DerElement, name: string): bigint {
  const { content } = expectTag(element, tag.integer, name);
  const magnitude = BigInt(`0x${content.toString('hex')}`);
  return ((content[0] ?? 0) & 0x80) === 0 ? magnitude : magnitude - (1n << BigInt(content.length * 8));
}

/** Value of an INTEGER that must be within 0 and 2^31 - 1. */
export function decodeSmallInteger(element: DerElement, name: string): number {
  const { content } = expectTag(element, tag.integer, name);
  if (content.length > 4 || ((content[0] ?? 0) & 0x80) !== 0)
    throw element.malformed(`${name} is out of range`);
  return content.readUIntBE(0, content.length);
}

export function decodeBoolean(element: DerElement, name: string): boolean {
  return expectTag(element, tag.boolean, name).content[0] === 0xff;
}

/** Dotted text of an OBJECT IDENTIFIER; arcs of up to 133 bits. */
export function decodeOid(element: DerElement, name: string): string {
  return dottedOid(expectTag(element, tag.oid, name).content);
}

/** Octets of a BIT STRING whose number of bits must be a multiple of eight, as in keys and signatures. */
export function decodeBitOctets(element: DerElement, name: string): Buffer {
  const { content } = expectTag(element, tag.bitString, name);
  if (content[0] !== 0) throw element.malformed(`${name} has unused bits`);
  return content.subarray(1);
}

/** Numbers of the bits that are set in a BIT STRING, the first being 0 (X.680 §22, named bits). */
export function decodeNamedBits(element: DerElement, name: string): number[] {
  const octets = expectTag(element, tag.bitString, name).content.subarray(1);
  // No list of named bits in these standards has more than 9; a longer one would only swell what is shown.
  if (octets.length > 4) throw element.malformed(`${name} has more bits than are defined`);
  const bits: number[] = [];
  for (const [index, octet] of octets.entries()) {
    for (let bit = 0; bit < 8; bit += 1) if ((octet & (0x80 >> bit)) !== 0) bits.push(index * 8 + bit);
  }
  return bits;
}

/** Dotted text of the content octets of an object identifier that is known to be valid. */
export function dottedOid(content: Buffer): string {
  const arcs: (number | bigint)[] = [];
  let arc: number | bigint = 0;
  for (const octet of content) {
    // Beyond 2^46 another seven bits no longer fit a number exactly.
    if (typeof arc === 'number' && arc > 0x3fffffffffff) arc = BigInt(arc);
    arc = typeof arc === 'number' ? arc * 128 + (octet & 0x7f) : arc * 128n + BigInt(octet & 0x7f);
    if (octet < 0x80) {
      arcs.push(arc);
      arc = 0;
    }
  }
  return [...firstArcs(arcs[0] ?? 0), ...arcs.slice(1)].join('.');
}

// X.690 §8.19.4: the first two arcs share one number, 40 * first + second, where first is at most 2.
function firstArcs(joined: number | bigint): [number, number | bigint] {
  if (typeof joined === 'bigint') return [2, joined - 80n];
  const first = Math.min(Math.floor(joined / 40), 2);
  return [first, joined - first * 40];
}

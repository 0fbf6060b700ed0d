/** Encoders of DER (X.690), enough to write certification requests, valid and invalid ones. */
export function tlv(tag: number, ...content: readonly Uint8Array[]): Buffer {
  const value = Buffer.concat(content);
  return Buffer.concat([Buffer.from([tag, ...lengthOctets(value.length)]), value]);
}

function lengthOctets(length: number): number[] {
  if (length < 0x80) return [length];
  const octets: number[] = [];
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) octets.unshift(rest % 256);
  return [0x80 | octets.length, ...octets];
}

export const sequence = (...parts: readonly Uint8Array[]) => tlv(0x30, ...parts);
export const set = (...parts: readonly Uint8Array[]) => tlv(0x31, ...parts);
export const octetString = (content: Uint8Array) => tlv(0x04, content);
export const bitString = (content: Uint8Array) => tlv(0x03, Buffer.from([0]), content);
export const utf8 = (text: string) => tlv(0x0c, Buffer.from(text, 'utf8'));
export const printable = (text: string) => tlv(0x13, Buffer.from(text, 'latin1'));
export const integer = (value: number) => tlv(0x02, Buffer.from([value]));
export const nil = tlv(0x05);
export const yes = tlv(0x01, Buffer.from([0xff]));

/** Object identifier from its dotted form. */
export function oid(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  return tlv(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(baseOf128)]));
}

function baseOf128(arc: number): number[] {
  const digits = [arc & 0x7f];
  for (let rest = arc >>> 7; rest > 0; rest >>>= 7) digits.unshift((rest & 0x7f) | 0x80);
  return digits;
}

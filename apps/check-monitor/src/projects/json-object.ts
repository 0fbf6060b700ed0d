import { InvalidInput } from '@certloop/contracts';
import { endOfString, faultOfJsonSize, maxPublicValues } from '@certloop/server/json-size';

/** Members of a request body. Numbers written with a fraction or an exponent are never whole numbers. */
export type JsonObject = Readonly<Record<string, unknown>>;

// a byte order mark stays in the text and fails, as in other JSON parsers
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Parses a body as an object, with any Content-Type; an empty body is an empty object. Throws InvalidInput for a body
 * that is not UTF-8, not JSON, or not an object, and for one that is too deep or has too many values.
 */
export function parseJsonObject(bytes: Uint8Array): JsonObject {
  if (bytes.length === 0) return {};
  const fault = faultOfJsonSize(bytes, maxPublicValues);
  if (fault !== undefined) throw new InvalidInput(`request body ${fault.message}`);
  const value = parseJson(markFractions(bytes));
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new InvalidInput('json validation error: value is not an object');
  }
  return value as JsonObject;
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(utf8.decode(bytes));
  } catch (cause) {
    throw new InvalidInput('could not parse request body', { cause });
  }
}

const quote = 0x22;
const plus = 0x2b;
const minus = 0x2d;
const point = 0x2e;
const zero = 0x30;
const nine = 0x39;
const lowerE = 0x65;
const half = Buffer.from('0.5');

/**
 * The text with `0.5` for each number that has a fraction or an exponent, filled with blanks: JSON.parse reads `60.0`
 * and `6e1` as whole numbers, which this API rejects. What is not valid JSON stays invalid.
 */
function markFractions(text: Uint8Array): Uint8Array {
  const marked = new Uint8Array(text);
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === quote) at = endOfString(text, at);
    else if (text[at] === minus || isDigit(text[at])) {
      const number = numberAt(text, at);
      if (number.hasFraction) {
        marked.fill(0x20, at, number.end);
        marked.set(half, number.end - half.length);
      }
      at = number.end - 1;
    }
  }
  return marked;
}

/** The number (RFC 8259 §6) that begins at a minus or a digit, as far as the text is one. One that goes on is none. */
function numberAt(text: Uint8Array, at: number): { readonly end: number; readonly hasFraction: boolean } {
  const begin = text[at] === minus ? at + 1 : at;
  // a number has no zeros in front
  const whole = text[begin] === zero ? begin + 1 : endOfDigits(text, begin);
  if (whole === begin) return { end: begin, hasFraction: false };
  let end = whole;
  if (text[end] === point && isDigit(text[end + 1])) end = endOfDigits(text, end + 1);
  if (isE(text[end])) {
    const isSigned = text[end + 1] === plus || text[end + 1] === minus;
    const digits = end + (isSigned ? 2 : 1);
    if (isDigit(text[digits])) end = endOfDigits(text, digits);
  }
  return { end, hasFraction: end > whole && !isE(text[end]) };
}

function endOfDigits(text: Uint8Array, at: number): number {
  let end = at;
  while (isDigit(text[end])) end += 1;
  return end;
}

function isE(byte: number | undefined): boolean {
  return byte !== undefined && (byte | 0x20) === lowerE;
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= zero && byte <= nine;
}

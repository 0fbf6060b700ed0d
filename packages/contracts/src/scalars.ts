import { z } from 'zod';
import { serialNumberIn, sha256In } from './certificate-digits.js';

/** UUID of any version (RFC 9562), read in any case, handed on in lower case. */
export const uuid = z
  .string()
  .regex(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i, 'must be a uuid')
  .toLowerCase()
  .meta({ format: 'uuid' });

/**
 * Point in time on the wire: date, time with seconds, and an offset (RFC 3339). Written in UTC with
 * milliseconds, such as `2026-01-02T03:04:05.678Z`.
 */
export const instant = z.iso.datetime({ offset: true });

/** Octets as lower-case hexadecimal digits without separators. */
export const hex = z.string().regex(/^(?:[0-9a-f]{2})*$/, 'must be lower-case hexadecimal octets');

/** Serial number of a certificate as people copy it, in hex; handed on as `serialNumberIn` returns it. */
export const serialNumberText = digitsText(serialNumberIn, 'must be a serial number in hex');

/** SHA-256 digest as people copy it, in hex; handed on in lower case without colons. */
export const sha256Text = digitsText(sha256In, 'must be 64 hexadecimal digits');

function digitsText(read: (text: string) => string | undefined, message: string) {
  return z
    .string()
    .max(200)
    .transform((text, context) => {
      const digits = read(text);
      if (digits !== undefined) return digits;
      context.addIssue({ code: 'custom', message });
      return z.NEVER;
    })
    .meta({ type: 'string' });
}

/** Text to search for. No database holds U+0000, so a text with it would find nothing, or everything. */
export function searchText(maxLength: number) {
  return z
    .string()
    .max(maxLength)
    .refine((text) => !text.includes('\u0000'), 'must not contain U+0000');
}

/** PEM text (RFC 7468). */
export const pem = z.string();

/** Query flag: the texts `true` and `false`; absent is false. */
export const queryFlag = z
  .enum(['true', 'false'], 'must be true or false')
  .default('false')
  .transform((text) => text === 'true')
  .meta({ type: 'boolean' });

/** Query integer: decimal digits, perhaps after a minus sign, between the bounds; `fallback` when absent. */
export function queryInteger(minimum: number, maximum: number, fallback: number) {
  return integerText(minimum, maximum).prefault(String(fallback));
}

/** The same without a value of its own when absent. */
export function optionalQueryInteger(minimum: number, maximum: number) {
  return integerText(minimum, maximum).optional();
}

function integerText(minimum: number, maximum: number) {
  return (
    z
      .string()
      .regex(/^-?\d{1,15}$/, 'must be an integer')
      // The sum turns -0 into 0.
      .transform((text) => Number(text) + 0)
      .pipe(z.int().min(minimum).max(maximum))
      .meta({ type: 'integer', minimum, maximum })
  );
}

// C0, DEL and C1 controls, and the characters that reverse or hide text; a lone surrogate is not text at all.
// The joiners U+200C and U+200D stay: Persian and composed emoji are written with them.
const controls = /[\p{Cc}\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/u;
// controls but tab and line breaks, and the characters that reverse text
const controlsInProse = /(?![\t\n\r])[\p{Cc}\u202a-\u202e\u2066-\u2069]/u;

/** A rule's sentence with its stable code. */
function rule(code: string, message: string) {
  return { message, params: { code } };
}

/** One line of text: trimmed, NFC, 1 to `maximum` code points, no control characters. */
export function line(maximum: number) {
  return z
    .string()
    .refine((text) => text.isWellFormed(), rule('malformed', 'must be well-formed Unicode'))
    .transform((text) => text.normalize('NFC').trim())
    .refine((text) => text.length > 0, rule('empty', 'must not be empty'))
    .refine((text) => [...text].length <= maximum, rule('too_long', `must be at most ${maximum} characters`))
    .refine((text) => !controls.test(text), rule('control_character', 'must not contain control characters'))
    .meta({ minLength: 1, maxLength: maximum });
}

/** Free text: NFC, at most `maximum` code points, no control characters but tab and line breaks. */
export function prose(maximum: number) {
  return z
    .string()
    .refine((text) => text.isWellFormed(), rule('malformed', 'must be well-formed Unicode'))
    .transform((text) => text.normalize('NFC'))
    .refine((text) => [...text].length <= maximum, rule('too_long', `must be at most ${maximum} characters`))
    .refine(
      (text) => !controlsInProse.test(text),
      rule('control_character', 'must not contain control characters'),
    )
    .meta({ maxLength: maximum });
}

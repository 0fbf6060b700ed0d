import { describe, expect, test } from 'vitest';
import type { z } from 'zod';
import * as scalars from './scalars.js';

type Row = readonly [situation: string, input: unknown, output: unknown];

const refused = Symbol('refused');

function read(schema: z.ZodType, input: unknown): unknown {
  const result = schema.safeParse(input);
  return result.success ? result.data : refused;
}

function table(name: string, schema: z.ZodType, rows: readonly Row[]): void {
  describe(name, () => {
    test.each(rows)('%s', (_, input, output) => {
      expect(read(schema, input)).toBe(output);
    });
  });
}

const id = '0f8fad5b-d9cb-469f-a165-70867728950e';

table('uuid', scalars.uuid, [
  ['lower case stays', id, id],
  ['upper case becomes lower case', id.toUpperCase(), id],
  ['the nil uuid is one', '00000000-0000-0000-0000-000000000000', '00000000-0000-0000-0000-000000000000'],
  ['any version', '01890a5d-ac96-774b-bcce-b302099a8057', '01890a5d-ac96-774b-bcce-b302099a8057'],
  ['without dashes', id.replaceAll('-', ''), refused],
  ['in braces', `{${id}}`, refused],
  ['with a line break after it', `${id}\n`, refused],
  ['with blanks around it', ` ${id} `, refused],
  ['one digit short', id.slice(1), refused],
  ['a letter beyond f', id.replace('0', 'g'), refused],
  ['full-width digits', id.replaceAll('0', '０'), refused],
  ['empty', '', refused],
  ['repeated', [id, id], refused],
  ['null', null, refused],
  ['absent', undefined, refused],
]);

table('instant', scalars.instant, [
  ['UTC with milliseconds', '2026-01-02T03:04:05.678Z', '2026-01-02T03:04:05.678Z'],
  ['another offset', '2026-01-02T03:04:05+02:00', '2026-01-02T03:04:05+02:00'],
  ['leap day', '2028-02-29T00:00:00Z', '2028-02-29T00:00:00Z'],
  ['29 February of another year', '2027-02-29T00:00:00Z', refused],
  ['31 April', '2026-04-31T00:00:00Z', refused],
  ['hour 24', '2026-01-02T24:00:00Z', refused],
  ['without an offset', '2026-01-02T03:04:05', refused],
  ['a date alone', '2026-01-02', refused],
  ['Unix seconds', 1767323045, refused],
]);

table('hex', scalars.hex, [
  ['octets', '30030101ff', '30030101ff'],
  ['none', '', ''],
  ['half an octet', '300', refused],
  ['upper case', 'FF', refused],
  ['with colons', '30:03', refused],
]);

table('query flag', scalars.queryFlag, [
  ['true', 'true', true],
  ['false', 'false', false],
  ['absent is false', undefined, false],
  ['empty', '', refused],
  ['1', '1', refused],
  ['capital', 'True', refused],
  ['with a blank', 'true ', refused],
  ['repeated', ['true', 'true'], refused],
]);

table('query integer of 1 to 1000, else 100', scalars.queryInteger(1, 1000, 100), [
  ['lower bound', '1', 1],
  ['upper bound', '1000', 1000],
  ['leading zeros', '007', 7],
  ['absent is the fallback', undefined, 100],
  ['below', '0', refused],
  ['above', '1001', refused],
  ['negative', '-1', refused],
  ['exponent', '1e3', refused],
  ['fraction', '10.0', refused],
  ['plus sign', '+5', refused],
  ['hexadecimal', '0x10', refused],
  ['full-width digit', '１', refused],
  ['blank around', ' 5', refused],
  ['line break after', '5\n', refused],
  ['empty', '', refused],
  ['beyond what a number holds', '9'.repeat(400), refused],
  ['repeated', ['5', '5'], refused],
  ['nested', { a: '5' }, refused],
]);

table('query integer from 0', scalars.queryInteger(0, Number.MAX_SAFE_INTEGER, 0), [
  ['zero', '0', 0],
  ['minus zero is zero', '-0', 0],
  ['fifteen digits', '999999999999999', 999_999_999_999_999],
  ['sixteen digits', '1000000000000000', refused],
]);

table('optional query integer', scalars.optionalQueryInteger(0, 9), [
  ['present', '9', 9],
  ['absent', undefined, undefined],
  ['empty', '', refused],
]);

table('line of at most 5', scalars.line(5), [
  ['plain', 'abc', 'abc'],
  ['blanks around it go', '  abc \t', 'abc'],
  ['blanks within stay', 'a b', 'a b'],
  ['at the limit', 'abcde', 'abcde'],
  ['over the limit', 'abcdef', refused],
  ['at the limit once trimmed', ' abcde ', 'abcde'],
  ['limits count code points', '😀😀😀😀😀', '😀😀😀😀😀'],
  ['one emoji too many', '😀😀😀😀😀😀', refused],
  ['composed to NFC', 'e\u0301', '\u00e9'],
  ['emoji of several with joiners', '👩\u200d🔬', '👩\u200d🔬'],
  ['empty', '', refused],
  ['only blanks', ' \u00a0\t', refused],
  ['line break within', 'a\nb', refused],
  ['NUL', 'a\u0000', refused],
  ['C1 control', 'a\u0085b', refused],
  ['zero-width space', 'a\u200bb', refused],
  ['reversing mark', 'a\u202eb', refused],
  ['isolating mark', 'a\u2066b', refused],
  ['lone surrogate', 'a\ud800', refused],
  ['number', 5, refused],
  ['null', null, refused],
]);

table('prose of at most 5', scalars.prose(5), [
  ['empty', '', ''],
  ['blanks stay', ' a ', ' a '],
  ['tab and line breaks', 'a\t\r\nb', 'a\t\r\nb'],
  ['composed to NFC', 'e\u0301', '\u00e9'],
  ['at the limit', '😀😀😀😀😀', '😀😀😀😀😀'],
  ['over the limit', 'abcdef', refused],
  ['NUL', '\u0000', refused],
  ['escape', '\u001b[1m', refused],
  ['reversing mark', '\u202e', refused],
  ['lone surrogate', '\udc00', refused],
  ['null', null, refused],
]);

describe('messages', () => {
  test.each([
    ['uuid', scalars.uuid, 'x', 'must be a uuid'],
    ['flag', scalars.queryFlag, 'yes', 'must be true or false'],
    ['integer', scalars.queryInteger(0, 9, 0), 'x', 'must be an integer'],
    ['empty line', scalars.line(5), ' ', 'must not be empty'],
    ['long line', scalars.line(5), 'abcdef', 'must be at most 5 characters'],
    ['control in a line', scalars.line(5), 'a\u0000b', 'must not contain control characters'],
    ['long prose', scalars.prose(5), 'abcdef', 'must be at most 5 characters'],
  ])('%s', (_, schema, input, message) => {
    expect(schema.safeParse(input).error?.issues.map((issue) => issue.message)).toEqual([message]);
  });
});

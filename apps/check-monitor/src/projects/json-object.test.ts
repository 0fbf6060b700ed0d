import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseJsonObject } from './json-object.js';

function parse(text: string): unknown {
  return parseJsonObject(Buffer.from(text, 'utf8'));
}

function outcomeOf(work: () => unknown): 'throws' | 'returns' {
  try {
    work();
    return 'returns';
  } catch {
    return 'throws';
  }
}

describe('body as an object', () => {
  test.each([
    ['no bytes', '', {}],
    ['an empty object', '{}', {}],
    ['the last of two members counts', '{"a":1,"a":2}', { a: 2 }],
    ['a whole number', '{"a":60}', { a: 60 }],
    ['a whole number with a fraction', '{"a":60.0}', { a: 0.5 }],
    ['a whole number with an exponent', '{"a":1e3,"b":-2E+1}', { a: 0.5, b: 0.5 }],
    ['a number within a string', '{"a":"1.0 \\" 2e5"}', { a: '1.0 " 2e5' }],
    ['a fraction after a string that ends in a backslash', '{"a":"\\\\","b":1.0}', { a: '\\', b: 0.5 }],
    ['negative numbers', '{"a":-60,"b":-60.000,"c":[-0.0,1.5e-3]}', { a: -60, b: 0.5, c: [0.5, 0.5] }],
    ['20 levels', `{"a":${'['.repeat(19)}${']'.repeat(19)}}`, expect.anything()],
    ['1,000 values', `{"a":[${'1,'.repeat(997)}1]}`, expect.anything()],
  ])('%s', (_situation, text, value) => {
    expect(parse(text)).toEqual(value);
  });

  test.each([
    ['zeros in front', '01.5'],
    ['two signs', '--1.5'],
    ['a sign alone', '-'],
    ['nothing after the point', '1.'],
    ['nothing before the point', '.5'],
    ['nothing after the e', '1.5e'],
    ['a sign alone after the e', '1e+'],
    ['two fractions', '1.5.5'],
    ['two exponents', '1e5e5'],
    ['two numbers', '1.5 1.5'],
    ['two numbers with a minus between', '1.5-1.5'],
    ['a plus', '+1.5'],
    ['a number after a word', 'true1.5'],
    ['a string without an end', '"1.5'],
  ])('a number stays wrong: %s', (_situation, number) => {
    expect(() => parse(`{"a":${number}}`)).toThrow('could not parse request body');
  });

  test('a text is rejected exactly if it is no JSON', () => {
    const pieces = fc.array(fc.constantFrom(...'00159.eE+-,[]{}":a \\', 'true', '1.50', '"b"'), {
      maxLength: 9,
    });
    fc.assert(
      fc.property(pieces, (some) => {
        const text = `{"a":${some.join('')}}`;
        expect(outcomeOf(() => parse(text))).toBe(outcomeOf(() => JSON.parse(text)));
      }),
      { numRuns: 3000 },
    );
  });

  test.each([
    ['blanks only', '  ', 'could not parse request body'],
    ['a byte order mark', '\ufeff{}', 'could not parse request body'],
    ['half an object', '{"a":', 'could not parse request body'],
    ['NaN', '{"a":NaN}', 'could not parse request body'],
    ['a list', '[]', 'json validation error: value is not an object'],
    ['null', 'null', 'json validation error: value is not an object'],
    ['a string', '"x"', 'json validation error: value is not an object'],
    ['21 levels', `{"a":${'['.repeat(20)}${']'.repeat(20)}}`, 'must not nest deeper than 20 levels'],
    ['a million levels', '['.repeat(1_000_000), 'must not nest deeper than 20 levels'],
    ['1,001 values', `{"a":[${'1,'.repeat(998)}1]}`, 'must not have more than 1000 values'],
  ])('refuses %s', (_situation, text, message) => {
    expect(() => parse(text)).toThrow(message);
  });

  test('refuses bytes that are not UTF-8', () => {
    expect(() => parseJsonObject(Buffer.from([0x7b, 0xff, 0x7d]))).toThrow('could not parse request body');
  });
});

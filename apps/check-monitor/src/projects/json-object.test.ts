import { describe, expect, test } from '@jest/globals';
import { parseJsonObject } from './json-object.js';

function parse(text: string): unknown {
  return parseJsonObject(Buffer.from(text, 'utf8'));
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
  ])('%s', (_situation, text, value) => {
    expect(parse(text)).toEqual(value);
  });

  test.each([
    ['blanks only', '  ', 'could not parse request body'],
    ['a byte order mark', '\ufeff{}', 'could not parse request body'],
    ['half an object', '{"a":', 'could not parse request body'],
    ['NaN', '{"a":NaN}', 'could not parse request body'],
    ['a list', '[]', 'json validation error: value is not an object'],
    ['null', 'null', 'json validation error: value is not an object'],
    ['a string', '"x"', 'json validation error: value is not an object'],
  ])('refuses %s', (_situation, text, message) => {
    expect(() => parse(text)).toThrow(message);
  });

  test('refuses bytes that are not UTF-8', () => {
    expect(() => parseJsonObject(Buffer.from([0x7b, 0xff, 0x7d]))).toThrow('could not parse request body');
  });
});

import { expect, test } from 'vitest';
import { asciiJson } from './ascii-json.js';

test.each([
  ['text beyond ASCII', 'é漢😀', '"\\u00e9\\u6f22\\ud83d\\ude00"'],
  ['text to escape', 'a"\\\n\u0000', '"a\\"\\\\\\n\\u0000"'],
  ['a lone surrogate', '\ud800', '"\\ud800"'],
  ['numbers and words', [1, -2.5, true, null], '[1, -2.5, true, null]'],
  ['an object', { a: 1, b: { 'c é': [] }, d: undefined }, '{"a": 1, "b": {"c \\u00e9": []}}'],
  ['nothing within', {}, '{}'],
])('writes %s', (_situation, value, text) => {
  expect(asciiJson(value)).toBe(text);
});

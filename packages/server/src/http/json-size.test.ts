import { expect, test } from 'vitest';
import { measureJson } from './json-size.js';

test.each([
  ['nothing', '', 0, 1],
  ['a number', '1', 0, 1],
  ['a list', '[1,2,3]', 1, 4],
  ['an object', '{"a":1,"b":[]}', 2, 4],
  ['lists beside each other', '[[],[],[]]', 2, 7],
  ['brackets and commas in a string', '"[[,,{{"', 0, 1],
  ['a quotation mark in a string', '["\\"[[[",{}]', 2, 4],
  ['a backslash at the end of a string', '["\\\\",[[]]]', 3, 5],
  ['a string without an end', '["[[[', 1, 2],
  ['a string that ends in half an escape', '["\\', 1, 2],
  ['letters beyond ASCII', '["ü[",["€"]]', 2, 4],
])('%s: %s', (_situation, text, depth, values) => {
  const limits = { depth: 20, values: 10_000 };
  expect(measureJson(Buffer.from(text), limits)).toEqual({ depth, values });
});

test.each([
  ['lists', '[[[[[[', 4, 5],
  ['values', '[1,2,3,4,5,6,7,8,9]', 1, 6],
])('reads nothing behind the place where there are too many %s', (_situation, text, depth, values) => {
  expect(measureJson(Buffer.from(text), { depth: 3, values: 5 })).toEqual({ depth, values });
});

import { expect, test } from 'vitest';
import { isStorable } from './storable-text.js';

test.each<[string, unknown, boolean]>([
  ['a text', 'aé😀\n', true],
  ['a null character', 'a\0', false],
  ['a lone surrogate', 'a\ud800', false],
  ['numbers and the like', [1, true, null], true],
  ['within an object', { a: [{ b: '\0' }] }, false],
  ['as the name of a member', { '\ud800': 1 }, false],
  ['nothing in it', { a: [{ b: 'c' }] }, true],
])('%s', (_situation, value, storable) => {
  expect(isStorable(value)).toBe(storable);
});

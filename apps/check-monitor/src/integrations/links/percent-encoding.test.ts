import { expect, test } from 'vitest';
import { percentEncode } from './percent-encoding.js';

test.each([
  ['unreserved characters', 'aZ09-._~', '', 'aZ09-._~'],
  ['all others', `a b/c&d'(*)!`, '', 'a%20b%2Fc%26d%27%28%2A%29%21'],
  ['characters that stay as they are', 'a/b?c', '/', 'a/b%3Fc'],
  ['letters beyond ASCII', 'é😀', '', '%C3%A9%F0%9F%98%80'],
  ['a control character', '\n', '', '%0A'],
])('encodes %s', (_situation, text, alsoPlain, encoded) => {
  expect(percentEncode(text, alsoPlain)).toBe(encoded);
});

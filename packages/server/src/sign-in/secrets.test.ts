import { expect, test } from 'vitest';
import { csrfTokenOf, newSecret, sameText, secretHash } from './secrets.js';

test('a new secret has 256 bits, and differs from the previous one', () => {
  expect(newSecret()).toMatch(/^[\w-]{43}$/);
  expect(newSecret()).not.toBe(newSecret());
});

test('the hash of a secret is its SHA-256 in hex', () => {
  // FIPS 180-4, the example of one block
  expect(secretHash('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
});

test('compares texts', () => {
  expect(sameText('abc', 'abc')).toBe(true);
  expect(sameText('abc', 'abd')).toBe(false);
  expect(sameText('abc', 'abcd')).toBe(false);
});

test('a CSRF token is always the same for one session, and differs between sessions', () => {
  const token = csrfTokenOf({ secretHash: 'aa' });
  expect(csrfTokenOf({ secretHash: 'aa' })).toBe(token);
  expect(csrfTokenOf({ secretHash: 'ab' })).not.toBe(token);
  expect(token).toMatch(/^[\w-]{43}$/);
});

import { expect, test } from '@jest/globals';
import {
  bearerOf,
  csrfTokenOf,
  formatApiToken,
  newApiToken,
  parseApiToken,
  sameText,
} from './credentials.js';

test('a new API token reads back into its parts', () => {
  const parts = newApiToken();
  expect(formatApiToken(parts)).toMatch(/^cmt_[a-z0-9]{8}_[\w-]{43}$/);
  expect(parseApiToken(formatApiToken(parts))).toEqual(parts);
});

const secret = 'A-_z'.repeat(11).slice(0, 43);

test.each([
  ['a secret with underscores', `cmt_abcdefgh_${secret}`, { id: 'abcdefgh', secret }],
  ['another prefix', `cmx_abcdefgh_${secret}`, undefined],
  ['a short id', `cmt_abcdefg_${secret}`, undefined],
  ['an id in capitals', `cmt_ABCDEFGH_${secret}`, undefined],
  ['a secret too long', `cmt_abcdefgh_${secret}A`, undefined],
  ['a secret too short', `cmt_abcdefgh_${secret.slice(1)}`, undefined],
  ['a line break at the end', `cmt_abcdefgh_${secret}\n`, undefined],
  ['nothing', '', undefined],
])('%s', (_, text, parts) => {
  expect(parseApiToken(text)).toEqual(parts);
});

test.each([
  ['Bearer abc', 'abc'],
  ['bearer abc', 'abc'],
  ['Bearer  abc', 'abc'],
  ['Bearer', ''],
  ['Bearer ', ''],
  ['Basic abc', undefined],
  ['Bearerabc', undefined],
  ['', undefined],
])('the credential of "%s"', (header, credential) => {
  expect(bearerOf(header)).toBe(credential);
});

test('texts are the same or not', () => {
  expect(sameText('abc', 'abc')).toBe(true);
  expect(sameText('abc', 'abd')).toBe(false);
  expect(sameText('abc', 'abcd')).toBe(false);
});

test('a CSRF token is always the same for a session, and another for another', () => {
  const token = csrfTokenOf({ secretHash: 'aa' });
  expect(csrfTokenOf({ secretHash: 'aa' })).toBe(token);
  expect(csrfTokenOf({ secretHash: 'ab' })).not.toBe(token);
  expect(token).toMatch(/^[\w-]{43}$/);
});

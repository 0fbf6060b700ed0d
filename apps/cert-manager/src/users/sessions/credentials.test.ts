import { expect, test } from 'vitest';
import { bearerOf, formatApiToken, newApiToken, parseApiToken } from './credentials.js';

const secret = 'A-_z'.repeat(11).slice(0, 43);

test('a new API token reads back into its parts', () => {
  const parts = newApiToken(secret);
  expect(formatApiToken(parts)).toMatch(/^cmt_[a-z0-9]{8}_[\w-]{43}$/);
  expect(parseApiToken(formatApiToken(parts))).toEqual(parts);
});

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

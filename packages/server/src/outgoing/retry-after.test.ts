import { expect, test } from 'vitest';
import { parseRetryAfter } from './retry-after.js';

const now = new Date('2026-03-01T12:00:00Z');

test.each([
  ['seconds', '120', '2026-03-01T12:02:00.000Z'],
  ['none', '0', '2026-03-01T12:00:00.000Z'],
  ['with spaces around', ' 5 ', '2026-03-01T12:00:05.000Z'],
  ['a date', 'Sun, 01 Mar 2026 13:00:00 GMT', '2026-03-01T13:00:00.000Z'],
  ['a date in the past', 'Sat, 28 Feb 2026 13:00:00 GMT', '2026-02-28T13:00:00.000Z'],
])('Retry-After: %s', (_, text, instant) => {
  expect(parseRetryAfter(text, now)?.toISOString()).toBe(instant);
});

test.each([
  ['absent', undefined],
  ['empty', ''],
  ['negative', '-1'],
  ['a fraction', '1.5'],
  ['endless', '99999999999'],
  ['another form of a date', '2026-03-01T13:00:00Z'],
  ['a date that there is not', 'Sun, 99 Mar 2026 13:00:00 GMT'],
  ['a word', 'soon'],
])('Retry-After: %s → none', (_, text) => {
  expect(parseRetryAfter(text, now)).toBeUndefined();
});

import { expect, test } from 'vitest';
import { needsPerson } from './needs-person.js';

const now = Date.parse('2026-03-01T12:00:00.000Z');

test.each([
  ['a renewal that failed an hour ago', '2026-03-01T11:00:00.000Z', true],
  ['a moment that is now', '2026-03-01T12:00:00.000Z', true],
  ['a moment in a second', '2026-03-01T12:00:01.000Z', false],
  ['a moment in 335 days', '2027-01-30T12:00:00.000Z', false],
  ['no date', undefined, false],
])('judges %s', (_, attentionAt, isNeeded) => {
  expect(needsPerson(attentionAt, now)).toBe(isNeeded);
});

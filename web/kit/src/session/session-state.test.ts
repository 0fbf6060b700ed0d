import { expect, test } from 'vitest';
import { canStay, clockText, skewOf, warningOf } from './session-state.js';

const noon = Date.parse('2026-03-01T12:00:00Z');
const at = (minutes: number) => new Date(noon + minutes * 60_000).toISOString();

test.each([
  ['half an hour ahead', { idleEndsAt: at(30), endsAt: at(700) }, 0, undefined],
  ['a moment more than two minutes ahead', { idleEndsAt: at(2.01), endsAt: at(700) }, 0, undefined],
  ['two minutes ahead', { idleEndsAt: at(2), endsAt: at(700) }, 0, 120_000],
  ['at its longest time, though it was used', { idleEndsAt: at(30), endsAt: at(1) }, 0, 60_000],
  ['over', { idleEndsAt: at(-3), endsAt: at(700) }, 0, 0],
  [
    'near by the clock of the service, which is ahead',
    { idleEndsAt: at(30), endsAt: at(700) },
    29 * 60_000,
    60_000,
  ],
  [
    'far by the clock of the service, which is behind',
    { idleEndsAt: at(1), endsAt: at(700) },
    -600_000,
    undefined,
  ],
])('warns when the end is %s', (_, ends, skewMs, left) => {
  expect(warningOf(ends, noon, skewMs)).toBe(left);
});

test('does not warn about an unknown end', () => {
  expect(warningOf(undefined, noon, 0)).toBeUndefined();
});

test('offers to extend the session only before its maximum age', () => {
  expect(canStay({ idleEndsAt: at(1), endsAt: at(60) })).toBe(true);
  expect(canStay({ idleEndsAt: at(60), endsAt: at(60) })).toBe(false);
});

test.each([
  ['Sun, 01 Mar 2026 12:00:00 GMT', 0],
  ['Sun, 01 Mar 2026 12:10:00 GMT', 600_500],
  ['Sun, 01 Mar 2026 11:50:00 GMT', -599_500],
  ['nonsense', 0],
  [undefined, 0],
])('calculates the clock difference from the date %s', (date, skew) => {
  expect(skewOf(date, noon)).toBe(skew);
});

test.each([
  [119_999, '1:59'],
  [60_000, '1:00'],
  [5_999, '0:05'],
  [0, '0:00'],
])('writes %i ms as %s', (ms, text) => {
  expect(clockText(ms)).toBe(text);
});

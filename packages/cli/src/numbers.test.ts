import { expect, test } from 'vitest';
import { duration, moment } from './numbers.js';

test.each([
  ['90', 's', 90],
  ['1d', 's', 86_400],
  ['36h', 's', 129_600],
  ['1h30m', 's', 5_400],
  ['5min', 's', 300],
  ['30', 'd', 30],
  ['2w', 'd', 14],
  ['36h', 'd', 1.5],
] as const)('%s is %s: %d', (text, unit, value) => {
  expect(duration('--within', unit, 0, 1_000_000)(text)).toBe(value);
});

test.each(['', 'soon', '1.5d', '-1', 'd', '1y', '32m1x', '9999999999', '2w'])('%j is refused', (text) => {
  expect(() => duration('--grace', 's', 60, 604_800)(text)).toThrow(
    '--grace takes a whole number from 60 to 604800 (seconds), or a duration such as 36h or 1d.',
  );
});

test.each([
  ['2026-12-31', '2026-12-31T00:00:00.000Z'],
  ['2026-12-31T12:00:00+01:00', '2026-12-31T11:00:00.000Z'],
])('reads the moment %s', (text, read) => {
  expect(moment('--from', 'ago')(text)).toBe(read);
});

test.each([
  ['ago', '36h', -36 * 3_600_000],
  ['ahead', '1d', 86_400_000],
] as const)('reads a moment %s by the duration %s', (direction, text, distance) => {
  const before = Date.now();
  const read = new Date(moment('--until', direction)(text)).getTime() - distance;
  expect(read).toBeGreaterThanOrEqual(before);
  expect(read).toBeLessThanOrEqual(Date.now());
});

test.each(['soon', '', '3 days'])('rejects the moment %j with the way out', (text) => {
  expect(() => moment('--from', 'ago')(text)).toThrow(
    '--from takes a moment such as 2026-12-31 or 2026-12-31T12:00:00Z, or a duration such as 36h or 1d.',
  );
});

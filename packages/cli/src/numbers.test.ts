import { expect, test } from '@jest/globals';
import { duration } from './numbers.js';

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

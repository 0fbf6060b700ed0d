import { describe, expect, test } from 'vitest';
import { endOfLimit, limitPeriods, secondsUntil } from './order-limits.js';

const now = new Date('2026-03-01T12:00:00Z');
const at = (ms: number) => new Date(now.getTime() + ms);
const { day } = limitPeriods;

describe('endOfLimit', () => {
  test.each<[string, Date | undefined, Date | undefined]>([
    ['fewer orders', undefined, undefined],
    ['an order of this moment', now, at(day)],
    ['one just within the period', at(1 - day), at(1)],
    ['one just outside of it', at(-day), undefined],
    ['one from the future', at(1), undefined],
  ])('with %s', (_, oldest, expected) => {
    expect(endOfLimit(oldest, day, now)).toEqual(expected);
  });
});

test.each([
  [-5000, 1],
  [0, 1],
  [1, 1],
  [1001, 2],
  [day, 86_400],
])('secondsUntil %i ms', (ms, seconds) => {
  expect(secondsUntil(at(ms), now)).toBe(seconds);
});

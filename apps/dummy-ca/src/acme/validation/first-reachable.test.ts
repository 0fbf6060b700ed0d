import { expect, test } from 'vitest';
import { connectLimitMs } from './first-reachable.js';

test.each<[string, number, number, number | undefined]>([
  ['is at most the maximum', 10_000, 1, 3_000],
  ['is the share of what is left', 4_000, 1, 2_000],
  ['is a fourth of what is left for the first of four', 4_000, 3, 1_000],
  ['is nothing without time left', 0, 2, 0],
  ['is undefined for the last address', 4_000, 0, undefined],
])('the time for connecting to an address %s', (_, left, others, expected) => {
  expect(connectLimitMs({ maxConnectMs: 3_000, msLeft: () => left }, others)).toBe(expected);
});

import { expect, test } from 'vitest';
import { createSlidingLimit } from './sliding-limit.js';

const second = 1_000_000;

test('a key has six turns a minute, the next when the oldest is a minute old', () => {
  const limit = createSlidingLimit(6, 60 * second);
  const waits = [0, 1, 2, 3, 4, 5, 6, 59, 60, 60.5, 61, 61].map((at) => limit.take('1', at * second));
  expect(waits.map((wait) => wait / second)).toEqual([0, 0, 0, 0, 0, 0, 54, 1, 0, 0.5, 0, 1]);
});

test('keys are limited separately', () => {
  const limit = createSlidingLimit(6, 60 * second);
  for (let turn = 0; turn < 6; turn += 1) limit.take('1', 0);
  expect([limit.take('1', 0), limit.take('2', 0)]).toEqual([60 * second, 0]);
});

test('turns may be counted apart from the question whether there is one', () => {
  const limit = createSlidingLimit(2, 60 * second);
  limit.count('1', 0);
  expect([limit.wait('1', 10 * second), limit.wait('1', 10 * second)]).toEqual([0, 0]);
  limit.count('1', 10 * second);
  expect([limit.wait('1', 20 * second), limit.wait('2', 20 * second)]).toEqual([40 * second, 0]);
});

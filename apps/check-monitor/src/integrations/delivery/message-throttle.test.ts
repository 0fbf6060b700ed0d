import { expect, test } from '@jest/globals';
import { createMessageThrottle } from './message-throttle.js';

const second = 1_000_000;

test('a receiver gets six messages a minute, the next when the oldest is a minute old', () => {
  const throttle = createMessageThrottle();
  const waits = [0, 1, 2, 3, 4, 5, 6, 59, 60, 60.5, 61, 61].map((at) => throttle.take('1', at * second));
  expect(waits.map((wait) => wait / second)).toEqual([0, 0, 0, 0, 0, 0, 54, 1, 0, 0.5, 0, 1]);
});

test('receivers are limited separately', () => {
  const throttle = createMessageThrottle();
  for (let turn = 0; turn < 6; turn += 1) throttle.take('1', 0);
  expect([throttle.take('1', 0), throttle.take('2', 0)]).toEqual([60 * second, 0]);
});

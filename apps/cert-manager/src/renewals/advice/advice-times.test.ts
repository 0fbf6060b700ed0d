import { expect, test } from 'vitest';
import { nextAdvice } from './advice-times.js';

const now = new Date('2026-03-01T12:00:00Z');
const seconds = (count: number) => new Date(now.getTime() + count * 1000);

test.each([
  ['as the CA says', 21_600, 21_600],
  ['a CA that says nothing: after six hours', undefined, 21_600],
  ['at once: after a minute', 0, 60],
  ['in the past: after a minute', -3600, 60],
  ['after a minute', 60, 60],
  ['after half a day', 43_200, 43_200],
  ['after a day: after half of it', 86_400, 43_200],
])('%s', (_, wanted, expected) => {
  expect(nextAdvice(now, wanted === undefined ? undefined : seconds(wanted))).toEqual(seconds(expected));
});

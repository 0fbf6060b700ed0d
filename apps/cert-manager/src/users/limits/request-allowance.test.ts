import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Draw, drawRequest } from './request-allowance.js';

const now = 1_000_000;

function draws(perMinute: number, moments: readonly number[]): Draw[] {
  const results: Draw[] = [];
  for (const at of moments) results.push(drawRequest(results.at(-1)?.wholeAt, perMinute, at));
  return results;
}

test.each<[string, number, readonly number[], Partial<Draw>]>([
  ['the first of 60', 60, [0], { isAllowed: true, remaining: 59, resetSeconds: 1, waitSeconds: 0 }],
  ['the second at once', 60, [0, 0], { isAllowed: true, remaining: 58, resetSeconds: 2 }],
  ['the second after a second', 60, [0, 1000], { isAllowed: true, remaining: 59, resetSeconds: 1 }],
  ['the last of 2', 2, [0, 0], { isAllowed: true, remaining: 0, resetSeconds: 60, waitSeconds: 30 }],
  ['one too many of 2', 2, [0, 0, 0], { isAllowed: false, remaining: 0, waitSeconds: 30 }],
  ['refused, then a moment too early', 2, [0, 0, 0, 29_999], { isAllowed: false, waitSeconds: 1 }],
  ['refused, then in time', 2, [0, 0, 0, 30_000], { isAllowed: true, remaining: 0, waitSeconds: 30 }],
  ['the only one of 1', 1, [0], { isAllowed: true, remaining: 0, waitSeconds: 60 }],
  ['one too many of 1', 1, [0, 59_999], { isAllowed: false, waitSeconds: 1 }],
  ['the next one of 1', 1, [0, 60_000], { isAllowed: true }],
  [
    'after a minute the allowance is whole',
    7,
    [0, 0, 0, 0, 0, 0, 0, 60_000],
    { isAllowed: true, remaining: 6 },
  ],
])('%s', (_, perMinute, moments, expected) => {
  const times = moments.map((at) => now + at);
  expect(draws(perMinute, times).at(-1)).toMatchObject(expected);
});

test('accepts exactly the allowed number of requests at once', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 5000 }), (perMinute) => {
      const all = draws(perMinute, new Array<number>(perMinute + 3).fill(now));
      expect(all.filter(({ isAllowed }) => isAllowed)).toHaveLength(perMinute);
    }),
    { numRuns: 50 },
  );
});

test('accepts a caller who waited as long as the response says', () => {
  const gaps = fc.array(fc.integer({ min: 0, max: 20_000 }), { minLength: 1, maxLength: 60 });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 20 }), gaps, (perMinute, waits) => {
      let at = now;
      const moments = waits.map((wait) => {
        at += wait;
        return at;
      });
      const last = draws(perMinute, moments).at(-1);
      if (last === undefined) throw new Error('nothing was drawn');
      expect(drawRequest(last.wholeAt, perMinute, at + last.waitSeconds * 1000).isAllowed).toBe(true);
    }),
  );
});

test('counts a request that is as much as several', () => {
  const first = drawRequest(undefined, 600, now, 500);
  expect(first).toMatchObject({ isAllowed: true, remaining: 100, waitSeconds: 40 });
  const second = drawRequest(first.wholeAt, 600, now, 101);
  expect(second).toMatchObject({ isAllowed: false, remaining: 100, waitSeconds: 1 });
  expect(drawRequest(second.wholeAt, 600, now, 100).isAllowed).toBe(true);
  expect(drawRequest(second.wholeAt, 600, now + second.waitSeconds * 1000, 101).isAllowed).toBe(true);
  expect(drawRequest(undefined, 600, now, 601)).toMatchObject({ isAllowed: false, remaining: 600 });
});

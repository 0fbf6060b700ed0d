import { expect, test } from '@jest/globals';
import { inTurns } from './in-turns.js';

test('works on so many at once, each once, and returns the results in their order', async () => {
  let running = 0;
  let most = 0;
  const results = await inTurns([5, 1, 4, 2, 3], 2, async (item) => {
    running += 1;
    most = Math.max(most, running);
    await Promise.resolve();
    running -= 1;
    return item * 10;
  });
  expect(results).toEqual([50, 10, 40, 20, 30]);
  expect(most).toBe(2);
});

test('does nothing without items', async () => {
  expect(await inTurns([], 4, () => Promise.reject(new Error('called')))).toEqual([]);
});

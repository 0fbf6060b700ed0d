import { expect, test } from '@jest/globals';
import { mapInTurns } from './in-turns.js';

test.each([0, 1, 3, 20])('%i things keep their order, and few are worked on at once', async (count) => {
  let busy = 0;
  let most = 0;
  const results = await mapInTurns([...Array(count).keys()], 4, async (n) => {
    busy += 1;
    most = Math.max(most, busy);
    await Promise.resolve();
    busy -= 1;
    return n * 2;
  });
  expect(results).toEqual([...Array(count).keys()].map((n) => n * 2));
  expect(most).toBeLessThanOrEqual(4);
});

test('the first fault is reported', async () => {
  const work = (n: number) => (n === 2 ? Promise.reject(new Error('two')) : Promise.resolve(n));
  await expect(mapInTurns([1, 2, 3], 2, work)).rejects.toThrow('two');
});

import { expect, test } from 'vitest';
import { mapAtOnce } from './at-once.js';

/** Work that ends when the test says so. */
function createWork() {
  const begun: number[] = [];
  const ends = new Map<number, (error?: Error) => void>();
  const work = (item: number) => {
    begun.push(item);
    return new Promise<number>((resolve, reject) => {
      ends.set(item, (error) => (error === undefined ? resolve(item * 10) : reject(error)));
    });
  };
  const end = async (item: number, error?: Error) => {
    ends.get(item)?.(error);
    await new Promise(setImmediate);
  };
  return { begun, work, end };
}

test('works on so many items at a time and returns the results in the order of the items', async () => {
  const { begun, work, end } = createWork();
  const results = mapAtOnce([1, 2, 3], 2, work);
  expect(begun).toEqual([1, 2]);
  await end(2);
  expect(begun).toEqual([1, 2, 3]);
  await end(3);
  await end(1);
  expect(await results).toEqual([10, 20, 30]);
});

test('begins nothing after an error', async () => {
  const { begun, work, end } = createWork();
  const results = mapAtOnce([1, 2, 3, 4], 2, work);
  const rejected = expect(results).rejects.toThrow('lost');
  await end(1, new Error('lost'));
  await end(2);
  await rejected;
  expect(begun).toEqual([1, 2]);
});

test('returns nothing for nothing', async () => {
  expect(await mapAtOnce([], 2, async () => 1)).toEqual([]);
});

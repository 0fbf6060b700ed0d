import { expect, test } from 'vitest';
import { createGrowingCache } from './growing-cache.js';

test('drops the entry used least recently', () => {
  const cache = createGrowingCache<number>(2);
  cache.set('a', 1);
  cache.set('b', 2);
  cache.get('a');
  cache.set('c', 3);
  expect([...cache.keys()]).toEqual(['c', 'a']);
});

test('stores one entry for a key', () => {
  const cache = createGrowingCache<number>(2);
  for (const value of [1, 2, 3]) cache.set('a', value);
  cache.set('b', 4);
  expect([...cache.entries()]).toEqual([
    ['b', 4],
    ['a', 3],
  ]);
});

test('allocates memory for a high limit only when entries arrive', () => {
  const heap = () => process.memoryUsage().heapUsed + process.memoryUsage().arrayBuffers;
  const before = heap();
  const caches = Array.from({ length: 20 }, () => createGrowingCache(1_000_000));
  expect(caches).toHaveLength(20);
  expect(heap() - before).toBeLessThan(20_000_000);
});

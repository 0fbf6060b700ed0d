import { LRUCache } from 'lru-cache';

/**
 * A cache of up to `limit` entries that drops the one used least recently. It takes memory as it fills: one with
 * `max` takes room for all entries when it is created, 25 ms of a start for 100,000.
 */
export function createGrowingCache<T extends NonNullable<unknown>>(limit: number): LRUCache<string, T> {
  return new LRUCache<string, T>({ maxSize: limit, sizeCalculation: () => 1 });
}

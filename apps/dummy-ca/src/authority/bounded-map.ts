import { LRUCache } from 'lru-cache';

/** A map that keeps at most so much; the oldest goes first. */
export interface BoundedMap<T> {
  readonly size: number;
  get(key: string): T | undefined;
  /** Puts an entry in under a key that is new. */
  insert(key: string, value: T): void;
  /** Whether there was one. */
  delete(key: string): boolean;
  values(): IterableIterator<T>;
}

export interface Bounds<T> {
  /** Maximum weight of all entries together; the newest stays whatever its weight. */
  readonly limit: number;
  /** 1 when absent, so that the limit is a number of entries. */
  readonly weigh?: (value: T) => number;
  /** Called with each entry that the limit pushes out. */
  readonly onDrop?: (value: T) => void;
}

export function createBoundedMap<T extends NonNullable<unknown>>({
  limit,
  weigh = () => 1,
  onDrop,
}: Bounds<T>): BoundedMap<T> {
  const entries = new LRUCache<string, T>({
    maxSize: limit,
    // one that is too heavy is stored alone
    sizeCalculation: (value) => Math.min(weigh(value), limit),
    ...(onDrop && { dispose: (value: T, _: string, reason: string) => reason === 'evict' && onDrop(value) }),
  });
  return {
    get size() {
      return entries.size;
    },
    // looking at an entry does not make it younger
    get: (key) => entries.peek(key),
    insert: (key, value) => void entries.set(key, value),
    delete: (key) => entries.delete(key),
    // undefined stands for what is being fetched, and nothing is
    values: () => entries.rvalues() as IterableIterator<T>,
  };
}

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
  /** What all entries together weigh at most; the newest is kept whatever its weight. */
  readonly limit: number;
  /** 1 when absent, so that the limit is a number of entries. */
  readonly weigh?: (value: T) => number;
  /** Is told of each entry that the limit pushes out. */
  readonly onDrop?: (value: T) => void;
}

export function createBoundedMap<T>({ limit, weigh = () => 1, onDrop }: Bounds<T>): BoundedMap<T> {
  const entries = new Map<string, T>();
  // One iterator for good: it goes on where it stood, while a new one would step over all that was deleted.
  const oldestFirst = entries.entries();
  let weight = 0;

  const remove = (key: string, value: T) => {
    entries.delete(key);
    weight -= weigh(value);
  };
  return {
    get size() {
      return entries.size;
    },
    get: (key) => entries.get(key),
    insert: (key, value) => {
      entries.set(key, value);
      weight += weigh(value);
      while (weight > limit && entries.size > 1) {
        const oldest = oldestFirst.next();
        if (oldest.done === true) return;
        remove(...oldest.value);
        onDrop?.(oldest.value[1]);
      }
    },
    delete: (key) => {
      const value = entries.get(key);
      if (value === undefined) return false;
      remove(key, value);
      return true;
    },
    values: () => entries.values(),
  };
}

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

export function createBoundedMap<T>({ limit, weigh = () => 1, onDrop }: Bounds<T>): BoundedMap<T> {
  const entries = new Map<string, T>();
  // An iterator goes on where it stood, while a new one steps over all that was deleted. Yet V8 keeps, for an iterator
  // that stands, every table that the Map has had since: so a new one begins once for as many entries as there are.
  let oldestFirst = entries.entries();
  let insertedSince = 0;
  let weight = 0;

  const remove = (key: string, value: T) => {
    entries.delete(key);
    weight -= weigh(value);
  };
  const dropOldest = () => {
    while (weight > limit && entries.size > 1) {
      const oldest = oldestFirst.next();
      if (oldest.done === true) return;
      remove(...oldest.value);
      onDrop?.(oldest.value[1]);
    }
  };
  return {
    get size() {
      return entries.size;
    },
    get: (key) => entries.get(key),
    insert: (key, value) => {
      entries.set(key, value);
      weight += weigh(value);
      dropOldest();
      insertedSince += 1;
      if (insertedSince <= entries.size) return;
      insertedSince = 0;
      oldestFirst = entries.entries();
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

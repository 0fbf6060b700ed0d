/** A map that keeps at most so many entries; the oldest goes first. */
export interface BoundedMap<T> {
  readonly size: number;
  get(key: string): T | undefined;
  /** Puts an entry in; one that is there already keeps its age. */
  set(key: string, value: T): void;
  /** Whether there was one. */
  delete(key: string): boolean;
  values(): IterableIterator<T>;
}

/** `onDrop` is told of each entry that the limit pushes out. */
export function createBoundedMap<T>(limit: number, onDrop: (value: T) => void = () => {}): BoundedMap<T> {
  const entries = new Map<string, T>();
  // One iterator for good: it goes on where it stood, while a new one would step over all that was deleted.
  const oldestFirst = entries.entries();
  return {
    get size() {
      return entries.size;
    },
    get: (key) => entries.get(key),
    set: (key, value) => {
      entries.set(key, value);
      if (entries.size <= limit) return;
      const oldest = oldestFirst.next();
      if (oldest.done === true) return;
      entries.delete(oldest.value[0]);
      onDrop(oldest.value[1]);
    },
    delete: (key) => entries.delete(key),
    values: () => entries.values(),
  };
}

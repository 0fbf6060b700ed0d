/** A map of at most `limit` entries: those that were put in last, each under a key that is new then. */
export interface Latest<T> {
  get(key: string): T | undefined;
  /** Gives an entry and forgets it. */
  take(key: string): T | undefined;
  put(key: string, value: T): void;
}

export function createLatest<T>(limit: number): Latest<T> {
  // A Map keeps the order of insertion.
  const entries = new Map<string, T>();
  // An iterator goes on where it stood, while a new one steps over all that was deleted. Yet V8 keeps, for an iterator
  // that stands, every table that the Map has had since: so a new one begins once for as many entries as there are.
  let oldestFirst = entries.keys();
  let putSince = 0;
  return {
    get: (key) => entries.get(key),
    take: (key) => {
      const value = entries.get(key);
      entries.delete(key);
      return value;
    },
    put: (key, value) => {
      entries.set(key, value);
      if (entries.size > limit) entries.delete(oldestFirst.next().value ?? key);
      putSince += 1;
      if (putSince <= entries.size) return;
      putSince = 0;
      oldestFirst = entries.keys();
    },
  };
}

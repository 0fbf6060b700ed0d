/** A map of what was used lately. */
export interface Recent<Value> {
  get(key: string): Value | undefined;
  put(key: string, value: Value): void;
}

/**
 * Holds at least the `limit` entries used last and at most twice as many. Two maps take turns, as a new iterator over
 * a Map steps over all that was deleted from it: an entry that is used moves to the newer one, and the older one goes as a whole.
 */
export function createRecent<Value>(limit: number): Recent<Value> {
  let newer = new Map<string, Value>();
  let older = new Map<string, Value>();
  const put = (key: string, value: Value) => {
    if (newer.size >= limit && !newer.has(key)) {
      older = newer;
      newer = new Map();
    }
    newer.set(key, value);
  };
  return {
    get: (key) => {
      const value = newer.get(key);
      if (value !== undefined) return value;
      const found = older.get(key);
      if (found !== undefined) put(key, found);
      return found;
    },
    put,
  };
}

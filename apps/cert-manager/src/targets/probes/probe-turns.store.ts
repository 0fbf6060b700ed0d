/** Runs work that belongs to a key, such as a host, when it is its turn. */
export type ProbeTurns = <T>(key: string, work: () => Promise<T>) => Promise<T>;

/** Turns of which `atOnce` run at once for each key, in the order in which they come. */
export function createKeyedTurns(atOnce: number): ProbeTurns {
  const places = new Map<string, { running: number; readonly waiting: (() => void)[] }>();
  return async (key, work) => {
    const place = places.get(key) ?? { running: 0, waiting: [] };
    places.set(key, place);
    if (place.running >= atOnce) await new Promise<void>((resolve) => place.waiting.push(resolve));
    else place.running += 1;
    try {
      return await work();
    } finally {
      // the place goes on to who waits longest, so `running` stays as it is
      const next = place.waiting.shift();
      if (next !== undefined) next();
      else if (--place.running === 0) places.delete(key);
    }
  };
}

/** Runs work under keys: so much at once in all, and so much at once for each key. */
export interface ProbeTurns {
  /** Runs what belongs to a host or an address, two at once for each. */
  <T>(key: string, work: () => Promise<T>): Promise<T>;
}

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

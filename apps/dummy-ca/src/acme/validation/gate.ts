/** Lets at most `limit` tasks run at once; the others wait in their order. */
export function createGate(limit: number): <T>(task: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (task) => {
    if (running >= limit) await new Promise<void>((resolve) => waiting.push(resolve));
    else running += 1;
    try {
      return await task();
    } finally {
      const next = waiting.shift();
      // A place is handed on, not given back, so that nobody who comes in between takes it.
      if (next === undefined) running -= 1;
      else next();
    }
  };
}

/** Lets a bounded number of calls run at the same time; the others wait in order. */
export interface CallSlots {
  /**
   * What `work` returns, begun when fewer than `limit` calls run. Who has to wait does so until the signal of
   * `patience` fires; it rejects with the signal's reason then, and `work` is not begun.
   */
  run<T>(limit: number, patience: () => AbortSignal, work: () => Promise<T>): Promise<T>;
}

export function createCallSlots(): CallSlots {
  const waiting: (() => void)[] = [];
  let running = 0;
  return {
    run: async (limit, patience, work) => {
      if (running < limit && waiting.length === 0) running += 1;
      else await turn(waiting, patience());
      try {
        return await work();
      } finally {
        // a slot that someone waits for is handed on, so that no one who comes now can take it
        const next = waiting.shift();
        if (next === undefined) running -= 1;
        else next();
      }
    },
  };
}

/** Resolves when a slot is handed over. */
function turn(waiting: (() => void)[], signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const leave = () => {
      waiting.splice(waiting.indexOf(enter), 1);
      reject(signal.reason);
    };
    const enter = () => {
      signal.removeEventListener('abort', leave);
      resolve();
    };
    if (signal.aborted) return reject(signal.reason);
    signal.addEventListener('abort', leave, { once: true });
    waiting.push(enter);
  });
}

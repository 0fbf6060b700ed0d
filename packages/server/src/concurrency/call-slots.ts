import pLimit, { type LimitFunction } from 'p-limit';

/** Lets a bounded number of calls run at the same time; the others wait in order. */
export interface CallSlots {
  /**
   * Returns what `work` returns, begun when fewer than `limit` calls run. Who has to wait does so until the signal of
   * `patience` fires; it rejects with the signal's reason then, and `work` is not begun.
   */
  run<T>(limit: number, patience: () => AbortSignal, work: () => Promise<T>): Promise<T>;
}

export function createCallSlots(): CallSlots {
  const slots = pLimit(1);
  return {
    run: async (limit, patience, work) => {
      if (slots.concurrency !== limit) slots.concurrency = limit;
      return slots.activeCount < limit ? slots(work) : runInTime(slots, patience(), work);
    },
  };
}

/** Rejects when the signal fires before it is the turn of `work`. */
function runInTime<T>(slots: LimitFunction, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = () => reject(signal.reason);
    if (signal.aborted) return leave();
    signal.addEventListener('abort', leave, { once: true });
    void slots(async () => {
      signal.removeEventListener('abort', leave);
      if (!signal.aborted) await work().then(resolve, reject);
    });
  });
}

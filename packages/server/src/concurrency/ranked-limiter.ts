import { tooBusy } from './limiter.js';

export interface RankedLimiterRules {
  /** How much of the work runs at once. */
  readonly atOnce: number;
  /** Work of a higher rank counts as of this one. */
  readonly maxRank: number;
  /** How much work above rank 0 may wait. */
  readonly maxWaiting: number;
}

interface Waiting {
  begin(): Promise<void>;
  refuse(error: Error): void;
}

/**
 * Runs work by its rank, from 0 on, and the newest of a rank first, so that a crowd does not delay what comes after it.
 * Work of rank 0 is never refused. When too much of the others waits, the oldest of the highest rank is: it throws
 * too_many_requests.
 */
export function createRankedLimiter({
  atOnce,
  maxRank,
  maxWaiting,
}: RankedLimiterRules): <T>(rank: number, work: () => Promise<T>) => Promise<T> {
  const waiting = Array.from({ length: maxRank + 1 }, (): Waiting[] => []);
  let running = 0;

  const beginNext = (): void => {
    if (running >= atOnce) return;
    const next = waiting.find(({ length }) => length > 0)?.pop();
    if (next === undefined) return;
    running += 1;
    void next.begin().finally(() => {
      running -= 1;
      beginNext();
    });
  };
  const refuseSurplus = (): void => {
    const [, ...later] = waiting;
    const count = later.reduce((sum, { length }) => sum + length, 0);
    if (count > maxWaiting)
      later
        .findLast(({ length }) => length > 0)
        ?.shift()
        ?.refuse(tooBusy());
  };
  return (rank, work) =>
    new Promise((resolve, reject) => {
      const begin = () => work().then(resolve, reject);
      waiting[Math.min(rank, maxRank)]?.push({ begin, refuse: reject });
      beginNext();
      refuseSurplus();
    });
}

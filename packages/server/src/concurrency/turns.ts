import { AppError } from '@certloop/contracts';

export interface TurnRules {
  /** How much of the work runs at once. */
  readonly atOnce: number;
  /** How much of it may wait; who comes later is refused. */
  readonly maxWaiting: number;
}

/** Runs work in the order in which it comes, so much at once. Throws too_many_requests when too much waits. */
export function createTurns({ atOnce, maxWaiting }: TurnRules): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    if (running >= atOnce) {
      if (waiting.length >= maxWaiting) throw tooBusy();
      await new Promise<void>((resolve) => waiting.push(resolve));
    } else running += 1;
    try {
      return await work();
    } finally {
      // The place goes on to who waits longest, so `running` stays as it is.
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
}

function tooBusy(): AppError {
  return new AppError('too_many_requests', 'too many of these at once; try again in some seconds', {
    headers: { 'Retry-After': '10' },
  });
}

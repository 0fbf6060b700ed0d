import { AppError } from '@certloop/contracts';
import pLimit, { type LimitFunction } from 'p-limit';

export interface TurnRules {
  /** How much of the work runs at once. */
  readonly atOnce: number;
  /** How much of it may wait, without a limit when absent; work beyond that is refused. */
  readonly maxWaiting?: number;
}

/** Runs work in the order in which it comes, so much at once. Throws too_many_requests when too much waits. */
export function createTurns({
  atOnce,
  maxWaiting = Number.POSITIVE_INFINITY,
}: TurnRules): <T>(work: () => Promise<T>) => Promise<T> {
  const limit = pLimit(atOnce);
  return async (work) => {
    if (limit.activeCount >= atOnce && limit.pendingCount >= maxWaiting) throw tooBusy();
    return limit(work);
  };
}

/** Runs work that belongs to a key, such as a host: of each key so much at once, in the order in which it comes. */
export type KeyedTurns = <T>(key: string, work: () => Promise<T>) => Promise<T>;

export function createKeyedTurns(atOnce: number): KeyedTurns {
  const limits = new Map<string, LimitFunction>();
  return async (key, work) => {
    const limit = limits.get(key) ?? pLimit(atOnce);
    limits.set(key, limit);
    try {
      return await limit(work);
    } finally {
      if (limit.activeCount + limit.pendingCount === 0) limits.delete(key);
    }
  };
}

function tooBusy(): AppError {
  return new AppError('too_many_requests', 'too many of these at once; try again in some seconds', {
    headers: { 'Retry-After': '10' },
  });
}

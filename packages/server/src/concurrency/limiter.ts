import { AppError } from '@certloop/contracts';
import pLimit, { type LimitFunction } from 'p-limit';

export interface LimiterRules {
  /** How much of the work runs at once. */
  readonly atOnce: number;
  /** How much of it may wait, without a limit when absent; work beyond that is refused. */
  readonly maxWaiting?: number;
}

/** Runs work in the order in which it comes, so much at once. Throws too_many_requests when too much waits. */
export function createLimiter({
  atOnce,
  maxWaiting = Number.POSITIVE_INFINITY,
}: LimiterRules): <T>(work: () => Promise<T>) => Promise<T> {
  const limit = pLimit(atOnce);
  return async (work) => {
    if (limit.activeCount >= atOnce && limit.pendingCount >= maxWaiting) throw tooBusy();
    return limit(work);
  };
}

/** Runs work that belongs to a key, such as a host: of each key so much at once, in the order in which it comes. */
export type KeyedLimiter = <T>(key: string, work: () => Promise<T>) => Promise<T>;

export function createKeyedLimiter(atOnce: number): KeyedLimiter {
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

/** Returns the error with which work is rejected when too much waits. */
export function tooBusy(): AppError {
  return new AppError('too_many_requests', 'too many of these at once; try again in some seconds', {
    headers: { 'Retry-After': '10' },
  });
}

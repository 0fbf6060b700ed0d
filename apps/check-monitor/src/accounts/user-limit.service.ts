import { TooManyRequests } from '@certloop/contracts';
import { type Clock, microsPerSecond } from '../instants.js';
import { createSlidingLimit } from '../integrations/delivery/sliding-limit.js';

/** Bounds how often each user may do something. Each process counts for itself. */
export interface UserLimit {
  /** Throws too_many_requests with Retry-After where the user has done it too often lately. */
  require(userId: string): void;
  /** Counts that the user has done it. */
  count(userId: string): void;
}

/** `max` times within any `seconds`; `reason` begins the refusal. */
export function createUserLimit(
  clock: Clock,
  { max, seconds, reason }: { readonly max: number; readonly seconds: number; readonly reason: string },
): UserLimit {
  const limit = createSlidingLimit(max, seconds * microsPerSecond);
  return {
    require: (userId) => {
      const wait = limit.wait(userId, clock.now());
      if (wait > 0) throw new TooManyRequests(reason, wait / microsPerSecond);
    },
    count: (userId) => limit.count(userId, clock.now()),
  };
}

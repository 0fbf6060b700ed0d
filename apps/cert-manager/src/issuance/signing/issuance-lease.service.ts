import type { Clock, Logger } from '@certloop/server';
import { oneAtATime } from '@certloop/server';
import type { LeaseTerms } from './issuance-state.js';

export interface LeaseDeps extends LeaseTerms {
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Extends a lease each third of its length, until `extend` resolves with false or the returned function is called. `held`
 * names in the log what the lease is for.
 */
export function extendLease(
  { clock, logger, leaseMs }: LeaseDeps,
  held: Readonly<Record<string, string>>,
  extend: (now: Date) => Promise<boolean>,
): () => void {
  // one after the other: a late one would shorten the lease
  const next = oneAtATime(async () => {
    if (!(await extend(clock.now()))) clearInterval(timer);
  });
  const timer = setInterval(() => {
    next.run().catch((error: unknown) => logger.warn({ ...held, error }, 'issuance.lease_not_extended'));
  }, leaseMs / 3);
  timer.unref();
  return () => clearInterval(timer);
}

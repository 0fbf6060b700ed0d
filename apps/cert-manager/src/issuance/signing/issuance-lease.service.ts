import type { Database } from '@certloop/db';
import { type Clock, type Logger, oneAtATime } from '@certloop/server';
import { changeOf, type LeaseTerms } from './issuance-state.js';
import { type IssuanceRow, updateIssuance } from './issuances.repository.js';

export interface IssuanceLeaseDeps extends LeaseTerms {
  readonly db: Database;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Extends the lease of a running issuance each third of its length until the returned function is called. */
export function extendLease(
  { db, clock, logger, leaseMs }: IssuanceLeaseDeps,
  issuance: IssuanceRow,
): () => void {
  // one after the other: a late one would shorten the lease
  const extend = oneAtATime(async () => {
    const change = changeOf(issuance, { kind: 'extend', now: clock.now() }, { leaseMs });
    if (change !== undefined) await db.transaction((tx) => updateIssuance(tx, issuance, change));
  });
  const timer = setInterval(() => {
    extend
      .run()
      .catch((error: unknown) =>
        logger.warn({ issuance: issuance.id, error }, 'issuance.lease_not_extended'),
      );
  }, leaseMs / 3);
  timer.unref();
  return () => clearInterval(timer);
}

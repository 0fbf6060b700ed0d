import type { Database, Tx } from '@certloop/db';
import { type Clock, type Logger, oneAtATime } from '@certloop/server';
import { OrderAbandoned } from '../../acme/orders/order-steps.js';
import { changeOf } from '../renewal-entry.js';
import type { RenewalJournal } from '../renewal-journal.js';
import { findRenewal, type RenewalRow, updateRenewal } from '../renewals.repository.js';

/** The entry has passed to someone else, or is gone. Whatever was done for it since counts for nothing. */
export class LeaseLost extends Error {
  constructor() {
    super('the renewal has passed to another worker');
    this.name = 'LeaseLost';
  }
}

export interface LeaseDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly logger: Logger;
  /** How long a worker may be silent before its entries pass to others. */
  readonly leaseMs: number;
}

/** A claimed entry in the hands of its worker. */
export interface RenewalLease {
  readonly entry: RenewalRow;
  readonly journal: () => RenewalJournal | null;
  /**
   * On disk when it resolves, with what `also` writes. Rejects with LeaseLost, or with OrderAbandoned when the entry
   * went with its FQDN.
   */
  storeJournal(journal: RenewalJournal, also?: (tx: Tx) => Promise<void>): Promise<void>;
  /** Ends the extending. */
  release(): void;
}

/** Extends the lease of an entry each third of its length, until it is released or lost. */
export function openLease(deps: LeaseDeps, entry: RenewalRow): RenewalLease {
  const { db, clock, logger, leaseMs } = deps;
  let { journal } = entry;
  // one after the other: a late one would shorten the lease
  const extend = oneAtATime(async () => {
    const leaseUntil = new Date(clock.now().getTime() + leaseMs);
    const change = changeOf(entry, { kind: 'extend', attempt: entry.attempt, leaseUntil });
    const isHeld = await db.transaction((tx) => updateRenewal(tx, entry, { ...change }));
    if (!isHeld) clearInterval(timer);
  });
  const timer = setInterval(() => {
    extend
      .run()
      .catch((error: unknown) => logger.warn({ entryId: entry.id, error }, 'renewal.lease_not_extended'));
  }, leaseMs / 3);
  timer.unref();
  return {
    entry,
    journal: () => journal,
    storeJournal: async (next, also) => {
      const isHeld = await db.transaction(async (tx) => {
        if (await updateRenewal(tx, entry, { journal: next })) {
          await also?.(tx);
          return true;
        }
        if ((await findRenewal(tx, entry.id)) === undefined) throw new OrderAbandoned();
        return false;
      });
      if (!isHeld) throw new LeaseLost();
      journal = next;
    },
    release: () => clearInterval(timer),
  };
}

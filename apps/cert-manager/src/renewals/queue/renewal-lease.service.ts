import type { Database, Tx } from '@certloop/db';
import { type Clock, type Logger, oneAtATime } from '@certloop/server';
import { readOrderRecord } from '../../acme/orders/order-record.js';
import { OrderAbandoned } from '../../acme/orders/order-steps.js';
import { type IssuanceRow, updateIssuance } from '../../issuance/signing/issuances.repository.js';
import { leaveRenewalIssuance } from '../../issuance/signing/renewal-issuance.service.js';
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
   * Stores the journal that `write` returns, with what that writes, and its order in the issuance; on disk when it resolves.
   * Rejects as `write` does, with LeaseLost, or with OrderAbandoned when the entry went with its FQDN: then nothing is written.
   */
  storeJournal(write: (tx: Tx) => Promise<RenewalJournal | null>): Promise<void>;
  /** Id of the issuance by which the CA is asked, or of that of an earlier try; at most one. */
  readonly issuanceIds: () => readonly string[];
  /** Extends the lease of this issuance too from now on. */
  holdIssuance(issuance: IssuanceRow): void;
  /** Ends the try of the issuance, if there is one, which may have led to a certificate or left an order. */
  leaveIssuance(tx: Tx): Promise<void>;
  /** Ends the extending. */
  release(): void;
}

/** Extends the lease of an entry each third of its length, until it is released or lost. */
export function openLease(deps: LeaseDeps, entry: RenewalRow): RenewalLease {
  const { db, clock, logger, leaseMs } = deps;
  let { journal } = entry;
  let issuance: IssuanceRow | undefined;
  // one after the other: a late one would shorten the lease
  const extend = oneAtATime(async () => {
    const leaseUntil = new Date(clock.now().getTime() + leaseMs);
    const change = changeOf(entry, { kind: 'extend', attempt: entry.attempt, leaseUntil });
    const isHeld = await db.transaction(async (tx) => {
      // in the order in which every transaction locks the two
      if (issuance !== undefined) await updateIssuance(tx, issuance, { leaseUntil });
      return updateRenewal(tx, entry, { ...change });
    });
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
    storeJournal: async (write) => {
      const stored = await db.transaction(async (tx) => {
        const next = await write(tx);
        const order = orderOf(next);
        const isMine = issuance?.isOrder !== true || (await updateIssuance(tx, issuance, order));
        if (isMine && (await updateRenewal(tx, entry, { journal: next }))) return { next, order };
        throw (await findRenewal(tx, entry.id)) === undefined ? new OrderAbandoned() : new LeaseLost();
      });
      journal = stored.next;
      if (issuance?.isOrder === true) issuance = { ...issuance, ...stored.order };
    },
    issuanceIds: () => [issuance?.id ?? journal?.requestId ?? []].flat(),
    holdIssuance: (begun) => {
      issuance = begun;
    },
    leaveIssuance: async (tx) => {
      if (issuance !== undefined) await leaveRenewalIssuance(tx, issuance, deps);
    },
    release: () => clearInterval(timer),
  };
}

/** What an issuance stores of the order in a journal. */
export function orderOf(journal: RenewalJournal | null): Pick<IssuanceRow, 'orderState' | 'orderUrl'> {
  const orderState = journal?.order ?? null;
  return { orderState, orderUrl: readOrderRecord(orderState).url ?? null };
}

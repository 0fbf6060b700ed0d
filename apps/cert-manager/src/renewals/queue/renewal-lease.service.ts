import type { Database, Tx } from '@certloop/db';
import { OrderAbandoned } from '../../acme/orders/order-steps.js';
import { extendLease, type LeaseDeps } from '../../issuance/signing/issuance-lease.service.js';
import type { IssuanceWorker } from '../../issuance/signing/issuance-worker.service.js';
import { leaveRenewalIssuance } from '../../issuance/signing/renewal-issuance.service.js';
import type { OrderState } from '../../providers/provider.js';
import { changeOfRenewal } from '../renewal-entry.js';
import type { RenewalJournal } from '../renewal-journal.js';
import { findRenewal, type RenewalRow, updateRenewal } from '../renewals.repository.js';

/** The entry has passed to someone else, or is gone. Whatever was done for it since counts for nothing. */
export class LeaseLost extends Error {
  constructor() {
    super('the renewal has passed to another worker');
    this.name = 'LeaseLost';
  }
}

/** A claimed entry in the hands of its worker. */
export interface RenewalLease {
  readonly entry: RenewalRow;
  readonly journal: () => RenewalJournal | null;
  /**
   * Stores the journal that `write` returns, with what that writes; on disk when it resolves. Rejects as `write` does, with
   * LeaseLost, or with OrderAbandoned when the entry went with its FQDN: then nothing is written.
   */
  storeJournal(write: (tx: Tx) => Promise<RenewalJournal | null>): Promise<void>;
  /** Copies the order of the issuance into the journal; rejects as `storeJournal` does. */
  storeOrder(tx: Tx, order: OrderState | undefined): Promise<void>;
  /** Takes over the worker of the issuance by which the CA is asked. */
  hold(worker: IssuanceWorker): void;
  /** Id of the issuance by which the CA is asked, or of that of an earlier try; at most one. */
  readonly issuanceIds: () => readonly string[];
  /** Ends the try of the issuance, if there is one, which may have led to a certificate or left an order. */
  leaveIssuance(tx: Tx): Promise<void>;
  /** Stops extending leases. */
  release(): void;
}

/** Extends the lease of an entry until it is released or lost. */
export function openLease(deps: LeaseDeps & { readonly db: Database }, entry: RenewalRow): RenewalLease {
  const { db, leaseMs } = deps;
  let stored = entry.journal;
  let worker: IssuanceWorker | undefined;
  const stopExtending = extendLease(deps, { entryId: entry.id }, async (now) => {
    const leaseUntil = new Date(now.getTime() + leaseMs);
    const change = changeOfRenewal(entry, { kind: 'extend', attempt: entry.attempt, leaseUntil });
    return db.transaction((tx) => updateRenewal(tx, entry, { ...change }));
  });
  const write = async (tx: Tx, journal: RenewalJournal | null) => {
    if (await updateRenewal(tx, entry, { journal })) return;
    throw (await findRenewal(tx, entry.id)) === undefined ? new OrderAbandoned() : new LeaseLost();
  };
  return {
    entry,
    journal: () => (worker === undefined ? stored : withOrder(stored, worker.orderState ?? undefined)),
    storeJournal: async (prepare) => {
      stored = await db.transaction(async (tx) => {
        const next = await prepare(tx);
        await write(tx, next);
        return next;
      });
    },
    storeOrder: (tx, order) => write(tx, withOrder(stored, order)),
    hold: (begun) => {
      worker = begun;
    },
    issuanceIds: () => [worker?.issuance.id ?? stored?.requestId ?? []].flat(),
    leaveIssuance: async (tx) => {
      if (worker === undefined) return;
      const { issuance, orderState } = worker;
      await leaveRenewalIssuance(tx, { ...issuance, orderState }, deps);
    },
    release: () => {
      stopExtending();
      worker?.release();
    },
  };
}

function withOrder(journal: RenewalJournal | null, order: OrderState | undefined): RenewalJournal | null {
  if (journal === null) return null;
  const { order: _, ...others } = journal;
  return order === undefined ? others : { ...others, order };
}

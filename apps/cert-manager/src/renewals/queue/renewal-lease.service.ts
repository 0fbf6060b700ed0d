import type { Database, Tx } from '@certloop/db';
import { extendLease, type LeaseDeps } from '../../issuance/signing/issuance-lease.service.js';
import type { IssuanceWorker } from '../../issuance/signing/issuance-worker.service.js';
import { type IssuanceRow, updateIssuance } from '../../issuance/signing/issuances.repository.js';
import { leaveRenewalIssuance } from '../../issuance/signing/renewal-issuance.service.js';
import { changeOfRenewal } from '../renewal-entry.js';
import { type RenewalRow, updateRenewal } from '../renewals.repository.js';

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
  /** The issuance by which the CA is asked, with its order as it is by now, or that of an earlier try. */
  readonly issuance: () => IssuanceRow | undefined;
  /** Takes over the worker of the issuance by which the CA is asked. */
  hold(worker: IssuanceWorker): void;
  /** Stores the answer of the CA, which could not be stored as a certificate. */
  storeAnswer(issued: NonNullable<IssuanceRow['issued']>): Promise<void>;
  /** Ends the try of the issuance, if this worker has asked by one, which may have led to a certificate or left an order. */
  leaveIssuance(tx: Tx): Promise<void>;
  /** Stops extending leases. */
  release(): void;
}

/** Extends the lease of an entry until it is released or lost; `earlier` is the issuance of the try before. */
export function openLease(
  deps: LeaseDeps & { readonly db: Database },
  entry: RenewalRow,
  earlier: IssuanceRow | undefined,
): RenewalLease {
  const { db, leaseMs } = deps;
  let worker: IssuanceWorker | undefined;
  let answer: IssuanceRow['issued'] = null;
  const stopExtending = extendLease(deps, { entryId: entry.id }, async (now) => {
    const leaseUntil = new Date(now.getTime() + leaseMs);
    const change = changeOfRenewal(entry, { kind: 'extend', attempt: entry.attempt, leaseUntil });
    return db.transaction((tx) => updateRenewal(tx, entry, { ...change }));
  });
  const asked = () => worker && { ...worker.issuance, orderState: worker.orderState, issued: answer };
  return {
    entry,
    issuance: () => asked() ?? earlier,
    hold: (begun) => {
      worker = begun;
    },
    storeAnswer: async (issued) => {
      const issuance = asked();
      if (issuance === undefined) return;
      await db.transaction((tx) => updateIssuance(tx, issuance, { issued }));
      answer = issued;
    },
    leaveIssuance: async (tx) => {
      const issuance = asked();
      if (issuance !== undefined) await leaveRenewalIssuance(tx, issuance, deps);
    },
    release: () => {
      stopExtending();
      worker?.release();
    },
  };
}

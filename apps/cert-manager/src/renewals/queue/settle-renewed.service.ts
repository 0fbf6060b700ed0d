import type { Tx } from '@certloop/db';
import type { CertificateRow } from '../../certificates/certificates.repository.js';
import { deleteIssuancesById } from '../../issuance/signing/issuances.repository.js';
import { createIssuedStore, type IssuedFor } from '../../issuance/signing/store-issued.service.js';
import { changeOfRenewal } from '../renewal-entry.js';
import { type RenewalRow, updateRenewals } from '../renewals.repository.js';
import { insertPlanned } from '../replan-renewals.service.js';
import { LeaseLost, type RenewalLease } from './renewal-lease.service.js';
import { renewalAudit, type SettleDeps, settledBy } from './settle-renewal.service.js';

/** A renewal whose certificate is to be stored. */
export interface Settlement extends IssuedFor {
  readonly lease: RenewalLease;
}

/**
 * A function that stores certificates, ends their entries and plans the next ones; as createIssuedStore does. A certificate
 * is stored although its CSR was deleted. Rejects with LeaseLost if another worker has the entry.
 */
export function createSettler(deps: SettleDeps): (settlement: Settlement) => Promise<CertificateRow> {
  return createIssuedStore<Settlement>(deps, {
    end: async (tx, all, now) => {
      await endIssuances(tx, all);
      await completeAll(
        tx,
        all.map(({ lease }) => lease.entry),
        now,
      );
    },
    auditOf: ({ lease, provider }, fqdn, row) => renewalAudit(lease.entry, fqdn, row, provider),
    // it has planned by that certificate in the meantime
    onKnown: async (tx, fqdn, { lease }, now) => {
      if (!lease.entry.isTest) await insertPlanned(tx, fqdn, now);
      await deps.emit.renewalPlanned(tx, { fqdn });
    },
    onLost: (tx, settlement) => endIssuances(tx, [settlement]),
  });
}

async function endIssuances(tx: Tx, all: readonly Settlement[]): Promise<void> {
  const ids = all.flatMap(({ lease }) => lease.issuance()?.id ?? []);
  await deleteIssuancesById(tx, ids);
}

/** Ends the entries if their tries and their worker are still the same. Throws LeaseLost if another worker has one. */
async function completeAll(tx: Tx, entries: readonly RenewalRow[], now: Date): Promise<void> {
  for (const attempt of new Set(entries.map((entry) => entry.attempt))) {
    const tried = entries.filter((entry) => entry.attempt === attempt);
    const [first] = tried;
    if (first === undefined) continue;
    const change = changeOfRenewal(first, { kind: 'complete', attempt, at: now });
    const ids = tried.map(({ id }) => id);
    const count =
      change === undefined
        ? 0
        : await updateRenewals(tx, { ids, attempt, leaseOwner: first.leaseOwner }, settledBy(change));
    if (count !== tried.length) throw new LeaseLost();
  }
}

import type { Tx } from '@certloop/db';
import { batched } from '@certloop/server';
import type { CertificateRow } from '../../certificates/certificates.repository.js';
import { endRenewalIssuances } from '../../issuance/signing/renewal-issuance.service.js';
import { createIssuedStore, type IssuedFor } from '../../issuance/signing/store-issued.service.js';
import { changeOf } from '../renewal-entry.js';
import { type RenewalRow, updateRenewals } from '../renewals.repository.js';
import { insertPlanned } from '../replan-renewals.service.js';
import { type FoundSubject, findSubjects } from './find-subjects.service.js';
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
      await endRenewalIssuances(
        tx,
        all.flatMap(({ lease }) => lease.issuanceIds()),
      );
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
    onLost: (tx, { lease }) => endRenewalIssuances(tx, lease.issuanceIds()),
  });
}

/** Ends the entries if their tries and their worker are still the same. Throws LeaseLost if another worker has one. */
async function completeAll(tx: Tx, entries: readonly RenewalRow[], now: Date): Promise<void> {
  for (const attempt of new Set(entries.map((entry) => entry.attempt))) {
    const tried = entries.filter((entry) => entry.attempt === attempt);
    const [first] = tried;
    if (first === undefined) continue;
    const change = changeOf(first, { kind: 'complete', attempt, at: now });
    const ids = tried.map(({ id }) => id);
    const count =
      change === undefined
        ? 0
        : await updateRenewals(tx, { ids, attempt, leaseOwner: first.leaseOwner }, settledBy(change));
    if (count !== tried.length) throw new LeaseLost();
  }
}

/** What works on several renewals at once does together for them. */
export interface RenewalBatches {
  /** The subject of a claimed entry; undefined when its FQDN is gone. */
  findSubject(entry: RenewalRow): Promise<FoundSubject | undefined>;
  /** Stores the certificate, ends the entry and plans the next one, all or nothing. */
  settle(settlement: Settlement): Promise<CertificateRow>;
}

// as many as are claimed at once, and a few more
const maxSubjects = 16;

export function createRenewalBatches(deps: SettleDeps): RenewalBatches {
  const find = (entries: readonly RenewalRow[]) => deps.db.transaction((tx) => findSubjects(tx, entries));
  return {
    findSubject: batched(
      async (entries) => (await find(entries)).map((value) => ({ status: 'fulfilled', value })),
      maxSubjects,
    ),
    settle: createSettler(deps),
  };
}

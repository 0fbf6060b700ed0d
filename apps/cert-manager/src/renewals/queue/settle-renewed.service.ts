import type { Tx } from '@certloop/db';
import { type BatchEnd, batched } from '@certloop/server';
import type { CertificateRow } from '../../certificates/certificates.repository.js';
import {
  type CertificateToStore,
  lockSubjects,
  newCertificateOf,
  storeCertificates,
} from '../../certificates/store-certificates.service.js';
import { type FqdnRow, fqdnNotFound } from '../../fqdns/fqdns.repository.js';
import { orRecordLost } from '../../issuance/signing/lost-certificate.service.js';
import { endRenewalIssuances } from '../../issuance/signing/renewal-issuance.service.js';
import type { IssuedCertificate } from '../../providers/provider.js';
import { changeOf } from '../renewal-entry.js';
import { type RenewalRow, updateRenewals } from '../renewals.repository.js';
import { insertPlanned } from '../replan-renewals.service.js';
import { LeaseLost, type RenewalLease } from './renewal-lease.service.js';
import {
  callerFor,
  type RenewalEnd,
  type RenewalSubject,
  renewalAudit,
  reportRenewed,
  type SettleDeps,
  settledBy,
} from './settle-renewal.service.js';

/** A renewal whose certificate is to be stored. */
export interface Settlement {
  readonly lease: RenewalLease;
  readonly subject: RenewalSubject;
  readonly issued: IssuedCertificate;
}

// few enough that the batch takes no longer than one wait for the disk
const maxTogether = 16;

/**
 * Stores certificates, ends their entries and plans the next ones, all or nothing; those that arrive at the same time in
 * one transaction. If that fails, each is stored in one of its own, so that one cannot block the others. Rejects with
 * LeaseLost if another worker has the entry, and with NotFound if the FQDN was deleted in the meantime.
 */
export function createSettler(deps: SettleDeps): (settlement: Settlement) => Promise<RenewalEnd> {
  return batched((settlements) => settleAll(deps, settlements), maxTogether);
}

async function settleAll(
  deps: SettleDeps,
  settlements: readonly Settlement[],
): Promise<BatchEnd<RenewalEnd>[]> {
  const isAlone = settlements.length === 1;
  const rows = isAlone ? undefined : await storeRenewed(deps, settlements).catch(() => undefined);
  return Promise.allSettled(settlements.map((one, index) => settleOrRecordLost(deps, one, rows?.[index])));
}

/** Reports the end of a settlement; stores the certificate first unless its batch has done so. */
async function settleOrRecordLost(
  deps: SettleDeps,
  settlement: Settlement,
  row: CertificateRow | undefined,
): Promise<RenewalEnd> {
  const { lease, subject, issued } = settlement;
  const { fqdn, provider } = subject;
  const onLost = (tx: Tx) => endRenewalIssuances(tx, lease.issuanceIds());
  const lost = { caller: callerFor(lease.entry), fqdn, provider, issued, onLost };
  const stored = row ?? (await orRecordLost(deps, lost, () => storeAlone(deps, settlement)));
  return reportRenewed(deps, lease.entry, fqdn, stored.id);
}

async function storeAlone(deps: SettleDeps, settlement: Settlement): Promise<CertificateRow> {
  const [row] = await storeRenewed(deps, [settlement]);
  if (row === undefined) throw fqdnNotFound();
  return row;
}

/**
 * The certificates as stored, in the order of the settlements; undefined where the FQDN was deleted. Throws LeaseLost if
 * another worker has one of the entries.
 */
function storeRenewed(
  { db, clock, emit }: SettleDeps,
  settlements: readonly Settlement[],
): Promise<(CertificateRow | undefined)[]> {
  return db.transaction(async (tx) => {
    const storable = await lockStorable(tx, settlements);
    const now = clock.now();
    const leases = storable.map(({ lease }) => lease);
    await endRenewalIssuances(
      tx,
      leases.flatMap(({ issuanceIds }) => issuanceIds()),
    );
    await completeAll(
      tx,
      leases.map(({ entry }) => entry),
      now,
    );
    const items = storable.map((one) => itemOf(one, now));
    const results = await storeCertificates(tx, items, { now, emit });
    const rows = new Map<Settlement, CertificateRow>();
    for (const [index, { certificate, isNew }] of results.entries()) {
      const one = storable[index];
      if (one === undefined) continue;
      rows.set(one.settlement, certificate);
      if (isNew) continue;
      // another renewal of the same name received this certificate and has planned by it in the meantime
      if (!one.lease.entry.isTest) await insertPlanned(tx, one.held, now);
      await emit.renewalPlanned(tx, { fqdn: one.held });
    }
    return settlements.map((one) => rows.get(one));
  });
}

/** A settlement whose FQDN still exists. */
interface Storable extends Settlement {
  readonly settlement: Settlement;
  /** The current row of the FQDN, locked. */
  readonly held: FqdnRow;
  /** Null if the CSR was deleted in the meantime: a renewed certificate is stored even so. */
  readonly csrId: string | null;
}

async function lockStorable(tx: Tx, settlements: readonly Settlement[]): Promise<Storable[]> {
  const subjects = await lockSubjects(
    tx,
    settlements.map(({ subject: { fqdn, csr } }) => ({ fqdnId: fqdn.id, csrId: csr?.id })),
  );
  return settlements.flatMap((settlement, index) => {
    const { fqdn: held, hasCsr } = subjects[index] ?? {};
    const csrId = (hasCsr && settlement.subject.csr?.id) || null;
    return held === undefined ? [] : [{ ...settlement, settlement, held, csrId }];
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

function itemOf(
  { lease: { entry }, subject: { provider }, issued, held, csrId }: Storable,
  now: Date,
): CertificateToStore {
  const origin = { fqdnId: held.id, csrId, providerId: provider.id };
  return {
    caller: callerFor(entry),
    fqdn: held,
    provider,
    certificate: newCertificateOf({ ...origin, issued, now }),
    auditOf: (row) => renewalAudit(entry, held, row, provider),
  };
}

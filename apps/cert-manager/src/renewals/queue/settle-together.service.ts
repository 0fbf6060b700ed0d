import type { Tx } from '@certloop/db';
import { type BatchEnd, batched } from '@certloop/server';
import { recordAudits } from '../../audit/audit.service.js';
import type { CertificateRow } from '../../certificates/certificates.repository.js';
import { insertCertificates } from '../../certificates/insert-certificates.repository.js';
import { type CsrRow, lockCsrsForShare } from '../../csrs/csrs.repository.js';
import { type FqdnRow, lockFqdns } from '../../fqdns/fqdns.repository.js';
import { deleteSigningRequests } from '../../issuance/signing/signing-requests.repository.js';
import { certificateOf } from '../../issuance/store-certificate.service.js';
import type { IssuedCertificate } from '../../providers/provider.js';
import { changeOf } from '../renewal-entry.js';
import { type RenewalRow, updateRenewals } from '../renewals.repository.js';
import { LeaseLost, type RenewalLease } from './renewal-lease.service.js';
import {
  callerFor,
  type RenewalEnd,
  type RenewalSubject,
  renewalAudit,
  reportRenewed,
  requestsOf,
  type SettleDeps,
  settledBy,
  settleRenewed,
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
 * Stores certificates as settleRenewed does, and those that arrive at the same time in one transaction. If that fails,
 * each is stored alone, so that one cannot block the others.
 */
export function createSettler(deps: SettleDeps): (settlement: Settlement) => Promise<RenewalEnd> {
  return batched((settlements) => settleAll(deps, settlements), maxTogether);
}

async function settleAll(
  deps: SettleDeps,
  settlements: readonly Settlement[],
): Promise<BatchEnd<RenewalEnd>[]> {
  const together = await settleTogether(deps, settlements).catch(() => undefined);
  if (together !== undefined) return together.map((value) => ({ status: 'fulfilled', value }));
  return Promise.allSettled(
    settlements.map(({ lease, subject, issued }) => settleRenewed(deps, lease, subject, issued)),
  );
}

/** Undefined for a single settlement. Rejects if any of them cannot be stored. */
async function settleTogether(
  deps: SettleDeps,
  settlements: readonly Settlement[],
): Promise<RenewalEnd[] | undefined> {
  if (settlements.length === 1) return undefined;
  const rows = await deps.db.transaction((tx) => storeAll(tx, deps, settlements));
  return settlements.map(({ lease, subject }, index) =>
    reportRenewed(deps, lease.entry, subject.fqdn, rows[index]?.id),
  );
}

/** A settlement whose CSR still exists. */
interface Storable extends Settlement {
  readonly csr: CsrRow;
  /** Its current row, locked. */
  readonly held: FqdnRow;
}

async function storeAll(
  tx: Tx,
  { clock, scheduler }: SettleDeps,
  settlements: readonly Settlement[],
): Promise<CertificateRow[]> {
  const ids = settlements.map(({ subject }) => subject.fqdn.id);
  const held = await lockFqdns(tx, ids);
  const now = clock.now();
  const entries = settlements.map(({ lease }) => lease.entry);
  await completeAll(tx, entries, now);
  await deleteSigningRequests(
    tx,
    settlements.flatMap(({ lease }) => requestsOf(lease.journal())),
  );
  const storable = await findStorable(tx, settlements, held);
  if (storable.length !== settlements.length) throw new CannotBatch();
  const all = await insertCertificates(
    tx,
    storable.map((one) => certificateOf({ ...originOf(one), issued: one.issued, now })),
    now,
  );
  const stored = storable.flatMap((one, index) => {
    const row = all[index];
    return row?.isNew ? [{ ...one, row: row.certificate }] : [];
  });
  if (stored.length !== storable.length) throw new CannotBatch();
  await recordAudits(tx, stored.map(auditOf), now);
  await scheduler.onCertificatesStored(tx, stored.map(storedEventOf));
  return stored.map(({ row }) => row);
}

/** The batch contains a certificate that must be stored alone. */
class CannotBatch extends Error {}

async function findStorable(
  tx: Tx,
  settlements: readonly Settlement[],
  held: readonly FqdnRow[],
): Promise<Storable[]> {
  const fqdns = new Map(held.map((fqdn) => [fqdn.id, fqdn]));
  const csrs = settlements.flatMap(({ subject }) => (subject.csr === undefined ? [] : [subject.csr.id]));
  const locked = new Set(csrs.length === 0 ? [] : await lockCsrsForShare(tx, csrs));
  return settlements.flatMap((settlement) => {
    const { csr, fqdn } = settlement.subject;
    const own = fqdns.get(fqdn.id);
    const isStorable = csr !== undefined && locked.has(csr.id) && own !== undefined;
    return isStorable ? [{ ...settlement, csr, held: own }] : [];
  });
}

function originOf({ held, csr, subject }: Storable) {
  return { fqdnId: held.id, csrId: csr.id, providerId: subject.provider.id };
}

/** Ends the entries if the numbers of their tries are still the same. Throws LeaseLost if another worker has one. */
async function completeAll(tx: Tx, entries: readonly RenewalRow[], now: Date): Promise<void> {
  for (const attempt of new Set(entries.map((entry) => entry.attempt))) {
    const tried = entries.filter((entry) => entry.attempt === attempt);
    const [first] = tried;
    const change = first && changeOf(first, { kind: 'complete', attempt, at: now });
    const ids = tried.map(({ id }) => id);
    const count = change === undefined ? 0 : await updateRenewals(tx, { ids, attempt }, settledBy(change));
    if (count !== tried.length) throw new LeaseLost();
  }
}

interface StoredSettlement extends Storable {
  readonly row: CertificateRow;
}

function auditOf({ lease: { entry }, held, row, subject }: StoredSettlement) {
  return { caller: callerFor(entry), entry: renewalAudit(entry, held, row, subject.provider) };
}

function storedEventOf({ lease: { entry }, held: fqdn, row: certificate, subject }: StoredSettlement) {
  return { caller: callerFor(entry), fqdn, certificate, provider: subject.provider };
}

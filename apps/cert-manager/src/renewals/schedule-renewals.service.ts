import type { Tx } from '@certloop/db';
import type { Clock } from '@certloop/server';
import type { Caller } from '../access/caller.js';
import { recordAudit, recordAudits } from '../audit/audit.service.js';
import type { AuditEntry } from '../audit/audit-entry.js';
import { type CertificateRow, listNewestCertificates } from '../certificates/certificates.repository.js';
import type { StoredCertificate } from '../certificates/store-certificates.service.js';
import { listFqdnsWithCsr } from '../csrs/csrs.repository.js';
import type { FqdnRow } from '../fqdns/fqdns.repository.js';
import type { SwitchedFqdn } from '../fqdns/fqdns.service.js';
import { kindOf } from '../providers/provider-kinds.js';
import { getProvider, lockProviderForShare, type ProviderRow } from '../providers/providers.repository.js';
import { newRenewal } from './new-renewal.repository.js';
import { type KnownFacts, readOutlook } from './read-outlook.service.js';
import { changeOf, mayHaveCertificate } from './renewal-entry.js';
import { scheduleOf } from './renewal-outlook.js';
import {
  deleteLockedRenewals,
  deletePendingRenewal,
  deletePlannedRenewals,
  findOpenRenewal,
  insertRenewals,
  lockOpenRenewals,
  type RenewalRow,
  updateRenewal,
} from './renewals.repository.js';

/** Events that change the plan of renewals. Each is handled in the transaction of the change. */
export interface RenewalScheduler {
  /** The FQDNs, each of which comes once, have a newer certificate. */
  onCertificatesStored(tx: Tx, stored: readonly StoredCertificate[]): Promise<void>;
  /** The FQDNs were switched on or off, or have another share of the lifetime; they are locked. */
  onRenewalsSwitched(tx: Tx, caller: Caller, switched: readonly SwitchedFqdn[]): Promise<void>;
  /** The FQDN has a newer CSR. */
  onCsrStored(tx: Tx, caller: Caller, fqdn: FqdnRow): Promise<void>;
  /** The stored certificate was refreshed from its CA; the FQDN is locked. */
  onCertificateRefreshed(tx: Tx, caller: Caller, fqdn: FqdnRow): Promise<void>;
  /** The newest certificate of the FQDN was revoked; the FQDN is locked. */
  onCertificateRevoked(tx: Tx, caller: Caller, fqdn: FqdnRow): Promise<void>;
  /** The FQDNs, as they are now, name another provider, or none; they are locked. */
  onProviderNamed(tx: Tx, caller: Caller, fqdns: readonly FqdnRow[]): Promise<void>;
  /** There is no CSR any more. */
  onCsrsDeleted(tx: Tx, caller: Caller): Promise<void>;
}

export function createRenewalScheduler(clock: Clock): RenewalScheduler {
  return {
    onCertificatesStored: (tx, stored) => replan(tx, stored, clock.now()),
    onRenewalsSwitched: async (tx, caller, switched) => {
      const fqdns = switched.map(({ fqdn }) => fqdn);
      const off = fqdns.filter(({ renewalEnabled }) => !renewalEnabled);
      await unplanAll(tx, caller, off, clock.now());
      const on = fqdns.filter(({ renewalEnabled }) => renewalEnabled);
      await planAll(tx, on, clock.now());
    },
    onCsrStored: (tx, _caller, fqdn) => planWithCsr(tx, fqdn, clock.now()),
    onCertificateRefreshed: (tx, _caller, fqdn) => reschedule(tx, fqdn, clock.now()),
    onCertificateRevoked: (tx, caller, fqdn) => replaceRevoked(tx, caller, fqdn, clock.now()),
    onProviderNamed: (tx, caller, fqdns) => replanImported(tx, caller, fqdns, clock.now()),
    onCsrsDeleted: (tx, caller) => removePlanned(tx, caller, clock.now()),
  };
}

/** Plans the renewal that had no CSR, or repeats at once the one that failed with the former CSR. */
async function planWithCsr(tx: Tx, fqdn: FqdnRow, now: Date): Promise<void> {
  if (!fqdn.renewalEnabled) return;
  const open = await findOpenRenewal(tx, fqdn.id);
  if (open === undefined) await insertPlanned(tx, fqdn, now);
  else if (open.attempt > 1 && open.scheduledAt > now) await move(tx, open, now);
}

/** Plans again by the certificate's new dates, and asks its CA again for the time that it suggests. */
async function reschedule(tx: Tx, fqdn: FqdnRow, now: Date): Promise<void> {
  const open = await findOpenRenewal(tx, fqdn.id);
  if (open === undefined) return;
  await rescheduleEntry(tx, fqdn, open, now);
  if (open.adviceDueAt !== null) await updateRenewal(tx, open, { adviceDueAt: now });
}

/** Renews a revoked certificate at once, or removes the plan if the newest CSR has the revoked key. */
async function replaceRevoked(tx: Tx, caller: Caller, fqdn: FqdnRow, now: Date): Promise<void> {
  if (!fqdn.renewalEnabled) return;
  const open = await findOpenRenewal(tx, fqdn.id);
  if (open === undefined) return insertPlanned(tx, fqdn, now);
  const { outlook } = await readOutlook(tx, fqdn, { open });
  if (outlook.isPlanned) return move(tx, open, now);
  if (!(await isBusy(tx, open))) await remove(tx, caller, open, isCompromised, now);
}

/** Plans imported certificates again: the provider that the FQDN names renews them. */
async function replanImported(tx: Tx, caller: Caller, fqdns: readonly FqdnRow[], now: Date): Promise<void> {
  const enabled = fqdns.filter(({ renewalEnabled }) => renewalEnabled);
  const certificates = await newestOf(tx, enabled);
  for (const fqdn of enabled) {
    const newest = certificates.get(fqdn.id);
    // the provider that issued the certificate is asked for the next one
    if (newest === undefined || newest.providerId !== null) continue;
    const open = await findOpenRenewal(tx, fqdn.id);
    if (open !== undefined && (await isBusy(tx, open))) continue;
    if (open !== undefined) await remove(tx, caller, open, 'the FQDN names another provider', now);
    await insertPlanned(tx, fqdn, now, { newest });
  }
}

/** Removes all planned renewals, since no CSR is left. */
async function removePlanned(tx: Tx, caller: Caller, now: Date): Promise<void> {
  const count = await deletePlannedRenewals(tx);
  if (count === 0) return;
  const details = { count, reason: 'all CSRs were deleted' };
  await recordAudit(tx, caller, { action: 'queue.remove', resourceType: 'renewal', details }, now);
}

/** Whether a worker processes the entry, or its CA may have issued a certificate that the next try stores. */
async function isBusy(tx: Tx, { status, journal, providerId }: RenewalRow): Promise<boolean> {
  if (status === 'processing') return true;
  return mayHaveCertificate(journal) && (await getProvider(tx, journal?.providerId ?? providerId)).enabled;
}

const isNewer = 'a newer certificate was stored';
const isCompromised = 'the certificate was revoked for its key, which the newest CSR has too';

/** Replaces the plans for the former certificates with plans for the new ones. */
async function replan(tx: Tx, all: readonly StoredCertificate[], now: Date): Promise<void> {
  const stored = all.filter(({ fqdn }) => fqdn.renewalEnabled);
  if (stored.length === 0) return;
  const ids = stored.map(({ fqdn }) => fqdn.id);
  const open = new Map((await lockOpenRenewals(tx, ids)).map((entry) => [entry.fqdnId, entry]));
  const removed: RenewalRow[] = [];
  const acts: Parameters<typeof recordAudits>[1][number][] = [];
  const entries: RenewalRow[] = [];
  for (const { caller, fqdn, certificate: newest, provider } of stored) {
    const before = open.get(fqdn.id);
    // a running renewal is not cancelled; when it ends, it finds the newer certificate
    if (before !== undefined && (await isBusy(tx, before))) continue;
    if (before !== undefined) {
      removed.push(before);
      acts.push({ caller, entry: removalOf(before, isNewer) });
    }
    const known = { newest, ...(provider && { provider }), ...(newest.csrId !== null && { hasCsr: true }) };
    entries.push(...(await plannedFor(tx, fqdn, now, known)));
  }
  await deleteLockedRenewals(
    tx,
    removed.map(({ id }) => id),
  );
  await recordAudits(tx, acts, now);
  await insertRenewals(tx, entries);
}

/** Removes what is planned for FQDNs that were switched off; a running renewal is not cancelled. */
async function unplanAll(tx: Tx, caller: Caller, fqdns: readonly FqdnRow[], now: Date): Promise<void> {
  const pending = (await openOf(tx, fqdns)).filter(({ status }) => status === 'pending');
  await deleteLockedRenewals(
    tx,
    pending.map(({ id }) => id),
  );
  const acts = pending.map((entry) => ({ caller, entry: removalOf(entry, 'renewal was switched off') }));
  await recordAudits(tx, acts, now);
}

/** Plans the renewals of FQDNs that were switched on, and moves those that are planned already. */
async function planAll(tx: Tx, fqdns: readonly FqdnRow[], now: Date): Promise<void> {
  if (fqdns.length === 0) return;
  const certificates = await newestOf(tx, fqdns);
  const ids = fqdns.map(({ id }) => id);
  const withCsr = new Set(await listFqdnsWithCsr(tx, ids));
  const openEntries = new Map((await openOf(tx, fqdns)).map((entry) => [entry.fqdnId, entry]));
  const providers = new Map<string, ProviderRow | undefined>();
  const findProvider = async (id: string) => {
    if (!providers.has(id)) providers.set(id, await lockProviderForShare(tx, id));
    return providers.get(id);
  };
  const entries: RenewalRow[] = [];
  for (const fqdn of fqdns) {
    const [newest, open] = [certificates.get(fqdn.id), openEntries.get(fqdn.id)];
    // there is nothing to renew
    if (newest === undefined) continue;
    const known = { newest, hasCsr: withCsr.has(fqdn.id) };
    if (open === undefined) entries.push(...(await plannedFor(tx, fqdn, now, known, findProvider)));
    else await rescheduleEntry(tx, fqdn, open, now, known);
  }
  await insertRenewals(tx, entries);
}

async function openOf(tx: Tx, fqdns: readonly FqdnRow[]): Promise<RenewalRow[]> {
  if (fqdns.length === 0) return [];
  return lockOpenRenewals(
    tx,
    fqdns.map(({ id }) => id),
  );
}

async function newestOf(tx: Tx, fqdns: readonly FqdnRow[]): Promise<Map<string, CertificateRow>> {
  if (fqdns.length === 0) return new Map();
  const certificates = await listNewestCertificates(
    tx,
    fqdns.map(({ id }) => id),
  );
  return new Map(certificates.map((certificate) => [certificate.fqdnId, certificate]));
}

/** Plans the renewal of a locked FQDN without an open entry; does nothing if there is nothing to renew. */
export async function insertPlanned(tx: Tx, fqdn: FqdnRow, now: Date, known: KnownFacts = {}): Promise<void> {
  await insertRenewals(tx, await plannedFor(tx, fqdn, now, known));
}

/** The entry to plan for an FQDN without an open one; none if there is nothing to renew. */
async function plannedFor(
  tx: Tx,
  fqdn: FqdnRow,
  now: Date,
  known: KnownFacts,
  findProvider = (id: string) => lockProviderForShare(tx, id),
): Promise<RenewalRow[]> {
  const { certificate, outlook } = await readOutlook(tx, fqdn, known);
  if (!outlook.isPlanned) return [];
  const { certificateId, providerId, plan } = outlook;
  const subject = { fqdnId: fqdn.id, spaceId: fqdn.spaceId, certificateId, providerId };
  const provider = known.provider ?? (await findProvider(providerId));
  // the provider was just deleted: there is no CA to ask
  if (provider === undefined) return [];
  // a CA does not know certificates that were imported
  const isOwn = certificate?.providerId === providerId;
  const adviceDueAt = isOwn && kindOf(provider).givesAdvice ? now : null;
  const scheduledAt = scheduleOf(plan, now);
  return [newRenewal({ ...subject, scheduledAt, adviceDueAt }, now)];
}

/** Moves a first try to the time that the policy gives now; later tries keep their time. The FQDN is locked. */
export async function rescheduleEntry(
  tx: Tx,
  fqdn: FqdnRow,
  open: RenewalRow,
  now: Date,
  known: KnownFacts = {},
): Promise<void> {
  const { outlook } = await readOutlook(tx, fqdn, { ...known, open });
  if (outlook.isPlanned && open.attempt === 1) await move(tx, open, scheduleOf(outlook.plan, now));
}

async function move(tx: Tx, entry: RenewalRow, scheduledAt: Date): Promise<void> {
  const change = changeOf(entry, { kind: 'move', scheduledAt });
  if (change !== undefined) await updateRenewal(tx, entry, change);
}

async function remove(tx: Tx, caller: Caller, entry: RenewalRow, reason: string, now: Date): Promise<void> {
  if (!(await deletePendingRenewal(tx, entry.id))) return;
  await recordAudit(tx, caller, removalOf(entry, reason), now);
}

function removalOf(entry: RenewalRow, reason: string): AuditEntry {
  const { id, fqdnId, spaceId, certificateId, scheduledAt } = entry;
  const details = { reason, fqdnId, certificateId, scheduledAt: scheduledAt.toISOString() };
  return { action: 'queue.remove', resourceType: 'renewal', resourceId: id, spaceId, details };
}

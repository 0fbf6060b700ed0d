import type { Tx } from '@certloop/db';
import type { Clock } from '@certloop/server';
import type { Caller } from '../access/caller.js';
import { recordAudits } from '../audit/audit.service.js';
import type { CertificateRow } from '../certificates/certificates.repository.js';
import { listNewestCertificates } from '../certificates/newest-certificates.repository.js';
import type { StoredCertificate } from '../certificates/store-certificates.service.js';
import { listFqdnsWithCsr } from '../csrs/csrs.repository.js';
import type { FqdnRow } from '../fqdns/fqdns.repository.js';
import type { Changes } from '../fqdns/fqdns.service.js';
import { mayHaveCertificate } from '../issuance/signing/issuance-state.js';
import { kindOf } from '../providers/provider-kinds.js';
import { findProvider, lockProviderForShare, type ProviderRow } from '../providers/providers.repository.js';
import { newRenewal } from './new-renewal.repository.js';
import { type KnownFacts, readOutlook } from './outlook/read-outlook.service.js';
import { scheduleOf } from './outlook/renewal-outlook.js';
import {
  deleteLockedRenewals,
  findTry,
  insertRenewals,
  lockOpenRenewals,
  type RenewalRow,
} from './renewals.repository.js';
import { removalOf, rescheduleEntry } from './reschedule-entry.service.js';

/** Whether a worker processes the entry, or its CA may have issued a certificate that the next try stores. */
export async function isBusy(tx: Tx, entry: RenewalRow): Promise<boolean> {
  if (entry.status === 'processing') return true;
  const earlier = await findTry(tx, entry);
  if (earlier === undefined || !mayHaveCertificate(earlier)) return false;
  return (await findProvider(tx, earlier.providerId))?.enabled === true;
}

const isNewer = 'a newer certificate was stored';
export const isCompromised = 'the certificate was revoked for its key, which the newest CSR has too';

/** Replaces the plans for the former certificates with plans for the new ones. */
export async function replanRenewals(
  tx: Tx,
  { changes }: Changes<StoredCertificate>,
  { clock }: { readonly clock: Clock },
): Promise<void> {
  const now = clock.now();
  const stored = changes.filter(({ fqdn }) => fqdn.renewalEnabled);
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
export async function unplanAll(tx: Tx, caller: Caller, fqdns: readonly FqdnRow[], now: Date): Promise<void> {
  const pending = (await openOf(tx, fqdns)).filter(({ status }) => status === 'pending');
  await deleteLockedRenewals(
    tx,
    pending.map(({ id }) => id),
  );
  const acts = pending.map((entry) => ({ caller, entry: removalOf(entry, 'renewal was switched off') }));
  await recordAudits(tx, acts, now);
}

/** Plans the renewals of FQDNs that were switched on, and moves those that are planned already. */
export async function planAll(tx: Tx, fqdns: readonly FqdnRow[], now: Date): Promise<void> {
  if (fqdns.length === 0) return;
  const certificates = await newestOf(tx, fqdns);
  const ids = fqdns.map(({ id }) => id);
  const withCsr = new Set(await listFqdnsWithCsr(tx, ids));
  const openEntries = new Map((await openOf(tx, fqdns)).map((entry) => [entry.fqdnId, entry]));
  const providers = new Map<string, ProviderRow | undefined>();
  const lockProvider = async (id: string) => {
    if (!providers.has(id)) providers.set(id, await lockProviderForShare(tx, id));
    return providers.get(id);
  };
  const entries: RenewalRow[] = [];
  for (const fqdn of fqdns) {
    const [newest, open] = [certificates.get(fqdn.id), openEntries.get(fqdn.id)];
    // there is nothing to renew
    if (newest === undefined) continue;
    const known = { newest, hasCsr: withCsr.has(fqdn.id) };
    if (open === undefined) entries.push(...(await plannedFor(tx, fqdn, now, known, lockProvider)));
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

export async function newestOf(tx: Tx, fqdns: readonly FqdnRow[]): Promise<Map<string, CertificateRow>> {
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
  lockProvider = (id: string) => lockProviderForShare(tx, id),
): Promise<RenewalRow[]> {
  const { certificate, outlook } = await readOutlook(tx, fqdn, known);
  if (!outlook.isPlanned) return [];
  const { certificateId, providerId, plan } = outlook;
  const subject = { fqdnId: fqdn.id, spaceId: fqdn.spaceId, certificateId, providerId };
  const provider = known.provider ?? (await lockProvider(providerId));
  // the provider was just deleted: there is no CA to ask
  if (provider === undefined) return [];
  // a CA does not know certificates that were imported
  const isOwn = certificate?.providerId === providerId;
  const adviceDueAt = isOwn && kindOf(provider).givesAdvice ? now : null;
  const scheduledAt = scheduleOf(plan, now);
  return [newRenewal({ ...subject, scheduledAt, adviceDueAt }, now)];
}

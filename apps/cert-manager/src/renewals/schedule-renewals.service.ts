import type { Tx } from '@certloop/db';
import type { Clock } from '@certloop/server';
import type { Caller } from '../access/caller.js';
import { recordAudit } from '../audit/audit.service.js';
import type { StoredCertificate } from '../certificates/store-certificates.service.js';
import type { FqdnRow } from '../fqdns/fqdns.repository.js';
import type { SwitchedFqdn } from '../fqdns/renewal-switch.service.js';
import { readOutlook } from './outlook/read-outlook.service.js';
import { deletePlannedRenewals, findOpenRenewal, updateRenewal } from './renewals.repository.js';
import {
  insertPlanned,
  isBusy,
  isCompromised,
  newestOf,
  planAll,
  replanRenewals,
  unplanAll,
} from './replan-renewals.service.js';
import { moveRenewal, removeRenewal, rescheduleEntry } from './reschedule-entry.service.js';

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
  /** The CSR was deleted. */
  onCsrsDeleted(tx: Tx, caller: Caller): Promise<void>;
}

export function createRenewalScheduler(clock: Clock): RenewalScheduler {
  return {
    onCertificatesStored: (tx, stored) => replanRenewals(tx, stored, clock.now()),
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
  else if (open.attempt > 1 && open.scheduledAt > now) await moveRenewal(tx, open, now);
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
  if (outlook.isPlanned) return moveRenewal(tx, open, now);
  if (!(await isBusy(tx, open))) await removeRenewal(tx, caller, open, isCompromised, now);
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
    if (open !== undefined) await removeRenewal(tx, caller, open, 'the FQDN names another provider', now);
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

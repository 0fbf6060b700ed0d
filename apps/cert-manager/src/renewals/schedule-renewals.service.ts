import type { Tx } from '@certloop/db';
import type { Clock } from '@certloop/server';
import type { Caller } from '../access/caller.js';
import { recordAudit } from '../audit/audit.service.js';
import type { FqdnRow } from '../fqdns/fqdns.repository.js';
import type { Changes, SwitchedFqdn } from '../fqdns/fqdns.service.js';
import { readOutlook } from './outlook/read-outlook.service.js';
import { deletePlannedRenewals, findOpenRenewal, updateRenewal } from './renewals.repository.js';
import {
  insertPlanned,
  isBusy,
  isCompromised,
  newestOf,
  planAll,
  unplanAll,
} from './replan-renewals.service.js';
import { moveRenewal, removeRenewal, rescheduleEntry } from './reschedule-entry.service.js';

interface WithClock {
  readonly clock: Clock;
}

/** Plans the renewals of FQDNs that were switched on, and removes those of FQDNs that were switched off. */
export async function replanSwitched(
  tx: Tx,
  { caller, changes }: { readonly caller: Caller } & Changes<SwitchedFqdn>,
  { clock }: WithClock,
): Promise<void> {
  const fqdns = changes.map(({ fqdn }) => fqdn);
  const off = fqdns.filter(({ renewalEnabled }) => !renewalEnabled);
  await unplanAll(tx, caller, off, clock.now());
  const on = fqdns.filter(({ renewalEnabled }) => renewalEnabled);
  await planAll(tx, on, clock.now());
}

/** Plans the renewal that had no CSR, or repeats at once the one that failed with the former CSR. */
export async function planWithCsr(
  tx: Tx,
  { fqdn }: { readonly fqdn: FqdnRow },
  { clock }: WithClock,
): Promise<void> {
  const now = clock.now();
  if (!fqdn.renewalEnabled) return;
  const open = await findOpenRenewal(tx, fqdn.id);
  if (open === undefined) await insertPlanned(tx, fqdn, now);
  else if (open.attempt > 1 && open.scheduledAt > now) await moveRenewal(tx, open, now);
}

/** Plans again by the certificate's new dates, and asks its CA again for the time that it suggests. */
export async function rescheduleRenewal(
  tx: Tx,
  { fqdn }: { readonly fqdn: FqdnRow },
  { clock }: WithClock,
): Promise<void> {
  const now = clock.now();
  const open = await findOpenRenewal(tx, fqdn.id);
  if (open === undefined) return;
  await rescheduleEntry(tx, fqdn, open, now);
  if (open.adviceDueAt !== null) await updateRenewal(tx, open, { adviceDueAt: now });
}

/** Renews a revoked certificate at once, or removes the plan if the newest CSR has the revoked key. */
export async function replanRevoked(
  tx: Tx,
  { caller, fqdn }: { readonly caller: Caller; readonly fqdn: FqdnRow },
  { clock }: WithClock,
): Promise<void> {
  const now = clock.now();
  if (!fqdn.renewalEnabled) return;
  const open = await findOpenRenewal(tx, fqdn.id);
  if (open === undefined) return insertPlanned(tx, fqdn, now);
  const { outlook } = await readOutlook(tx, fqdn, { open });
  if (outlook.isPlanned) return moveRenewal(tx, open, now);
  if (!(await isBusy(tx, open))) await removeRenewal(tx, caller, open, isCompromised, now);
}

/** Plans imported certificates again: the provider that the FQDN names renews them. */
export async function replanImported(
  tx: Tx,
  { caller, changes }: { readonly caller: Caller } & Changes<{ readonly fqdn: FqdnRow }>,
  { clock }: WithClock,
): Promise<void> {
  const now = clock.now();
  const enabled = changes.flatMap(({ fqdn }) => (fqdn.renewalEnabled ? [fqdn] : []));
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
export async function removePlannedRenewals(
  tx: Tx,
  { caller }: { readonly caller: Caller },
  { clock }: WithClock,
): Promise<void> {
  const count = await deletePlannedRenewals(tx);
  if (count === 0) return;
  const details = { count, reason: 'all CSRs were deleted' };
  await recordAudit(tx, caller, { action: 'queue.remove', resourceType: 'renewal', details }, clock.now());
}

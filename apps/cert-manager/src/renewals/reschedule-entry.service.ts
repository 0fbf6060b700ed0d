import type { Tx } from '@certloop/db';
import type { Caller } from '../access/caller.js';
import { recordAudit } from '../audit/audit.service.js';
import type { AuditEntry } from '../audit/audit-entry.js';
import type { FqdnRow } from '../fqdns/fqdns.repository.js';
import { type KnownFacts, readOutlook } from './outlook/read-outlook.service.js';
import { scheduleOf } from './outlook/renewal-outlook.js';
import { changeOfRenewal } from './renewal-entry.js';
import { deletePendingRenewal, type RenewalRow, updateRenewal } from './renewals.repository.js';

/** Moves a first try to the time that the policy gives now; later tries keep their time. The FQDN is locked. */
export async function rescheduleEntry(
  tx: Tx,
  fqdn: FqdnRow,
  open: RenewalRow,
  now: Date,
  known: KnownFacts = {},
): Promise<void> {
  const { outlook } = await readOutlook(tx, fqdn, { ...known, open });
  if (outlook.isPlanned && open.attempt === 1) await moveRenewal(tx, open, scheduleOf(outlook.plan, now));
}

export async function moveRenewal(tx: Tx, entry: RenewalRow, scheduledAt: Date): Promise<void> {
  const change = changeOfRenewal(entry, { kind: 'move', scheduledAt });
  if (change !== undefined) await updateRenewal(tx, entry, change);
}

export async function removeRenewal(
  tx: Tx,
  caller: Caller,
  entry: RenewalRow,
  reason: string,
  now: Date,
): Promise<void> {
  if (!(await deletePendingRenewal(tx, entry.id))) return;
  await recordAudit(tx, caller, removalOf(entry, reason), now);
}

export function removalOf(entry: RenewalRow, reason: string): AuditEntry {
  const { id, fqdnId, spaceId, certificateId, scheduledAt } = entry;
  const details = { reason, fqdnId, certificateId, scheduledAt: scheduledAt.toISOString() };
  return { action: 'queue.remove', resourceType: 'renewal', resourceId: id, spaceId, details };
}

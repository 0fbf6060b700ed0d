import type { Tx } from '@certloop/db';
import { changeOfRenewal } from '../renewal-entry.js';
import { findOpenRenewal, updateRenewal } from '../renewals.repository.js';

/** Writes into the planned renewal of an FQDN why the policy of its space forbids it. */
export async function noteForbidden(tx: Tx, fqdnId: string, reason: string): Promise<void> {
  const open = await findOpenRenewal(tx, fqdnId);
  if (open?.status === 'pending') await updateRenewal(tx, open, { reason });
}

/** Lets a renewal go on that a policy forbade: at once where it was due in the meantime. */
export async function resumeRenewal(tx: Tx, fqdnId: string, now: Date): Promise<void> {
  const open = await findOpenRenewal(tx, fqdnId);
  if (open?.status !== 'pending') return;
  const isWaiting = open.attempt > 1 && open.scheduledAt > now;
  const moved = isWaiting ? changeOfRenewal(open, { kind: 'move', scheduledAt: now }) : {};
  await updateRenewal(tx, open, { ...moved, reason: null });
}

import { Conflict, NotFound } from '@certloop/contracts';
import type { Tx } from '@certloop/db';
import type { Caller } from '../access/caller.js';
import { canOn, requireLevel } from '../access/permissions.js';
import { recordAudit } from '../audit/audit.service.js';
import { listProviderQueues } from './queue/provider-queues.service.js';
import { changeOfRenewal } from './renewal-entry.js';
import { findRenewal, type RenewalRow, updateRenewal } from './renewals.repository.js';
import { type RenewalsDeps, withObstacle } from './renewals.service.js';

/**
 * Makes a pending entry due now and starts a run of the queue, for which it does not wait; returns the entry. Throws
 * NotFound, Forbidden, and Conflict for an entry that is not pending.
 */
export async function runRenewal(
  { db, clock, opener, triggerRun }: RenewalsDeps,
  caller: Caller,
  id: string,
): Promise<RenewalRow> {
  const now = clock.now();
  const due = await db.transaction(async (tx) => {
    const entry = await getReadableRenewal(tx, caller, id);
    const { spaceId, fqdnId, certificateId } = entry;
    requireLevel(caller, spaceId, 'READ_WRITE');
    // one that is due already keeps its place
    const scheduledAt = new Date(Math.min(entry.scheduledAt.getTime(), now.getTime()));
    const change = changeOfRenewal(entry, { kind: 'move', scheduledAt });
    if (change === undefined || !(await updateRenewal(tx, entry, change))) throw notPending();
    const details = { fqdnId, certificateId, before: entry.scheduledAt.toISOString() };
    const act = { action: 'queue.run', resourceType: 'renewal', resourceId: id, spaceId, details } as const;
    await recordAudit(tx, caller, act, now);
    return withObstacle({ ...entry, ...change }, await listProviderQueues(tx, opener), now);
  });
  triggerRun();
  return due;
}

async function getReadableRenewal(tx: Tx, caller: Caller, id: string): Promise<RenewalRow> {
  const entry = await findRenewal(tx, id);
  if (entry !== undefined && canOn(caller, entry.spaceId, 'READ')) return entry;
  throw new NotFound('renewal not found', { code: 'renewal_not_found', title: 'Renewal not found' });
}

function notPending(): Conflict {
  return new Conflict('the renewal is under way or has ended; only a pending one can be run', {
    code: 'not_pending',
    title: 'Renewal is not pending',
  });
}

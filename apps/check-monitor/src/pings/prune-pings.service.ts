import type { Tx } from '@certloop/db';
import { deleteNotificationsBefore } from '../channels/notifications.repository.js';
import type { Check } from '../checks/check.js';
import { deleteFlipsBefore } from '../flips/flips.repository.js';
import { type Micros, microsPerSecond } from '../instants.js';
import { findPingLimit, getProject } from '../projects/projects.repository.js';
import { deletePingsUpTo, findOldestPingAt } from './pings.repository.js';

// deleting is dear, so that up to twice the limit is stored between two rounds
const pingsBetweenRounds = 100;
const flipsKept = 93 * 24 * 3600 * microsPerSecond;

export interface PruneDeps {
  /** Pings kept of each check where the account has no limit of its own. */
  readonly pingLimit: number;
}

/** Whether old pings are to be forgotten with this one: every hundredth of a check. */
export function beginsPruning({ n }: { readonly n: number }): boolean {
  return n % pingsBetweenRounds === 0;
}

/**
 * Forgets the pings beyond the limit, `n` being the latest, what was told before the oldest kept, and flips older than
 * both that and 93 days.
 */
export async function prunePings(
  deps: PruneDeps,
  tx: Tx,
  check: Check,
  n: number,
  now: Micros,
): Promise<void> {
  const limit = await pingLimitOf(deps, tx, check.projectId);
  await deletePingsUpTo(tx, check.id, n - limit);
  const oldest = await findOldestPingAt(tx, check.id);
  if (oldest === undefined) return;
  await deleteNotificationsBefore(tx, check.id, oldest);
  await deleteFlipsBefore(tx, check.id, Math.min(oldest, now - flipsKept));
}

/** Pings kept of each check of a project. */
export async function pingLimitOf({ pingLimit }: PruneDeps, tx: Tx, projectId: string): Promise<number> {
  const { ownerId } = await getProject(tx, projectId);
  return (await findPingLimit(tx, ownerId)) ?? pingLimit;
}

import type { Database, Tx } from '@certloop/db';
import type { Logger } from '@certloop/server';
import { deleteNotificationsBefore } from '../channels/notifications.repository.js';
import { deleteFlipsBefore } from '../flips/flips.repository.js';
import { microsPerSecond } from '../instants.js';
import { findPingLimit, getProject } from '../projects/projects.repository.js';
import { deletePingsUpTo, findLimitOfCheck, findOldestPingAt, type Ping } from './pings.repository.js';

// deleting is dear, so that up to twice the limit is stored between two rounds
const pingsBetweenRounds = 100;
const flipsKept = 93 * 24 * 3600 * microsPerSecond;

/** How many pings are kept. */
export interface PingLimits {
  /** Pings kept of each check where the account has no limit of its own. */
  readonly pingLimit: number;
}

export interface PruneDeps extends PingLimits {
  readonly database: Database;
  readonly logger: Logger;
}

type PingOfCheck = Pick<Ping, 'checkId' | 'n' | 'at'>;

/** Whether old pings are to be forgotten with this one: every hundredth of a check, with each check another one. */
function beginsPruning({ checkId, n }: PingOfCheck): boolean {
  return (n + checkId) % pingsBetweenRounds === 0;
}

/**
 * Forgets what is old of the checks whose turn it is with these pings, which are stored: a failure is only logged,
 * and made good with the next round.
 */
export async function pruneAfter(deps: PruneDeps, pings: readonly PingOfCheck[]): Promise<void> {
  for (const ping of pings) {
    if (!beginsPruning(ping)) continue;
    try {
      await deps.database.transaction((tx) => prunePings(deps, tx, ping));
    } catch (error) {
      deps.logger.error({ error, check: ping.checkId }, 'pings.not_pruned');
    }
  }
}

/**
 * Forgets the pings beyond the limit, `n` being the latest, what was told before the oldest kept, and flips older than
 * both that and 93 days.
 */
async function prunePings({ pingLimit }: PingLimits, tx: Tx, { checkId, n, at }: PingOfCheck): Promise<void> {
  const limit = (await findLimitOfCheck(tx, checkId)) ?? pingLimit;
  await deletePingsUpTo(tx, checkId, n - limit);
  const oldest = await findOldestPingAt(tx, checkId);
  if (oldest === undefined) return;
  await deleteNotificationsBefore(tx, checkId, oldest);
  await deleteFlipsBefore(tx, checkId, Math.min(oldest, at - flipsKept));
}

/** Pings kept of each check of a project. */
export async function pingLimitOf({ pingLimit }: PingLimits, tx: Tx, projectId: string): Promise<number> {
  const { ownerId } = await getProject(tx, projectId);
  return (await findPingLimit(tx, ownerId)) ?? pingLimit;
}

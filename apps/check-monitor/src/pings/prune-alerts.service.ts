import { type Database, type Tx, yieldBetween } from '@certloop/db';
import type { Logger } from '@certloop/server';
import { deleteFlipsBefore } from '../flips/flips.repository.js';
import { microsPerSecond } from '../instants.js';
import { deleteNotificationsBefore } from '../notifications/notifications.repository.js';
import { findOldestPingAt, type Ping } from './pings.repository.js';

// each deletes little, and with each check another ping, so that checks that are pinged together are not cleared together
const pingsBetweenRounds = 100;
const flipRetention = 93 * 24 * 3600 * microsPerSecond;

export interface PruneDeps {
  readonly db: Database;
  readonly logger: Logger;
}

type PingOfCheck = Pick<Ping, 'checkId' | 'n' | 'at'>;

/**
 * Deletes the old alerts of the checks whose turn it is with these pings, which are stored: every hundredth of a check.
 * A failure is only logged, and made good with the next round. Returns the ids of these checks.
 */
export async function pruneAfter(deps: PruneDeps, pings: readonly PingOfCheck[]): Promise<Set<number>> {
  const due = pings.filter(({ checkId, n }) => (n + checkId) % pingsBetweenRounds === 0);
  for await (const ping of yieldBetween(due)) {
    try {
      await deps.db.transaction((tx) => pruneAlerts(tx, ping));
    } catch (error) {
      deps.logger.error({ error, check: ping.checkId }, 'alerts.pruning_failed');
    }
  }
  return new Set(due.map(({ checkId }) => checkId));
}

/** Deletes messages from before the oldest ping that is stored, and flips older than both that and 93 days. */
async function pruneAlerts(tx: Tx, { checkId, at }: PingOfCheck): Promise<void> {
  const oldest = await findOldestPingAt(tx, checkId);
  if (oldest === undefined) return;
  await deleteNotificationsBefore(tx, checkId, oldest);
  await deleteFlipsBefore(tx, checkId, Math.min(oldest, at - flipRetention));
}

import { yieldBetween } from '@certloop/db';
import type { DbDeps } from '../db-deps.js';
import type { LineageEvents } from './lineages/lineage-events.service.js';
import { deleteExpiredNonces } from './nonces/used-nonces.repository.js';
import { deleteOldOrders, failLostOrders } from './orders/ended-orders.repository.js';
import type { ServerOrderRow } from './orders/server-orders.repository.js';
import { lostProblem } from './rules/order-problems.js';

export interface PurgeDeps extends DbDeps {
  readonly emit: LineageEvents;
}

const slice = 500;
const orderRetentionMs = 7 * 86_400_000;

/** Deletes used nonces that have expired. */
export async function purgeNonces({ db, clock }: DbDeps): Promise<void> {
  for await (const _round of yieldBetween()) {
    const count = await db.transaction((tx) => deleteExpiredNonces(tx, clock.now(), slice));
    if (count < slice) return;
  }
}

/**
 * Deletes orders that ended a week ago, or whose certificates did, and ends those for which nothing is issued any more, such as
 * after a restore of a backup.
 */
export async function purgeOrders({ db, clock, emit }: PurgeDeps): Promise<void> {
  const now = clock.now();
  await db.transaction(async (tx) => {
    const fqdns = placesOf(await failLostOrders(tx, lostProblem, now));
    if (fqdns.length > 0) await emit.lineagesChanged(tx, { fqdns, cause: 'failed' });
  });
  const before = new Date(now.getTime() - orderRetentionMs);
  for await (const _round of yieldBetween()) {
    const count = await db.transaction(async (tx) => {
      const deleted = await deleteOldOrders(tx, before, slice);
      const fqdns = placesOf(deleted.filter(({ isNewest }) => isNewest));
      if (fqdns.length > 0) await emit.lineagesChanged(tx, { fqdns, cause: 'deleted' });
      return deleted.length;
    });
    if (count < slice) return;
  }
}

function placesOf(orders: readonly Pick<ServerOrderRow, 'fqdnId' | 'spaceId'>[]) {
  return [...new Map(orders.map(({ fqdnId: id, spaceId }) => [id, { id, spaceId }])).values()];
}

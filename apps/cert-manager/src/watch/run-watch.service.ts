import { randomUUID } from 'node:crypto';
import { type Tx, yieldBetween } from '@certloop/db';
import { type Logger, oneAtATime } from '@certloop/server';
import type { DbDeps } from '../db-deps.js';
import {
  type DueCheck,
  noCheck,
  readDueCheck,
  type SyncDeps,
  type SyncEnd,
  syncCheck,
} from './checks/sync-check.service.js';
import { countWaitingChecks } from './missing-watch.repository.js';
import type { MonitorClient } from './monitor/monitor.client.js';
import { createPresence } from './monitor/monitor-presence.store.js';
import { deletePings, deletePingsOf } from './pings/watch-pings.repository.js';
import { claimWatched, deleteWatched, releaseWatched } from './watched-fqdns.repository.js';

export interface WatchDeps extends DbDeps {
  readonly logger: Logger;
  readonly monitor: MonitorClient;
  /** Whether FQDNs with renewal off are watched, too. */
  readonly watchesExpiry: boolean;
}

/** Keeps the monitor's checks of FQDNs in line; of several, in one process or many, each is one's at a time. */
export interface WatchRunner {
  /** Sends the monitor what is new; false when something due is left. One run at a time. */
  run(): Promise<boolean>;
  /** Begins nothing more; resolves when what is under way has ended. */
  stop(): Promise<void>;
}

// checks under way at once
const batch = 16;
const batchesPerRun = 60;
// longer than the calls of a sync can take
const leaseMs = 300_000;

export function createWatchRunner({ monitor: client, ...deps }: WatchDeps): WatchRunner {
  const presence = createPresence(client, deps);
  const syncDeps = { ...deps, monitor: presence.monitor, mayAskForCheck: presence.mayAskForCheck };
  let isStopped = false;
  const runs = oneAtATime(async () => {
    if (presence.isAway()) return true;
    for await (const round of yieldBetween()) {
      if (round === batchesPerRun || isStopped) break;
      const synced = await runBatch(syncDeps);
      if (presence.endRun() || synced === 0) return true;
    }
    return false;
  });
  return {
    run: runs.run,
    stop: async () => {
      isStopped = true;
      await runs.idle();
    },
  };
}

/** How many were due. What happened to them is written down at once: a commit is what a sync costs most. */
async function runBatch(deps: SyncDeps): Promise<number> {
  const { db, clock } = deps;
  const now = clock.now();
  const claim = { now, token: randomUUID(), until: new Date(now.getTime() + leaseMs), limit: batch };
  const rows = await db.transaction((tx) => claimWatched(tx, claim));
  if (rows.length === 0) return 0;
  const due = await Promise.all(rows.map((row) => readDueCheck(deps, row)));
  const syncs = await syncInOrder(deps, due);
  const ends = syncs.flatMap((sync) => (sync.status === 'fulfilled' ? [sync.value] : []));
  await db.transaction(async (tx) => {
    for (const end of ends) await settleSync(tx, end, clock.now());
  });
  for (const sync of syncs) if (sync.status === 'rejected') throw sync.reason;
  return rows.length;
}

/**
 * Syncs these checks with the monitor. One of an FQDN that no one renews is made after those of FQDNs that are
 * renewed, and not while any of these waits for room.
 */
async function syncInOrder(
  deps: SyncDeps,
  due: readonly DueCheck[],
): Promise<PromiseSettledResult<SyncEnd>[]> {
  const mayWait = ({ row, subject }: DueCheck) => subject?.mode === 'expiry' && row.checkUuid === null;
  const first = due.filter((check) => !mayWait(check));
  const others = due.filter(mayWait);
  const syncs = await Promise.allSettled(first.map((check) => syncCheck(deps, check)));
  if (others.length === 0) return syncs;
  const isFirstWaiting = syncs.some(
    (sync) =>
      sync.status === 'fulfilled' && sync.value.next !== 'unwatched' && sync.value.next.waiting === 'renewal',
  );
  const hasRoom = !isFirstWaiting && (await deps.db.read(countWaitingChecks)).renewal === 0;
  const later = hasRoom ? deps : { ...deps, mayAskForCheck: () => false };
  return [...syncs, ...(await Promise.allSettled(others.map((check) => syncCheck(later, check))))];
}

/** A worker whose lease has expired may only delete the pings that it has sent. */
async function settleSync(tx: Tx, { row, sent, next }: SyncEnd, now: Date): Promise<void> {
  await deletePings(tx, sent);
  if (next !== 'unwatched') return releaseWatched(tx, row, next, now);
  if (await deleteWatched(tx, row)) return deletePingsOf(tx, row.id);
  return releaseWatched(tx, row, { ...noCheck, dueAt: now }, now);
}

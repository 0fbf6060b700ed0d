import { randomUUID } from 'node:crypto';
import type { Database } from '@certloop/db';
import type { Clock, Logger } from '@certloop/server';
import { oneAtATime } from '../renewals/one-at-a-time.js';
import type { MonitorClient } from './monitor.client.js';
import { createPresence } from './monitor-presence.store.js';
import { type TellDeps, tellMonitor } from './tell-monitor.service.js';
import { claimWatched } from './watched-fqdns.repository.js';

export interface WatchDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly monitor: MonitorClient;
}

/** Keeps the monitor's checks of FQDNs in line; of several, in one process or many, each is one's at a time. */
export interface WatchRunner {
  /** Tells the monitor what it does not know yet; false when something due is left. One run at a time. */
  run(): Promise<boolean>;
  /** Begins nothing more; resolves when what is under way has ended. */
  stop(): Promise<void>;
}

// checks under way at once
const batch = 16;
const batchesPerRun = 60;
// longer than the calls of a turn can take
const leaseMs = 300_000;

export function createWatchRunner({ monitor: client, ...deps }: WatchDeps): WatchRunner {
  const presence = createPresence(client, deps);
  const tell = { ...deps, monitor: presence.monitor, mayAskForCheck: presence.mayAskForCheck };
  let isStopped = false;
  const runs = oneAtATime(async () => {
    if (presence.isAway()) return true;
    for (let count = 0; count < batchesPerRun && !isStopped; count += 1) {
      const told = await runBatch(tell);
      if (presence.endRun() || told === 0) return true;
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

/** How many were due. */
async function runBatch(deps: TellDeps): Promise<number> {
  const { db, clock } = deps;
  const now = clock.now();
  const claim = { now, token: randomUUID(), until: new Date(now.getTime() + leaseMs), limit: batch };
  const rows = await db.transaction((tx) => claimWatched(tx, claim));
  // all have ended when this ends, also when one of them failed
  const ends = await Promise.allSettled(rows.map((row) => tellMonitor(deps, row)));
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
  return rows.length;
}

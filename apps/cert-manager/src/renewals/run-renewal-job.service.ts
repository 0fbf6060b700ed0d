import type { Database } from '@certloop/db';
import type { Clock, Logger } from '@certloop/server';
import { countExpiring } from '../certificates/certificates.repository.js';
import type { Heartbeat } from './heartbeat.client.js';
import { replaceJobRun } from './job-runs.repository.js';

export interface HeartbeatDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly heartbeat: Heartbeat;
}

/**
 * One run of the watched job, told to the monitor: start, then success with what was found, or fail with the
 * reason. It fails when the database does not take what is written to it. Never throws.
 */
export async function runHeartbeat(deps: HeartbeatDeps): Promise<void> {
  const run = await deps.heartbeat.begin();
  try {
    await run.succeed(await checkSelf(deps));
  } catch (error) {
    deps.logger.error({ error }, 'heartbeat.failed');
    await run.fail(error instanceof Error ? error.message : String(error));
  }
}

const job = 'heartbeat';
const horizonDays = 30;

/** Writes and reads the database as every request does; returns what it holds in one sentence. */
async function checkSelf({ db, clock }: HeartbeatDeps): Promise<string> {
  const now = clock.now();
  const horizon = new Date(now.getTime() + horizonDays * 86_400_000);
  const { expired, expiring } = await db.read((tx) => countExpiring(tx, now, horizon));
  const report = `${expiring} certificates expire within ${horizonDays} days, ${expired} have expired`;
  await db.transaction((tx) => replaceJobRun(tx, { job, succeededAt: now, report }));
  return report;
}

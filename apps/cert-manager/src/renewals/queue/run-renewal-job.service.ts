import type { Database } from '@certloop/db';
import type { Clock, Logger } from '@certloop/server';
import { countExpiring } from '../../certificates/certificates.repository.js';
import type { Heartbeat } from '../heartbeat/heartbeat.client.js';
import { describeRun, isSound, type RunReport } from '../heartbeat/run-report.js';
import { replaceJobRun } from './job-runs.repository.js';

export interface RenewalJobDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Works on the queue once. */
  readonly runQueue: () => Promise<RunReport>;
  /** Absent when there is no monitor to tell. */
  readonly heartbeat: Heartbeat | undefined;
}

/**
 * One run of the renewal job, told to the monitor: start, then success with what was done, or fail with the
 * reason. It fails when the queue cannot be worked on, when the database does not take what is written to it, and
 * when somebody needs to look at a renewal. False when something due is left for the next run. Never throws.
 */
export async function runRenewalJob(deps: RenewalJobDeps): Promise<boolean> {
  const beat = await deps.heartbeat?.begin();
  try {
    const report = await deps.runQueue();
    const sentence = `${describeRun(report)}; ${await recordRun(deps)}`;
    await (isSound(report) ? beat?.succeed(sentence) : beat?.fail(sentence));
    return report.isDone;
  } catch (error) {
    deps.logger.error({ error }, 'renewals.failed');
    await beat?.fail(error instanceof Error ? error.message : String(error));
    return true;
  }
}

const job = 'renewals';
const horizonDays = 30;

/** Writes and reads the database as every request does; returns what it holds in one sentence. */
async function recordRun({ db, clock }: RenewalJobDeps): Promise<string> {
  const now = clock.now();
  const horizon = new Date(now.getTime() + horizonDays * 86_400_000);
  const { expired, expiring } = await db.read((tx) => countExpiring(tx, now, horizon));
  const report = `${expiring} certificates expire within ${horizonDays} days, ${expired} have expired`;
  await db.transaction((tx) => replaceJobRun(tx, { job, succeededAt: now, report }));
  return report;
}

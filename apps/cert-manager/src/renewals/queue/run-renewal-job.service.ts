import type { Tx } from '@certloop/db';
import type { Logger } from '@certloop/server';
import { countExpiring } from '../../certificates/certificate-lists.repository.js';
import type { DbDeps } from '../../db-deps.js';
import type { Heartbeat } from '../heartbeat/heartbeat.client.js';
import { describeRun, hasSucceeded, type RunReport } from '../heartbeat/run-report.js';
import { replaceJobRun } from './job-runs.repository.js';

export interface RenewalJobDeps extends DbDeps {
  readonly logger: Logger;
  /** Works on the queue once. */
  readonly runQueue: () => Promise<RunReport>;
  /** Absent when there is no monitor. */
  readonly heartbeat: Heartbeat | undefined;
  /** Why it is not certain what time it is; undefined while it is, and always when absent. */
  readonly findClockFault?: () => string | undefined;
  /** Further problems that people must solve, one sentence each; none when absent. */
  readonly findTroubles?: (tx: Tx, now: Date) => Promise<readonly string[]>;
  /** Called after a run without problems; never rejects. */
  readonly onGoodRun?: () => Promise<void>;
}

/**
 * One run of the renewal job, reported to the monitor: start, then success with what was done, or fail with the
 * reason. It fails when it is not certain what time it is, and then begins nothing, when the queue cannot be worked on, when the database does not take what is written to it, and
 * when a renewal or the watch has a problem that people must solve. False when something due is left for the next run. Never throws.
 */
export async function runRenewalJob(deps: RenewalJobDeps): Promise<boolean> {
  const beat = await deps.heartbeat?.begin();
  const clockFault = deps.findClockFault?.();
  if (clockFault !== undefined) {
    await beat?.fail(clockFault);
    return true;
  }
  try {
    const report = await deps.runQueue();
    const { stored, troubles } = await recordRun(deps);
    const sentence = [describeRun(report), stored, ...troubles].join('; ');
    const isGood = hasSucceeded(report) && troubles.length === 0;
    await Promise.all([
      isGood ? beat?.succeed(sentence) : beat?.fail(sentence),
      isGood ? deps.onGoodRun?.() : undefined,
    ]);
    return report.isDone;
  } catch (error) {
    deps.logger.error({ error }, 'renewals.run_failed');
    await beat?.fail(error instanceof Error ? error.message : String(error));
    return true;
  }
}

const job = 'renewals';
const horizonDays = 30;

/** Writes and reads the database as every request does; returns what it holds in one sentence, and what is wrong. */
async function recordRun({ db, clock, findTroubles = async () => [] }: RenewalJobDeps) {
  const now = clock.now();
  const horizon = new Date(now.getTime() + horizonDays * 86_400_000);
  const { expired, expiring, troubles } = await db.read(async (tx) => ({
    ...(await countExpiring(tx, now, horizon)),
    troubles: await findTroubles(tx, now),
  }));
  const report = `${expiring} certificates expire within ${horizonDays} days, ${expired} have expired`;
  await db.transaction((tx) => replaceJobRun(tx, { job, succeededAt: now, report }));
  return { stored: report, troubles };
}

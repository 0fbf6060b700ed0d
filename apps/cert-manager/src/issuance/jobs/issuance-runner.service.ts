import { constraintViolation, yieldBetween } from '@certloop/db';
import { deleteOldJobs, findJob, type IssuanceJobRow, updateJob } from './issuance-jobs.repository.js';
import type { RunDeps } from './issuance-worker.service.js';
import { createJobQueue, type JobQueue } from './job-queue.store.js';
import { claimFailedJob, claimJob, extendJobs } from './open-jobs.repository.js';
import { failInterruptedJob, runIssuance } from './run-issuance.service.js';
import { isInterruptedOften } from './unfinished-order.service.js';

/** Works on jobs in this process. */
export interface IssuanceRunner {
  /** Milliseconds that a claim lasts. */
  readonly leaseMs: number;
  /** Starts a job that this process created or claimed, as soon as its provider has a free slot. */
  begin(job: IssuanceJobRow): void;
  /** The job when it is no longer running, or as it is after `ms`; undefined when it is gone. */
  settled(id: string, ms: number): Promise<IssuanceJobRow | undefined>;
  /**
   * Continues jobs whose worker has stopped, and failed jobs whose CA may have issued a certificate. A job that failed
   * unexpectedly 10 times ends as failed instead.
   */
  takeUp(): Promise<void>;
  /** Deletes what ended long ago. */
  sweep(): Promise<void>;
  /** Resolves when running work has ended; the caller must abort its waits first. */
  stop(): Promise<void>;
}

const pollMs = 250;
const retentionMs = 90 * 86_400_000;
// some wait for proofs to be seen, and those must not keep the others waiting; calls are bounded apart
const maxAtOnce = 32;

export function createIssuanceRunner(deps: RunDeps): IssuanceRunner {
  const underWay = new Map<string, Promise<void>>();
  const queue = createJobQueue<IssuanceJobRow>(maxAtOnce);
  const leases = setInterval(() => void extendWaiting(deps, queue.waiting()), deps.leaseMs / 3);
  leases.unref();
  let isStopped = false;
  const begin = (job: IssuanceJobRow) => {
    const work = runInTurn(deps, queue, job)
      .catch((error: unknown) => {
        const isBrokenOff = deps.stopping.aborted && error === deps.stopping.reason;
        if (!isBrokenOff) logBroken(deps, job, error);
        return isStopped ? releaseJob(deps, job) : undefined;
      })
      .finally(() => underWay.delete(job.id));
    underWay.set(job.id, work);
  };
  return {
    leaseMs: deps.leaseMs,
    begin,
    settled: async (id, ms) => {
      const deadline = performance.now() + ms;
      for (;;) {
        const job = await deps.db.read((tx) => findJob(tx, id));
        const left = deadline - performance.now();
        if (job?.status !== 'running' || left <= 0 || isStopped) return job;
        await first(underWay.get(id), Math.min(left, underWay.has(id) ? left : pollMs));
      }
    },
    takeUp: async () => {
      for await (const _round of yieldBetween()) {
        if (isStopped) return;
        const job = await claim(deps);
        if (job === undefined) return;
        deps.logger.warn({ jobId: job.id, attempt: job.attempt }, 'issuance.taken_over');
        if (isInterruptedOften(job)) await failInterruptedJob(deps, job, job.attempt - 1);
        else begin(job);
      }
    },
    sweep: async () => {
      const before = new Date(deps.clock.now().getTime() - retentionMs);
      await deps.db.transaction((tx) => deleteOldJobs(tx, before));
    },
    stop: async () => {
      isStopped = true;
      clearInterval(leases);
      queue.close();
      await Promise.all(underWay.values());
    },
  };
}

async function claim({ db, clock, leaseMs }: RunDeps): Promise<IssuanceJobRow | undefined> {
  const now = clock.now();
  const leaseUntil = new Date(now.getTime() + leaseMs);
  try {
    return await db.transaction(
      async (tx) => (await claimJob(tx, now, leaseUntil)) ?? (await claimFailedJob(tx, now, leaseUntil)),
    );
  } catch (error) {
    // a request for the same FQDN was begun at the same moment: the failed job is continued after it
    if (constraintViolation(error)?.kind === 'unique') return undefined;
    throw error;
  }
}

/** Runs a job when its provider has room for it; leaves it to others when the process stops before. */
async function runInTurn(deps: RunDeps, queue: JobQueue<IssuanceJobRow>, job: IssuanceJobRow): Promise<void> {
  if (!(await queue.enter(job))) return releaseJob(deps, job);
  try {
    await runIssuance(deps, job);
  } finally {
    queue.leave(job);
  }
}

async function extendWaiting({ db, clock, logger, leaseMs }: RunDeps, jobs: readonly IssuanceJobRow[]) {
  if (jobs.length === 0) return;
  const leaseUntil = new Date(clock.now().getTime() + leaseMs);
  await db
    .transaction((tx) => extendJobs(tx, jobs, leaseUntil))
    .catch((error: unknown) => logger.warn({ jobs: jobs.length, error }, 'issuance.leases_not_extended'));
}

/** Unless the service stops, the job stays claimed until its lease expires, and is then taken over. */
function logBroken({ logger }: RunDeps, { id: jobId }: IssuanceJobRow, error: unknown): void {
  logger.error({ jobId, error }, 'issuance.unexpected_error');
}

/** Releases a job for the next process, since this one stops. */
async function releaseJob({ db, logger }: RunDeps, job: IssuanceJobRow): Promise<void> {
  try {
    await db.transaction((tx) => updateJob(tx, job, { leaseUntil: null }));
    logger.info({ jobId: job.id }, 'issuance.released');
  } catch (error) {
    logger.warn({ jobId: job.id, error }, 'issuance.release_failed');
  }
}

/** Resolves when the work is over, or after `ms`. */
function first(work: Promise<void> | undefined, ms: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    void work?.then(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}

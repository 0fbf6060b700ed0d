import { constraintViolation, yieldBetween } from '@certloop/db';
import { changeOf, jobStatuses } from '../signing/issuance-state.js';
import { type IssuanceRow, updateIssuance } from '../signing/issuances.repository.js';
import { claimJob, type DueJob, deleteOldJobs, findJob } from './issuance-jobs.repository.js';
import type { RunDeps } from './issuance-worker.service.js';
import { createJobQueue } from './job-queue.store.js';
import { createJobStore, failInterruptedJob, runIssuance } from './run-issuance.service.js';
import { createTakeUp } from './take-up-jobs.service.js';
import { isInterruptedOften } from './unfinished-order.service.js';

/** Works on jobs in this process. */
export interface IssuanceRunner {
  /** Milliseconds that a claim lasts. */
  readonly leaseMs: number;
  /**
   * Claims a job and works on it, as soon as its provider has a free slot and no other request for its FQDN is running.
   * Resolves when the job is claimed, or has to wait, or is not this process's.
   */
  begin(job: DueJob): Promise<void>;
  /** The job when it is no longer running, or as it is after `ms`; undefined when it is gone. */
  settled(id: string, ms: number): Promise<IssuanceRow | undefined>;
  /**
   * Begins jobs that no one works on, and continues those whose worker has stopped and failed ones whose CA may have issued
   * a certificate. A job that failed unexpectedly 10 times ends as failed instead.
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

export function createIssuanceRunner(parts: Omit<RunDeps, 'storeCompleted'>): IssuanceRunner {
  const deps = { ...parts, storeCompleted: createJobStore(parts) };
  const underWay = new Map<string, Promise<void>>();
  const queue = createJobQueue<DueJob>(maxAtOnce);
  let isStopped = false;
  const begin = (job: DueJob) =>
    new Promise<void>((onBegun) => {
      // the end of the turn before is written, but perhaps not over
      const work = Promise.resolve(underWay.get(job.id))
        .then(() => runInTurn(deps, queue, job, onBegun))
        .catch((error: unknown) => deps.logger.error({ jobId: job.id, error }, 'issuance.unexpected_error'))
        .finally(() => {
          if (underWay.get(job.id) === work) underWay.delete(job.id);
        });
      underWay.set(job.id, work);
    });
  return {
    leaseMs: deps.leaseMs,
    begin,
    settled: async (id, ms) => {
      const deadline = performance.now() + ms;
      for (;;) {
        const job = await deps.db.read((tx) => findJob(tx, id));
        const left = deadline - performance.now();
        if (job === undefined || jobStatuses[job.state] !== 'running' || left <= 0 || isStopped) return job;
        await first(underWay.get(id), Math.min(left, underWay.has(id) ? left : pollMs));
      }
    },
    takeUp: createTakeUp({ ...deps, begin, underWay, isStopped: () => isStopped }),
    sweep: async () => {
      const before = new Date(deps.clock.now().getTime() - retentionMs);
      for await (const _round of yieldBetween())
        if ((await deps.db.transaction((tx) => deleteOldJobs(tx, before))) === 0) return;
    },
    stop: async () => {
      isStopped = true;
      queue.close();
      await Promise.all(underWay.values());
    },
  };
}

type Turns = ReturnType<typeof createJobQueue<DueJob>>;

/** Works on a job when its provider has room for it; leaves it to others when the process stops before. */
async function runInTurn(deps: RunDeps, queue: Turns, job: DueJob, onBegun: () => void): Promise<void> {
  for await (const _round of yieldBetween()) {
    const turn = queue.enter(job);
    if (turn !== true) onBegun();
    if (!(await turn)) return;
    try {
      const claimed = await claim(deps, job).finally(onBegun);
      if (claimed !== 'busy') return claimed && (await runClaimed(deps, claimed));
    } finally {
      queue.leave(job);
    }
    await pauseUnlessStopping(deps.stopping);
  }
}

/** The job if it is to be run by this process; one whose workers failed too often ends here. */
async function claim(deps: RunDeps, { id }: DueJob): Promise<IssuanceRow | 'busy' | undefined> {
  const { db, clock, leaseMs, logger } = deps;
  try {
    const claimed = await db.transaction((tx) => claimJob(tx, id, clock.now(), { leaseMs }));
    if (claimed === undefined || claimed === 'busy') return claimed;
    const { job, isTakenOver } = claimed;
    if (!isTakenOver) return job;
    logger.warn({ jobId: id, attempt: job.attempt }, 'issuance.taken_over');
    if (!isInterruptedOften(job)) return job;
    await failInterruptedJob(deps, job, job.attempt - 1);
    return undefined;
  } catch (error) {
    // a request for the same FQDN was begun at the same moment
    if (constraintViolation(error)?.kind === 'unique') return 'busy';
    throw error;
  }
}

async function runClaimed(deps: RunDeps, job: IssuanceRow): Promise<void> {
  try {
    await runIssuance(deps, job);
  } catch (error) {
    if (!deps.stopping.aborted) throw error;
    if (error !== deps.stopping.reason)
      deps.logger.error({ jobId: job.id, error }, 'issuance.unexpected_error');
    await release(deps, job);
  }
}

/** Leaves the job to the next process, since this one stops. */
async function release({ db, clock, leaseMs, logger }: RunDeps, job: IssuanceRow): Promise<void> {
  const change = changeOf(job, { kind: 'queue', now: clock.now() }, { leaseMs });
  if (change === undefined) return;
  try {
    await db.transaction((tx) => updateIssuance(tx, job, change));
    logger.info({ jobId: job.id }, 'issuance.released');
  } catch (error) {
    logger.warn({ jobId: job.id, error }, 'issuance.release_failed');
  }
}

function pauseUnlessStopping(stopping: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (stopping.aborted) return resolve();
    const end = () => {
      clearTimeout(timer);
      stopping.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, pollMs);
    stopping.addEventListener('abort', end);
  });
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

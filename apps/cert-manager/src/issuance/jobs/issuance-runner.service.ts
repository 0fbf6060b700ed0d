import { constraintViolation, type Tx, yieldBetween } from '@certloop/db';
import { deleteOldClientCsrs } from '../clients/client-issuances.repository.js';
import { jobStatuses } from '../signing/issuance-state.js';
import { leaveIssuance } from '../signing/issuance-worker.service.js';
import type { IssuanceRow } from '../signing/issuances.repository.js';
import type { DueIssuance } from './due-issuances.repository.js';
import { claimIssuance, deleteOldJobs, findJob } from './issuance-jobs.repository.js';
import { createJobQueue } from './job-queue.store.js';
import { failInterruptedJob, type RunDeps, runIssuance } from './run-issuance.service.js';
import { createTakeUp } from './take-up-jobs.service.js';
import { isInterruptedOften } from './unfinished-order.service.js';

/** Works on issuances in this process that no call is working on. */
export interface IssuanceRunner {
  /** Milliseconds that a claim lasts. */
  readonly leaseMs: number;
  /**
   * Claims an issuance and works on it, as soon as its provider has a free slot and, for a job, no other request for its FQDN
   * is running. Resolves when the issuance is claimed, or has to wait, or is not this process's.
   */
  begin(issuance: DueIssuance): Promise<void>;
  /** As begin, unless this process works on the issuance already, or lets it wait. */
  takeOver(issuance: DueIssuance): Promise<void>;
  /** Resolves when this process works on the issuance no more, at most after `ms`. */
  whenEnded(id: string, ms: number): Promise<void>;
  /** The job when it is no longer running, or as it is after `ms`; undefined when it is gone. */
  settled(id: string, ms: number): Promise<IssuanceRow | undefined>;
  /**
   * Begins jobs that no one works on, continues what is left of processes that have died, and asks CAs again that may have
   * issued a certificate. A job that failed unexpectedly 10 times ends as failed instead.
   */
  takeUp(): Promise<void>;
  /** Deletes what ended long ago. */
  sweep(): Promise<void>;
  /** Resolves when what is under way has ended. */
  idle(): Promise<void>;
  /** Resolves when running work has ended; the caller must abort its waits first. */
  stop(): Promise<void>;
}

const pollMs = 250;
const retentionMs = 90 * 86_400_000;
// orders of ACME clients are deleted 7 days after their end
const csrRetentionMs = 30 * 86_400_000;
// some wait for proofs to be seen, and those must not keep the others waiting; calls are bounded apart
const maxAtOnce = 32;

export function createIssuanceRunner(deps: RunDeps): IssuanceRunner {
  const underWay = new Map<string, Promise<void>>();
  const queue = createJobQueue<DueIssuance>(maxAtOnce);
  let isStopped = false;
  const begin = (issuance: DueIssuance) =>
    new Promise<void>((onBegun) => {
      // the end of the turn before is written, but perhaps not over
      const work = Promise.resolve(underWay.get(issuance.id))
        .then(() => runInTurn(deps, queue, issuance, onBegun))
        .catch((error: unknown) =>
          deps.logger.error({ jobId: issuance.id, error }, 'issuance.unexpected_error'),
        )
        .finally(() => {
          if (underWay.get(issuance.id) === work) underWay.delete(issuance.id);
        });
      underWay.set(issuance.id, work);
    });
  const idle = async () => void (await Promise.all(underWay.values()));
  return {
    leaseMs: deps.leaseMs,
    begin,
    takeOver: async (issuance) => (underWay.has(issuance.id) ? undefined : begin(issuance)),
    idle,
    whenEnded: async (id, ms) => {
      const work = underWay.get(id);
      if (work !== undefined) await first(work, ms);
    },
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
      const now = deps.clock.now().getTime();
      await deleteAll(deps, (tx) => deleteOldJobs(tx, new Date(now - retentionMs)));
      await deleteAll(deps, (tx) => deleteOldClientCsrs(tx, new Date(now - csrRetentionMs)));
    },
    stop: () => {
      isStopped = true;
      queue.close();
      return idle();
    },
  };
}

async function deleteAll({ db }: RunDeps, deleteSome: (tx: Tx) => Promise<number>): Promise<void> {
  for await (const _round of yieldBetween()) if ((await db.transaction(deleteSome)) === 0) return;
}

type Turns = ReturnType<typeof createJobQueue<DueIssuance>>;

/** Works on an issuance when its provider has room for it; leaves it to others when the process stops before. */
async function runInTurn(deps: RunDeps, queue: Turns, due: DueIssuance, onBegun: () => void): Promise<void> {
  for await (const _round of yieldBetween()) {
    const turn = queue.enter(due);
    if (turn !== true) onBegun();
    if (!(await turn)) return;
    try {
      const claimed = await claim(deps, due).finally(onBegun);
      if (claimed !== 'busy') return claimed && (await runClaimed(deps, claimed));
    } finally {
      queue.leave(due);
    }
    await pauseUnlessStopping(deps.stopping);
  }
}

/** The issuance if it is to be run by this process; a job whose workers failed too often ends here. */
async function claim(deps: RunDeps, { id }: DueIssuance): Promise<IssuanceRow | 'busy' | undefined> {
  const { db, clock, logger } = deps;
  try {
    const claimed = await db.transaction((tx) => claimIssuance(tx, id, clock.now(), deps));
    if (claimed === undefined || claimed === 'busy') return claimed;
    const { issuance, isTakenOver } = claimed;
    if (!isTakenOver) return issuance;
    logger.warn({ jobId: id, attempt: issuance.attempt }, 'issuance.taken_over');
    if (!isInterruptedOften(issuance)) return issuance;
    await failInterruptedJob(deps, issuance, issuance.attempt - 1);
    return undefined;
  } catch (error) {
    // a request for the same FQDN was begun at the same moment
    if (constraintViolation(error)?.kind === 'unique') return 'busy';
    throw error;
  }
}

async function runClaimed(deps: RunDeps, issuance: IssuanceRow): Promise<void> {
  try {
    await runIssuance(deps, issuance);
  } catch (error) {
    const isStopping = deps.stopping.aborted;
    if (!isStopping || error !== deps.stopping.reason)
      deps.logger.error({ jobId: issuance.id, error }, 'issuance.unexpected_error');
    if (isStopping) await leaveIssuance(deps, issuance);
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

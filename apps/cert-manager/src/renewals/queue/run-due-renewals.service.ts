import { randomUUID } from 'node:crypto';
import { yieldBetween } from '@certloop/db';
import { oneAtATime } from '@certloop/server';
import { usableUntil } from '../../certificates/in-use.js';
import { findNewestCertificate } from '../../certificates/newest-certificates.repository.js';
import { findForbiddenRenewals } from '../../fqdns/policy/policy-refusals.repository.js';
import { createObstacleCheck } from '../../issuance/signing/find-obstacles.service.js';
import { endLapsedTries } from '../../issuance/signing/issuances.repository.js';
import { roomInMs } from '../../providers/pace/provider-pace.js';
import { listProviders } from '../../providers/providers.repository.js';
import type { RunReport } from '../heartbeat/run-report.js';
import { changeOfRenewal } from '../renewal-entry.js';
import { type RenewalRow, updateRenewal } from '../renewals.repository.js';
import { type BegunRenewal, beginRenewals } from './begin-renewals.service.js';
import { findTroubled, hasDueRenewal, listLapsedRenewals } from './due-renewals.repository.js';
import { listProviderQueues, type ProviderQueue } from './provider-queues.service.js';
import { type RenewDeps, renewCertificate } from './renew-certificate.service.js';
import type { RenewalEnd } from './settle-renewal.service.js';
import { createSettler } from './settle-renewed.service.js';

export interface RunnerDeps extends Omit<RenewDeps, 'settle' | 'check'> {
  /** Renewals under way at once by one provider. */
  readonly concurrency: number;
  /** For how long a run starts new renewals; the next run continues. */
  readonly budgetMs: number;
  /** Aborted when the service stops; aborted calls then reject with its reason. */
  readonly stopping: AbortSignal;
}

/** Processes the renewal queue. Several runners may work at once: each entry is claimed by one of them. */
export interface RenewalRunner {
  /**
   * Renews what is due. One run at a time: calls during a run share the one that follows it. Rejects when the
   * queue itself cannot be worked on.
   */
  run(): Promise<RunReport>;
  /** Milliseconds until the first CA with little room has room again; undefined if no CA limits its rate. */
  roomInMs(): Promise<number | undefined>;
  /** Starts no more renewals; resolves when the running ones have ended. */
  stop(): Promise<void>;
}

type RunEnd = RenewalEnd | { readonly kind: 'broken' };

interface RenewalWorker extends RunnerDeps, RenewDeps {
  readonly owner: string;
  /** Running renewals by provider; they may outlive the run that started them. */
  readonly underWay: Map<string, Set<Promise<void>>>;
  /** Results that no run has reported yet. */
  ends: RunEnd[];
  isStopped: boolean;
}

export function createRenewalRunner(deps: RunnerDeps): RenewalRunner {
  const settle = createSettler(deps);
  const own = { owner: randomUUID(), underWay: new Map(), ends: [], isStopped: false };
  const check = createObstacleCheck(deps.db, deps.opener);
  const worker: RenewalWorker = { ...deps, ...own, settle, check };
  const runs = oneAtATime(() => runOnce(worker));
  return {
    run: runs.run,
    roomInMs: async () => {
      const now = deps.clock.now();
      const rows = await deps.db.read(listProviders);
      const waits = rows.flatMap(({ pace, enabled }) => (enabled ? (roomInMs(pace, now) ?? []) : []));
      return waits.length === 0 ? undefined : Math.min(...waits);
    },
    stop: async () => {
      worker.isStopped = true;
      await runs.idle();
      await Promise.all([...worker.underWay.values()].flatMap((work) => [...work]));
    },
  };
}

async function runOnce(worker: RenewalWorker): Promise<RunReport> {
  const lapsed = await returnLapsed(worker);
  const queues = await worker.db.read((tx) => listProviderQueues(tx, worker.opener));
  const isDone = await runQueues(
    worker,
    queues.filter(({ obstacle }) => obstacle === undefined),
  );
  const obstacles = await listObstacles(worker, queues);
  const troubled = await worker.db.read(findTroubled);
  const forbidden = await worker.db.read(findForbiddenRenewals);
  return { ...countEnds(worker.ends.splice(0)), lapsed, obstacles, troubled, forbidden, isDone };
}

/** Reasons why the providers of due entries cannot be asked. */
function listObstacles({ db, clock }: RenewalWorker, queues: readonly ProviderQueue[]): Promise<string[]> {
  return db.read(async (tx) => {
    const obstacles: string[] = [];
    for (const { provider, obstacle } of queues) {
      if (obstacle !== undefined && (await hasDueRenewal(tx, provider.id, clock.now())))
        obstacles.push(obstacle);
    }
    return obstacles;
  });
}

/** Renews what is due by each provider at the same time; false when something due is left. */
async function runQueues(worker: RenewalWorker, queues: readonly ProviderQueue[]): Promise<boolean> {
  const deadline = after(worker.budgetMs);
  // wait for all of them, even if one fails
  const results = await Promise.allSettled(queues.map((queue) => runQueue(worker, queue, deadline)));
  deadline.cancel();
  return results.every((result) => {
    if (result.status === 'rejected') throw result.reason;
    return result.value;
  });
}

/** Takes back the entries of workers that have died; returns how many. */
async function returnLapsed({ db, clock, logger, emit }: RenewalWorker): Promise<number> {
  await db.transaction((tx) => endLapsedTries(tx, clock.now()));
  const entries = await db.read((tx) => listLapsedRenewals(tx, clock.now()));
  let count = 0;
  for await (const entry of yieldBetween(entries)) {
    const isReturned = await db.transaction(async (tx) => {
      const now = clock.now();
      const newest = await findNewestCertificate(tx, entry.fqdnId);
      // without a certificate, counts as expired
      const { notBefore, notAfter } =
        newest === undefined
          ? { notBefore: now, notAfter: now }
          : { notBefore: newest.notBefore, notAfter: usableUntil(newest) };
      const change = changeOfRenewal(entry, { kind: 'lapse', now, notBefore, notAfter });
      const isChanged = change !== undefined && (await updateRenewal(tx, entry, change));
      if (isChanged) await emit.renewalPlanned(tx, { fqdn: { id: entry.fqdnId } });
      return isChanged;
    });
    if (!isReturned) continue;
    count += 1;
    logger.warn(
      { entryId: entry.id, attempt: entry.attempt, owner: entry.leaseOwner },
      'renewal.lease_expired',
    );
  }
  return count;
}

/** Renews what is due by one provider; false when the time was up before everything was begun. */
async function runQueue(
  worker: RenewalWorker,
  { provider }: ProviderQueue,
  deadline: Deadline,
): Promise<boolean> {
  const work = worker.underWay.get(provider.id) ?? new Set();
  worker.underWay.set(provider.id, work);
  for await (const _round of yieldBetween()) {
    if (worker.isStopped || deadline.isOver()) break;
    const free = worker.concurrency - work.size;
    // several in one transaction cost little more than one
    if (free >= worker.concurrency / 2) {
      const { owner } = worker;
      const begun = await beginRenewals(worker, { providerId: provider.id, owner, limit: free });
      for (const renewal of begun) begin(worker, work, renewal);
    }
    if (work.size === 0) return true;
    await Promise.race([...work, deadline.reached]);
  }
  return false;
}

/** Works on a renewal; adds its end to the report, and then frees its place. */
function begin(worker: RenewalWorker, work: Set<Promise<void>>, begun: BegunRenewal): void {
  const { entry } = begun;
  const renewal = renewCertificate(worker, begun)
    .catch((error: unknown): RunEnd | Promise<RunEnd> => {
      const isBrokenOff = worker.stopping.aborted && error === worker.stopping.reason;
      if (!isBrokenOff) worker.logger.error({ entryId: entry.id, error }, 'renewal.unexpected_error');
      return worker.isStopped ? leave(worker, entry) : { kind: 'broken' };
    })
    .then((end) => {
      worker.ends.push(end);
      work.delete(renewal);
    });
  work.add(renewal);
}

/** Releases a renewal that was interrupted because the service stops; the next process continues its issuance. */
async function leave({ db, logger }: RenewalWorker, entry: RenewalRow): Promise<RunEnd> {
  const { id: entryId, attempt } = entry;
  try {
    const change = changeOfRenewal(entry, { kind: 'leave', attempt });
    const isLeft = await db.transaction((tx) => updateRenewal(tx, entry, { ...change }));
    if (isLeft) logger.info({ entryId, attempt }, 'renewal.released');
  } catch (error) {
    logger.warn({ entryId, error }, 'renewal.release_failed');
  }
  return { kind: 'left' };
}

function countEnds(ends: readonly RunEnd[]): Pick<RunReport, 'renewed' | 'failed' | 'broken'> {
  return {
    renewed: ends.filter(({ kind }) => kind === 'renewed').length,
    failed: ends.flatMap((end) =>
      end.kind === 'failed' ? [{ ...end, isLongExpired: end.next !== 'none' && end.next.isLongExpired }] : [],
    ),
    broken: ends.filter(({ kind }) => kind === 'broken').length,
  };
}

interface Deadline {
  readonly reached: Promise<void>;
  readonly isOver: () => boolean;
  readonly cancel: () => void;
}

function after(ms: number): Deadline {
  let isOver = false;
  let timer: NodeJS.Timeout | undefined;
  const reached = new Promise<void>((resolve) => {
    timer = setTimeout(() => {
      isOver = true;
      resolve();
    }, ms);
  });
  return { reached, isOver: () => isOver, cancel: () => clearTimeout(timer) };
}

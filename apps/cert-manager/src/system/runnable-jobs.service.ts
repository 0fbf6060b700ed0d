import {
  type Logger,
  oneAtATime,
  type Poller,
  type SteadyClock,
  startPoller,
  type WatchJob,
} from '@certloop/server';
import type { Heartbeat } from '../renewals/heartbeat/heartbeat.client.js';
import type { JobCheck } from '../watch/pings/job-heartbeats.service.js';

/** A recurring job. Several processes run it side by side, so two concurrent rounds must do no harm. */
export interface Job {
  /** Milliseconds between the end of one round and the start of the next. */
  readonly everyMs: number;
  /** One round; the next one follows at once if it returns false, as more is due. Undefined if there is nothing to do here. */
  readonly run: ((round: Round) => Promise<unknown>) | undefined;
  /** Milliseconds for which a round begins new work; if absent, a round ends when nothing is due. */
  readonly budgetMs?: number;
  /** Its check in the monitor; the round reports to it. */
  readonly check?: JobCheck;
  /** Whether the metrics count its runs; they always do if it has a check. */
  readonly isCounted?: boolean;
  /** Whether others start rounds too, of which one runs at a time. */
  readonly isShared?: boolean;
  /** Whether the first round starts with the service, not one period later. */
  readonly runsAtStart?: boolean;
  /** Whether it pauses while the time is not certain. */
  readonly waitsForClock?: boolean;
  /** Job that runs at once after each round. */
  readonly next?: string;
  /** Milliseconds until another round has work, if that is known; asked after each round. */
  readonly againInMs?: () => Promise<number | undefined>;
}

/** Facts of a job in the table, for its rounds. */
export interface Round {
  /** Undefined if the job has no check, and without a monitor. */
  readonly heartbeat: Heartbeat | undefined;
  readonly budgetMs: number;
  /** Counts the work as a run in the metrics if the job is counted. */
  readonly count: <T>(work: () => Promise<T>) => Promise<T>;
}

export interface JobsDeps {
  readonly logger: Logger;
  /** Absent: the time is always certain. */
  readonly steady?: Pick<SteadyClock, 'read'> | undefined;
  readonly watchJob: WatchJob;
  readonly heartbeatOf: (job: string, check: JobCheck) => Heartbeat | undefined;
}

/** The jobs of a table, which run only while they are started. */
export interface RunnableJobs<Name extends string> {
  /** Runs one round now; false when more is due. Resolves at once if the job has nothing to do here. */
  run(name: Name): Promise<boolean>;
  /** Starts every job that has something to do here. */
  start(): void;
  /** Resolves when no round is running and none will follow. */
  stop(): Promise<void>;
}

interface Runnable extends Job {
  readonly name: string;
  readonly tick: () => Promise<unknown>;
  readonly idle: () => Promise<void>;
}

export function createRunnableJobs<Name extends string>(
  table: Readonly<Record<Name, Job>>,
  { logger, steady, watchJob, heartbeatOf }: JobsDeps,
): RunnableJobs<Name> {
  const jobs = new Map<string, Runnable>();
  for (const [name, job] of Object.entries<Job>(table)) {
    const { run, check, budgetMs = Number.POSITIVE_INFINITY, isCounted = check !== undefined } = job;
    if (run === undefined) continue;
    const heartbeat = check && heartbeatOf(name, check);
    const count: Round['count'] = (work) => (isCounted ? watchJob(name, work) : work());
    const once = () => run({ heartbeat, budgetMs, count });
    const shared = job.isShared === true ? oneAtATime(once) : { run: once, idle: async () => undefined };
    jobs.set(name, { ...job, name, tick: shared.run, idle: shared.idle });
  }
  const pollers = new Map<string, Poller>();
  const trigger = (name: string) => pollers.get(name)?.trigger();
  const isTimeCertain = () => steady?.read().isSettled !== false;
  return {
    run: async (name) => (await jobs.get(name)?.tick()) !== false,
    start: () => {
      for (const [name, job] of jobs) {
        const mayRun = job.waitsForClock === true ? isTimeCertain : undefined;
        const tick = () => runRound(job, trigger);
        pollers.set(name, startPoller({ name, everyMs: job.everyMs, mayRun, tick, logger }));
      }
      for (const [name, { runsAtStart }] of jobs) if (runsAtStart === true) trigger(name);
    },
    stop: async () => {
      for (const poller of [...pollers.values()].reverse()) await poller.stop();
      for (const { idle } of jobs.values()) await idle();
    },
  };
}

// how often at most a job runs before its period ends
const minPacedMs = 5000;

async function runRound(job: Runnable, trigger: (name: string) => void): Promise<void> {
  const { name, everyMs, next, againInMs } = job;
  if ((await job.tick()) === false) return trigger(name);
  if (next !== undefined) trigger(next);
  const waitMs = await againInMs?.();
  if (waitMs !== undefined && waitMs < everyMs)
    setTimeout(() => trigger(name), Math.max(minPacedMs, waitMs)).unref();
}

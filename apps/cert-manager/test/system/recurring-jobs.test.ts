import { readFile } from 'node:fs/promises';
import { createLogger, createMovableClock, createSteadyClock, systemSources } from '@certloop/server';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createRunnableJobs, type Job, type JobsDeps } from '../../src/system/runnable-jobs.service.js';
import { startAppOnSqlite } from '../support/app.js';
import { silentAddress } from '../support/small-server.js';

const logger = createLogger({ service: 'test', level: 'silent' });
const minute = 60_000;
const unwatched: Omit<JobsDeps, 'logger'> = {
  watchJob: (_name, work) => work(),
  heartbeatOf: () => undefined,
};

/** A job whose rounds are counted; each returns the next of `answers`, and then nothing. */
function countedJob(job: Partial<Job> = {}, answers: readonly boolean[] = []) {
  const left = [...answers];
  const run = vi.fn(async () => left.shift());
  return { job: { everyMs: minute, run, ...job }, run };
}

describe('createRunnableJobs', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  const started = (table: Readonly<Record<string, Job>>, deps: Partial<JobsDeps> = {}) => {
    const jobs = createRunnableJobs(table, { ...unwatched, logger, ...deps });
    jobs.start();
    return jobs;
  };

  test('runs every job of the table after each of its periods', async () => {
    const [one, other] = [countedJob(), countedJob({ everyMs: 2 * minute })];
    const jobs = started({ one: one.job, other: other.job });
    await vi.advanceTimersByTimeAsync(minute - 1);
    expect(one.run).toHaveBeenCalledTimes(0);
    await vi.advanceTimersByTimeAsync(4 * minute + 1);
    expect(one.run).toHaveBeenCalledTimes(5);
    expect(other.run).toHaveBeenCalledTimes(2);
    await jobs.stop();
  });

  test('runs a job at the start if the table says so', async () => {
    const { job, run } = countedJob({ runsAtStart: true });
    const jobs = started({ job });
    await vi.advanceTimersByTimeAsync(0);
    expect(run).toHaveBeenCalledTimes(1);
    await jobs.stop();
  });

  test('runs the next round at once while more is due', async () => {
    const { job, run } = countedJob({}, [false, false, true]);
    const jobs = started({ job });
    await vi.advanceTimersByTimeAsync(minute + 10);
    expect(run).toHaveBeenCalledTimes(3);
    await jobs.stop();
  });

  test('pauses a job that waits for the clock, and no other, until the time is certain', async () => {
    let isSettled = false;
    const [timed, other] = [countedJob({ runsAtStart: true, waitsForClock: true }), countedJob()];
    const steady = Object.assign(createMovableClock(new Date()), { read: () => ({ isSettled }) });
    const jobs = started({ timed: timed.job, other: other.job }, { steady: steady as never });
    await vi.advanceTimersByTimeAsync(minute);
    expect([timed.run.mock.calls.length, other.run.mock.calls.length]).toEqual([0, 1]);
    isSettled = true;
    await vi.advanceTimersByTimeAsync(minute);
    expect([timed.run.mock.calls.length, other.run.mock.calls.length]).toEqual([1, 2]);
    await jobs.stop();
  });

  test('runs the next job at once after each round of a job that names one', async () => {
    const [sweep, after] = [countedJob({ next: 'after' }), countedJob({ everyMs: 60 * minute })];
    const jobs = started({ after: after.job, sweep: sweep.job });
    await vi.advanceTimersByTimeAsync(2 * minute);
    expect([sweep.run.mock.calls.length, after.run.mock.calls.length]).toEqual([2, 2]);
    await jobs.stop();
  });

  test.each([
    { againInMs: undefined, rounds: 1 },
    { againInMs: 20_000, rounds: 2 },
    { againInMs: 1, rounds: 6 },
    { againInMs: 2 * minute, rounds: 1 },
  ])(
    'runs a job $rounds times within half a period if it has work again in $againInMs ms',
    async ({ againInMs, rounds }) => {
      const { job, run } = countedJob({ runsAtStart: true, againInMs: async () => againInMs });
      const jobs = started({ job });
      await vi.advanceTimersByTimeAsync(minute / 2 - 1);
      expect(run).toHaveBeenCalledTimes(rounds);
      await jobs.stop();
    },
  );

  test('starts no job that has nothing to do here', async () => {
    const { job, run } = countedJob();
    const jobs = started({ job, idle: { everyMs: minute, run: undefined } });
    expect(vi.getTimerCount()).toBe(1);
    expect(await jobs.run('idle')).toBe(true);
    expect(run).toHaveBeenCalledTimes(0);
    await jobs.stop();
  });

  test('counts the runs of a job that has a check, and reports them to it', async () => {
    const counts: string[] = [];
    const heartbeat = {
      begin: vi.fn(async () => ({ succeed: async () => undefined, fail: async () => undefined })),
    };
    const run: Job['run'] = async (round) => {
      await round.heartbeat?.begin();
      return round.count(async () => round.budgetMs < minute);
    };
    const check = { periodSeconds: 60 };
    const jobs = createRunnableJobs(
      {
        counted: { everyMs: minute, check, budgetMs: 1, run },
        plain: { everyMs: minute, run },
      },
      {
        logger,
        watchJob: (name, work) => {
          counts.push(name);
          return work();
        },
        heartbeatOf: () => heartbeat,
      },
    );
    expect([await jobs.run('counted'), await jobs.run('plain')]).toEqual([true, false]);
    expect(counts).toEqual(['counted']);
    expect(heartbeat.begin).toHaveBeenCalledTimes(1);
  });

  test('runs one round at a time of a job that others start too', async () => {
    const ends: (() => void)[] = [];
    const run = vi.fn(() => new Promise<void>((resolve) => ends.push(resolve)));
    const jobs = started({ job: { everyMs: minute, isShared: true, run } });
    const rounds = [jobs.run('job'), jobs.run('job'), jobs.run('job')];
    expect(run).toHaveBeenCalledTimes(1);
    ends.shift()?.();
    await rounds[0];
    await vi.advanceTimersByTimeAsync(0);
    expect(run).toHaveBeenCalledTimes(2);
    ends.shift()?.();
    await Promise.all(rounds);
    await jobs.stop();
  });
});

/** Settings with which every job has something to do; the monitor and the receiver of notices are at the address. */
const everything = (url: string) => ({
  AUTH_MODE: 'open',
  CERT_MANAGER_HTTPS_PORT: '0',
  CERT_MANAGER_HTTPS_NAMES: 'localhost',
  DUMMY_CA_URL: url,
  CHECK_MONITOR_URL: url,
  CHECK_MONITOR_API_KEY: 'key',
  NOTICE_WEBHOOK_URL: url,
  NOTICE_WEBHOOK_SECRET: `whsec_${Buffer.alloc(32, 7).toString('base64')}`,
});

describe('the table of jobs', () => {
  test('starts each of its jobs with the service', async () => {
    const steady = createSteadyClock(
      systemSources(async () => Date.now()),
      logger,
    );
    const app = await startAppOnSqlite({ environment: everything(await silentAddress()), steady });
    const timers = vi.spyOn(globalThis, 'setTimeout');
    app.jobs.start();
    const jobs = Object.entries<Job>(app.jobs.table);
    const waits = timers.mock.calls.slice(0, jobs.length).map(([, ms]) => ms);
    timers.mockRestore();
    await app.close();
    expect(jobs.filter(([, { run }]) => run === undefined)).toEqual([]);
    expect(waits).toEqual(jobs.map(([, { everyMs }]) => everyMs));
  });

  test('names only its own jobs as those that run next', async () => {
    const app = await startAppOnSqlite();
    const names = Object.values<Job>(app.jobs.table).flatMap(({ next }) => next ?? []);
    await app.close();
    expect(names).toEqual(names.filter((name) => name in app.jobs.table));
  });

  test('has nothing to do without a monitor, a destination of notices, open mode and https for the jobs of these', async () => {
    const app = await startAppOnSqlite();
    const idle = Object.entries<Job>(app.jobs.table).flatMap(([name, { run }]) =>
      run === undefined ? [name] : [],
    );
    await app.close();
    expect(idle).toEqual([
      'https',
      'auth.open_mode',
      'clock.compare',
      'watch',
      'watch.sweep',
      'watch.canary',
      'notices',
      'notices.sweep',
      'notices.full_disk',
    ]);
  });

  test('is what the pages say of counted jobs and of the checks in the monitor', async () => {
    const app = await startAppOnSqlite();
    const jobs = Object.entries<Job>(app.jobs.table);
    await app.close();
    const [, sentence = ''] = /Jobs are (.*?) of cert-manager/.exec(await page('observability.md')) ?? [];
    const counted = jobs.filter(([, { isCounted, check }]) => isCounted ?? check !== undefined);
    expect(quoted(sentence).sort()).toEqual(counted.map(([name]) => name).sort());
    const checks = jobs.flatMap(([, { check }]) => check ?? []);
    const rows = [...(await page('watch.md')).matchAll(/^\| `(certloop-cert-manager[a-z-]*)` \|/gm)];
    const slugs = checks.map(({ check }) => check?.slug ?? 'certloop-cert-manager');
    expect(rows.map(([, slug]) => slug).sort()).toEqual(slugs.sort());
  });
});

const page = (name: string) => readFile(new URL(`../../../../../docs/${name}`, import.meta.url), 'utf8');

const quoted = (text: string) => [...text.matchAll(/`([^`]+)`/g)].map(([, word = '']) => word);

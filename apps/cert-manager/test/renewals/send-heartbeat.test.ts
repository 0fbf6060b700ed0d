import { createServer } from 'node:http';
import { hangMs } from '@certloop/contracts/testing';
import type { Database } from '@certloop/db';
import { describeEachDialect } from '@certloop/db/testing';
import { createLogger, createMovableClock } from '@certloop/server';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { schema } from '../../src/database.js';
import { runAdviceJob } from '../../src/renewals/advice/run-advice-job.service.js';
import { createHeartbeat } from '../../src/renewals/heartbeat/heartbeat.client.js';
import type { RunReport } from '../../src/renewals/heartbeat/run-report.js';
import { jobRuns, replaceJobRun } from '../../src/renewals/queue/job-runs.repository.js';
import { runRenewalJob } from '../../src/renewals/queue/run-renewal-job.service.js';
import { createHeartbeatUrls } from '../../src/watch/monitor/heartbeat-urls.client.js';
import { createLostPings } from '../../src/watch/pings/job-heartbeats.service.js';
import { watchPings } from '../../src/watch/pings/watch-pings.repository.js';
import { type FakeMonitor, startFakeMonitor } from '../support/monitor/fake-monitor.js';
import { listening, silentAddress } from '../support/small-server.js';
import { quiet } from './run-renewals/run-facts.js';

describeEachDialect('the heartbeat', (open) => {
  const clock = createMovableClock(new Date('2026-03-01T12:00:00.000Z'));
  let db: Database;
  let monitor: FakeMonitor;
  let lines: string[];

  beforeAll(async () => {
    ({ database: db } = await open(schema));
  });
  beforeEach(async () => {
    monitor = await startFakeMonitor();
    lines = [];
    await db.transaction((tx) => tx.clear(watchPings));
  });
  afterEach(() => monitor.close());

  const logger = () =>
    createLogger({
      service: 'cert-manager',
      level: 'info',
      destination: { write: (line) => void lines.push(line) },
    });
  const events = () => lines.map((line) => (JSON.parse(line) as { event: string }).event);
  const beat = (options: { url?: string; apiKey?: string; report?: Partial<RunReport> } = {}) => {
    const log = logger();
    const heartbeat = createHeartbeat({
      monitor: { url: options.url ?? monitor.url, apiKey: options.apiKey ?? monitor.apiKey },
      periodSeconds: 60,
      clock,
      logger: log,
      // no test waits for it, and a busy machine does not exceed it
      timeoutMs: 10_000,
      lost: createLostPings({ db, clock }, 'renewals'),
    });
    const runQueue = async () => ({ ...quiet, ...options.report });
    return {
      run: (database = db) => runRenewalJob({ db: database, clock, logger: log, runQueue, heartbeat }),
    };
  };

  test('does not fail if two processes store their first runs at the same time', async () => {
    await db.transaction((tx) => tx.clear(jobRuns));
    const store = (report: string) =>
      db.transaction(async (tx) => {
        await replaceJobRun(tx, { job: 'renewals', succeededAt: clock.now(), report });
        // the other one waits for this row meanwhile
        for (let reads = 0; reads < 20; reads += 1) await tx.count(jobRuns);
      });
    await Promise.all([store('one'), store('two')]);
    expect(await db.read((tx) => tx.count(jobRuns))).toBe(1);
  });

  test('creates its check, then reports the start and the success of each run', async () => {
    const { run } = beat();
    await run();
    await run();
    expect(monitor.created).toEqual([
      {
        name: 'CertLoop cert-manager',
        slug: 'certloop-cert-manager',
        tags: 'certloop cert-manager',
        channels: '*',
        desc: 'The certificate manager reports here every 60 s.',
        timeout: 90,
        grace: 60,
        unique: ['slug'],
      },
    ]);
    expect(monitor.pings.map(({ signal }) => signal)).toEqual(['/start', '', '/start', '']);
    const [first, second, third] = monitor.pings;
    expect(first?.runId).toMatch(/^[0-9a-f-]{36}$/);
    expect(second?.runId).toBe(first?.runId);
    expect(third?.runId).not.toBe(first?.runId);
    expect(second?.body).toBe('0 renewed, 0 failed; 0 certificates expire within 30 days, 0 have expired');
    expect(events()).toEqual([]);
  });

  test('begins nothing and fails while it is not certain what time it is', async () => {
    const log = logger();
    const heartbeat = createHeartbeat({
      monitor: { url: monitor.url, apiKey: monitor.apiKey },
      periodSeconds: 60,
      clock,
      logger: log,
      timeoutMs: 10_000,
    });
    let runs = 0;
    const runQueue = async () => {
      runs += 1;
      return quiet;
    };
    const faults = ['the clock jumped', undefined];
    const deps = { db, clock, logger: log, runQueue, heartbeat, findClockFault: () => faults.shift() };
    expect([await runRenewalJob(deps), runs]).toEqual([true, 0]);
    await runRenewalJob(deps);
    expect(monitor.pings.map(({ signal, body }) => [signal, body.split(',')[0]])).toEqual([
      ['/start', ''],
      ['/fail', 'the clock jumped'],
      ['/start', ''],
      ['', '0 renewed'],
    ]);
    expect(runs).toBe(1);
  });

  test('stores the run in the database', async () => {
    clock.advance(1000);
    await beat().run();
    expect(await db.read((tx) => tx.find(jobRuns))).toEqual([
      {
        job: 'renewals',
        succeededAt: clock.now(),
        report: '0 certificates expire within 30 days, 0 have expired',
      },
    ]);
  });

  test('reports a failure with its reason', async () => {
    const broken = { ...db, transaction: () => Promise.reject(new Error('the disk is full')) } as Database;
    await beat().run(broken);
    expect(monitor.pings.map(({ signal, body }) => [signal, body])).toEqual([
      ['/start', ''],
      ['/fail', 'the disk is full'],
    ]);
    expect(events()).toEqual(['renewals.run_failed']);
  });

  test('reports the results, and fails if attention is needed', async () => {
    await beat({ report: { renewed: 3 } }).run();
    await beat({ report: { troubled: { count: 2, first: 'www.example.org' } } }).run();
    const ends = monitor.pings.filter(({ signal }) => signal !== '/start');
    expect(ends.map(({ signal, body }) => [signal, body.split(';')[0]])).toEqual([
      ['', '3 renewed, 0 failed'],
      ['/fail', '0 renewed, 0 failed, 2 keep failing, the first is www.example.org'],
    ]);
    expect(events()).toEqual([]);
  });

  test('fails and calls no external address if the watch needs attention', async () => {
    const log = logger();
    const { url, apiKey } = monitor;
    const heartbeat = createHeartbeat({ monitor: { url, apiKey }, periodSeconds: 60, clock, logger: log });
    let calls = 0;
    const onGoodRun = async () => {
      calls += 1;
    };
    const deps = { db, clock, logger: log, runQueue: async () => quiet, heartbeat, onGoodRun };
    await runRenewalJob({ ...deps, findTroubles: async () => ['the watch is blind'] });
    expect(calls).toBe(0);
    await runRenewalJob({ ...deps, runQueue: () => Promise.reject(new Error('the disk is full')) });
    expect(calls).toBe(0);
    await runRenewalJob(deps);
    expect(calls).toBe(1);
    const ends = monitor.pings.filter(({ signal }) => signal !== '/start');
    expect(ends.map(({ signal }) => signal)).toEqual(['/fail', '/fail', '']);
    expect(ends[0]?.body).toMatch(/; the watch is blind$/);
  });

  test('calls every external address, even if others fail, and logs a failure once', async () => {
    let status = 500;
    const asked: string[] = [];
    const server = createServer((request, response) => {
      asked.push(request.url ?? '');
      response.writeHead(request.url === '/failing' ? status : 200).end();
    });
    const small = await listening(server);
    const urls = [`${small.url}/failing`, await silentAddress(), `${small.url}/a?rid=1`];
    const elsewhere = createHeartbeatUrls({ urls, logger: logger(), timeoutMs: hangMs });
    await elsewhere.ping();
    await elsewhere.ping();
    expect(asked.sort()).toEqual(['/a?rid=1', '/a?rid=1', '/failing', '/failing']);
    expect(events().sort()).toEqual(['heartbeat.url_failed', 'heartbeat.url_failed']);
    status = 204;
    await elsewhere.ping();
    expect(events().filter((event) => event === 'heartbeat.url_recovered')).toHaveLength(1);
    // who has such an address may ping
    for (const line of lines) expect(line).not.toContain('/failing');
    await elsewhere.close();
    await small.close();
  });

  test('reports whether due entries remain', async () => {
    expect(await beat({ report: { isDone: false } }).run()).toBe(false);
    expect(await beat().run()).toBe(true);
  });

  test('an unavailable monitor fails no run and is logged once, and once when it responds again', async () => {
    const { run } = beat();
    monitor.failWith(503);
    await run();
    await run();
    expect(events()).toEqual(['monitor.away']);
    monitor.failWith(undefined);
    await run();
    await run();
    expect(events()).toEqual(['monitor.away', 'monitor.back']);
    // the two that were lost come first
    expect(monitor.pings.map(({ signal }) => signal)).toEqual(['', '', '/start', '', '/start', '']);
    monitor.failWith(500);
    await run();
    expect(events()).toEqual(['monitor.away', 'monitor.back', 'monitor.away']);
  });

  test.each([
    ['no server listens', async () => ({ url: await silentAddress() })],
    ['the key is wrong', async () => ({ apiKey: 'other' })],
  ])('continues when %s', async (_, options) => {
    const { run } = beat(await options());
    await run();
    await run();
    expect(events()).toEqual(['monitor.away']);
    expect(monitor.pings).toEqual([]);
  });

  test('sends results that the monitor did not accept later, in order and before the next run', async () => {
    const { run } = beat({ report: { renewed: 3 } });
    monitor.failWith(500);
    await run();
    clock.advance(1000);
    const lostAt = clock.now();
    await beat({ report: { broken: 1 } }).run();
    monitor.failWith(undefined);
    clock.advance(61_000);
    // another process, or this one after a restart
    await beat().run();
    expect(monitor.pings.map(({ signal }) => signal)).toEqual(['', '/fail', '/start', '']);
    expect(monitor.pings[0]?.body).toMatch(/^3 renewed, .* \(of \S+, sent late\)$/);
    expect(monitor.pings[1]?.body).toContain(`(of ${lostAt.toISOString()}, sent late)`);
    expect(new Set(monitor.pings.map(({ runId }) => runId)).size).toBe(3);
    expect(await db.read((tx) => tx.count(watchPings))).toBe(0);
  });

  test('stores the newest twenty undelivered results', async () => {
    const { run } = beat();
    monitor.failWith(500);
    for (let count = 0; count < 25; count += 1) {
      clock.advance(1000);
      await run();
    }
    const stored = await db.read((tx) => tx.find(watchPings, { order: { createdAt: 'ASC' } }));
    expect(stored).toHaveLength(20);
    expect(stored.at(-1)?.createdAt).toEqual(clock.now());
    monitor.failWith(undefined);
    await run();
    expect(await db.read((tx) => tx.count(watchPings))).toBe(0);
  });

  test('reports the requests for renewal information to a separate check', async () => {
    const log = logger();
    const check = { name: 'Advice', slug: 'advice', desc: 'Asks.' };
    const { url, apiKey } = monitor;
    const heartbeat = createHeartbeat({
      monitor: { url, apiKey },
      check,
      periodSeconds: 60,
      clock,
      logger: log,
    });
    const answers = [false, false, true];
    const ask = async () => answers.shift() ?? Promise.reject(new Error('the disk is full'));
    const deps = { clock, logger: log, heartbeat, budgetMs: 30_000 };
    expect(await runAdviceJob({ ...deps, ask })).toBe(true);
    expect(answers).toEqual([]);
    expect(await runAdviceJob({ ...deps, ask })).toBe(true);
    let rounds = 0;
    const slowly = async () => {
      rounds += 1;
      clock.advance(10_000);
      return false;
    };
    expect(await runAdviceJob({ ...deps, ask: slowly })).toBe(false);
    expect(rounds).toBe(3);
    expect(monitor.created).toEqual([
      expect.objectContaining({ ...check, timeout: 90, grace: 60, channels: '*' }),
    ]);
    expect(monitor.pings.map(({ signal, body }) => [signal, body])).toEqual([
      ['/start', ''],
      ['', 'every CA was asked whose turn it was'],
      ['/start', ''],
      ['/fail', 'the disk is full'],
      ['/start', ''],
      ['', 'asked, and more CAs are to be asked'],
    ]);
    expect(events()).toEqual(['renewals.advice_failed']);
  });

  test('creates its check again if the monitor has lost it', async () => {
    const { run } = beat();
    await run();
    const before = monitor.uuid();
    monitor.forget();
    await run();
    await run();
    expect(monitor.created).toHaveLength(2);
    expect(monitor.uuid()).not.toBe(before);
    expect(monitor.pings.slice(2).map(({ uuid, signal }) => [uuid, signal])).toEqual([
      [monitor.uuid(), ''],
      [monitor.uuid(), '/start'],
      [monitor.uuid(), ''],
    ]);
  });

  test('reads its check once a day, and assigns all integrations if it has none', async () => {
    const { run } = beat();
    await run();
    clock.advance(86_399_000);
    await run();
    expect(monitor.created).toHaveLength(1);
    monitor.channels = '';
    clock.advance(1000);
    await run();
    await run();
    expect(monitor.created).toHaveLength(2);
    expect(monitor.created[1]).toMatchObject({ channels: '*' });
    monitor.channels = 'chosen';
    clock.advance(86_400_000);
    await run();
    expect(monitor.created).toHaveLength(3);
    expect(monitor.created[2]).not.toHaveProperty('channels');
    expect(monitor.pings).toHaveLength(10);
  });

  test('logs neither the key nor the UUID of the check', async () => {
    const { run } = beat();
    await run();
    const uuid = monitor.uuid() ?? 'none';
    monitor.failWith(500);
    await run();
    monitor.failWith(undefined);
    monitor.forget();
    await run();
    expect(lines.length).toBeGreaterThan(0);
    for (const secret of [uuid, monitor.apiKey]) expect(lines.join('\n')).not.toContain(secret);
  });
});

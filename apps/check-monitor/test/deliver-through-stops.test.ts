import type { Database } from '@certloop/db';
import { executeSql, openDatabase } from '@certloop/db';
import { describeEachDialect, describeOnPostgres, openRelay, testDatabaseUrl } from '@certloop/db/testing';
import { afterEach, expect, jest, test } from '@jest/globals';
import { createChannel } from '../src/channels/create-channel.service.js';
import { schema } from '../src/database.js';
import { microsOf } from '../src/instants.js';
import { setUpProject } from '../src/projects/create-project.service.js';
import { faultRounds, reportFault } from './support/fault-table.js';
import { type RunningService, secretOfProcesses, startService } from './support/process.js';
import { type Recorder, startRecorder } from './support/recorder.js';

// processes start, are killed and stop here
jest.setTimeout(60_000 + faultRounds * 60_000);

const perRound = 5;
const cleanups: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** A project with a webhook to a target of its own. */
async function makeStage(database: Database) {
  const accounts = { database, secret: secretOfProcesses, now: () => microsOf(new Date()) };
  const owner = { email: 'ada@example.org', checkLimit: null, pingLimit: null };
  const { projectId, pingKey } = await setUpProject(accounts, owner, 'Jobs');
  const target = await startRecorder();
  cleanups.push(() => target.close());
  const settings = { down: { method: 'POST', url: target.url, body: '$NAME' } };
  await createChannel(
    { ...accounts, notifier: { judgeTarget: async () => undefined } },
    { projectId, kind: 'webhook', name: 'hook', settings, isVerified: false },
  );
  return { target, pingKey };
}

async function startTelling(databaseUrl: string): Promise<RunningService> {
  const service = await startService(databaseUrl, {
    CHECK_MONITOR_TICK_MS: '50',
    CHECK_MONITOR_CHECK_LIMIT: '1000',
    CHECK_MONITOR_ALLOW_PRIVATE_TARGETS: 'true',
    CHECK_MONITOR_LOG_LEVEL: 'info',
  });
  cleanups.push(() => service.kill());
  return service;
}

/** Five checks fail; a ping that finds no database is sent again. */
async function failSome(url: string, pingKey: string, round: number): Promise<void> {
  for (let n = 0; n < perRound; n += 1) {
    for (let status = 0; ![200, 201].includes(status); ) {
      ({ status } = await fetch(`${url}/ping/${pingKey}/r${round}-c${n}/fail?create=1`));
    }
  }
}

/** The target takes two messages, then answers no more; resolves when a message hangs. */
function hangAfterTwo(target: Recorder): Promise<void> {
  const from = target.requests.length;
  return new Promise((resolve) => {
    target.answer((response, _request, count) => {
      if (count <= from + 2) response.end();
      else resolve();
    });
  });
}

async function until(isTrue: () => boolean | Promise<boolean>, seconds: number): Promise<void> {
  const end = performance.now() + seconds * 1000;
  while (!(await isTrue())) {
    if (performance.now() > end) throw new Error(`not within ${seconds} s`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

const named = (target: Recorder) => target.requests.map(({ body }) => body);
const open = 'select 1 from notifications where settled_at is null';
/** Messages that are open, and flips that are no messages yet: a frozen session may hold those. */
function countWaiting(database: Database): Promise<number> {
  const flips = 'select 1 from flips where processed_at is null';
  return database.read(async (tx) => (await executeSql(tx, open)) + (await executeSql(tx, flips)));
}

const arrived = 'select 1 from notifications where settled_at is not null and error is null';

describeEachDialect('alerts under way when their process ends', (openTest) => {
  test.each(['SIGKILL', 'SIGTERM'] as const)('none is lost by %s', async (signal) => {
    const { url: databaseUrl, database } = await openTest(schema);
    const { target, pingKey } = await makeStage(database);
    const began = performance.now();
    for (let round = 0; round < faultRounds; round += 1) {
      const service = await startTelling(databaseUrl);
      const hanging = hangAfterTwo(target);
      await failSome(service.url, pingKey, round);
      await hanging;
      if (signal === 'SIGTERM') {
        const asked = performance.now();
        expect(await service.stop()).toBe(0);
        expect(performance.now() - asked).toBeLessThan(5000);
        continue;
      }
      await service.kill();
      // the pauses after crashes would take hours: they are another test's subject
      const forget =
        'update notifications set lease_until = 0, crashes = null, due_at = null where settled_at is null';
      await database.transaction((tx) => executeSql(tx, forget));
    }
    if (signal === 'SIGTERM') {
      const used = `${open} and (tries > 0 or crashes > 0 or turn_id is not null)`;
      expect(await database.read((tx) => executeSql(tx, used))).toBe(0);
    }
    const sent = faultRounds * perRound;
    const last = await startTelling(databaseUrl);
    target.answer((response) => response.end());
    await until(async () => (await countWaiting(database)) === 0, 20);
    const lateSeconds = (performance.now() - began) / 1000;
    expect(await database.read((tx) => executeSql(tx, arrived))).toBe(sent);
    expect(new Set(named(target)).size).toBe(sent);
    expect(await last.stop()).toBe(0);
    const repeated = target.requests.length - sent;
    const fault = `process ended by ${signal}, ${faultRounds} times`;
    reportFault({
      fault,
      database: databaseUrl.split(':')[0] ?? '',
      sent,
      arrived: sent,
      lateSeconds,
      repeated,
    });
  });
});

describeOnPostgres('alerts under way when PostgreSQL is away', () => {
  // a frozen session holds its locks until the server ends it after a minute, which is too long for every run
  const faults = faultRounds > 2 ? (['restarted', 'frozen'] as const) : (['restarted'] as const);
  test.each(faults)('none is lost while it is %s', async (fault) => {
    const rounds = fault === 'frozen' ? Math.min(faultRounds, 3) : faultRounds;
    const { url: databaseUrl, drop } = await testDatabaseUrl('postgres');
    cleanups.push(drop);
    const database = await openDatabase({ url: databaseUrl, schema });
    cleanups.push(() => database.close());
    await database.migrate();
    const relay = await openRelay(databaseUrl);
    cleanups.push(() => relay.close());
    const { target, pingKey } = await makeStage(database);
    const service = await startTelling(relay.url);
    const began = performance.now();
    for (let round = 0; round < rounds; round += 1) {
      target.answer((response) => void setTimeout(() => response.end(), 100));
      await failSome(service.url, pingKey, round);
      await until(() => target.requests.length > round * perRound, 20);
      if (fault === 'frozen') relay.freeze();
      else {
        relay.goAway();
        await new Promise((resolve) => setTimeout(resolve, 1500));
        relay.comeBack();
      }
      await until(async () => (await countWaiting(database)) === 0, 90);
    }
    const sent = rounds * perRound;
    const lateSeconds = (performance.now() - began) / 1000;
    expect(await database.read((tx) => executeSql(tx, arrived))).toBe(sent);
    expect(new Set(named(target)).size).toBe(sent);
    expect(await service.stop()).toBe(0);
    const repeated = target.requests.length - sent;
    const name = `PostgreSQL ${fault}, ${rounds} times`;
    reportFault({ fault: name, database: 'postgres', sent, arrived: sent, lateSeconds, repeated });
  });
});

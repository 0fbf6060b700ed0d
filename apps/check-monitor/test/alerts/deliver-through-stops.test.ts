import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { hangMs, until } from '@certloop/contracts/testing';
import { column, type Database, DatabaseUnavailable, executeSql, openDatabase, querySql } from '@certloop/db';
import {
  createDatabase,
  describeEachDialect,
  describeOnPostgres,
  openRelay,
  type ServerOnSmallDisk,
  startOnSmallDisk,
  testDatabaseUrl,
} from '@certloop/db/testing';
import { afterEach, expect, test, vi } from 'vitest';
import { schema } from '../../src/database.js';
import {
  countWaiting,
  failSome,
  makeStage,
  named,
  open,
  perRound,
  startDelivering,
} from '../support/alerts-under-way.js';
import { faultRounds, reportFault } from '../support/fault-table.js';
import type { Recorder } from '../support/recorder.js';

// processes start, are killed and stop here
vi.setConfig({ testTimeout: hangMs * faultRounds, hookTimeout: hangMs * faultRounds });

const cleanups: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

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

const arrived = 'select 1 from notifications where settled_at is not null and error is null';

describeEachDialect('pending alerts when their process ends', (openTest) => {
  test.each(['SIGKILL', 'SIGTERM'] as const)('are not lost by %s', async (signal) => {
    const { url: databaseUrl, database } = await openTest(schema);
    const { target, pingKey } = await makeStage(database, cleanups);
    const began = performance.now();
    for (let round = 0; round < faultRounds; round += 1) {
      const service = await startDelivering(databaseUrl, cleanups);
      const hanging = hangAfterTwo(target);
      await failSome(service.url, pingKey, round);
      await hanging;
      if (signal === 'SIGTERM') {
        // with 1 it ends itself after 20 s, and the call that hangs lasts 30 s
        expect(await service.stop()).toBe(0);
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
    const last = await startDelivering(databaseUrl, cleanups);
    target.answer((response) => response.end());
    await until(async () => (await countWaiting(database)) === 0);
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

describeOnPostgres('pending alerts when PostgreSQL is unavailable', () => {
  // a frozen session holds its locks until the server ends it after a minute, which is too long for every run
  const faults = faultRounds > 2 ? (['restarted', 'frozen'] as const) : (['restarted'] as const);
  test.each(faults)('are not lost while it is %s', async (fault) => {
    const rounds = fault === 'frozen' ? Math.min(faultRounds, 3) : faultRounds;
    const { url: databaseUrl, drop } = await testDatabaseUrl('postgres');
    cleanups.push(drop);
    const database = await openDatabase({ url: databaseUrl, schema });
    cleanups.push(() => database.close());
    await database.migrate();
    const relay = await openRelay(databaseUrl);
    cleanups.push(() => relay.close());
    const { target, pingKey } = await makeStage(database, cleanups);
    const service = await startDelivering(relay.url, cleanups);
    const began = performance.now();
    for (let round = 0; round < rounds; round += 1) {
      target.answer((response) => void setTimeout(() => response.end(), 100));
      await failSome(service.url, pingKey, round);
      await until(() => target.requests.length > round * perRound);
      if (fault === 'frozen') relay.freeze();
      else {
        relay.goAway();
        await new Promise((resolve) => setTimeout(resolve, 1500));
        relay.comeBack();
      }
      await until(async () => (await countWaiting(database)) === 0);
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

// a disk of its own takes root, and the fault some seconds each time: by `npm run faults` only
if (faultRounds > 2) {
  describeOnPostgres('pending alerts when the disk of PostgreSQL is full', () => {
    test('are not lost, and neither are acknowledged pings', async () => {
      const disk = await startOnSmallDisk();
      if (disk === undefined) return;
      cleanups.push(() => disk.close());
      const databaseUrl = await createDatabase(disk.server.url, 'monitor');
      const database = await openDatabase({ url: databaseUrl, schema });
      cleanups.push(() => database.close());
      await database.migrate();
      const { target, pingKey } = await makeStage(database, cleanups);
      const service = await startDelivering(databaseUrl, cleanups);
      const answered: string[] = [];
      /** False where the ping was refused as one that may be sent again. */
      const ping = async (slug: 'small' | 'large' = 'large'): Promise<boolean> => {
        const name = randomUUID();
        const body = slug === 'small' ? name : `${name} ${randomBytes(6000).toString('base64')}`;
        const address = `${service.url}/ping/${pingKey}/${slug}?create=1`;
        const { ok, status, headers } = await fetch(address, { method: 'POST', body });
        if (ok) answered.push(name);
        else expect([status, headers.get('retry-after')]).toEqual([503, expect.stringMatching(/^\d+$/)]);
        return ok;
      };
      const pingUntilRefused = async (times: number) => {
        for (let refused = 0; refused < times; ) {
          await ping('small');
          if (!(await ping())) refused += 1;
        }
      };
      const began = performance.now();
      for (let round = 0; round < faultRounds; round += 1) {
        await until(() => ping());
        disk.fill();
        await pingUntilRefused(20);
        await exhaustLog(database);
        await pingUntilRefused(20);
        // what fails in the meantime is sent again until it is answered
        const failing = failSome(service.url, pingKey, round);
        await new Promise((resolve) => setTimeout(resolve, 1500));
        disk.clear();
        await reviveServer(disk, database);
        await failing;
        await until(() => ping());
        await until(async () => (await countWaiting(database).catch(() => 1)) === 0);
      }
      const sent = faultRounds * perRound;
      const lateSeconds = (performance.now() - began) / 1000;
      const stored = await storedNames(database);
      expect(answered.filter((name) => !stored.has(name))).toEqual([]);
      expect(new Set(named(target)).size).toBe(sent);
      expect(await service.stop()).toBe(0);
      const repeated = target.requests.length - sent;
      const fault = `disk full, ${faultRounds} times`;
      reportFault({
        fault,
        database: 'postgres',
        sent,
        arrived: new Set(named(target)).size,
        lateSeconds,
        repeated,
      });
    });
  });
}

/** Writes to the write-ahead log until the next file of it finds no room, at which the server panics. */
async function exhaustLog(database: Database): Promise<void> {
  const megabytes = "select pg_logical_emit_message(false, 'test', repeat('x', 8000000))";
  const emit = () => database.transaction((tx) => tx.query(megabytes));
  await expect(
    (async () => {
      for (let n = 0; n < 20; n += 1) await emit();
    })(),
  ).rejects.toThrow(DatabaseUnavailable);
}

/** Starts the server again if it ended, as a service manager does. */
async function reviveServer({ server }: ServerOnSmallDisk, database: Database): Promise<void> {
  const isBack = () =>
    database.ping().then(
      () => true,
      () => false,
    );
  // for some seconds, in which it may recover
  for (let n = 0; n < 120 && !(await isBack()); n += 1) await pause(25);
  if (await isBack()) return;
  await server.restart();
  await until(isBack);
}

/** First words of the bodies that are stored. */
async function storedNames(database: Database): Promise<ReadonlySet<string>> {
  const text = `select encode(substring(body from 1 for 36), 'escape') as name from pings where body is not null`;
  const rows = await database.read((tx) => querySql(tx, { name: column.text() }, text));
  return new Set(rows.map(({ name }) => name));
}

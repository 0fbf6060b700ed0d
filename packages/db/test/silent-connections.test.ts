import { until } from '@certloop/contracts/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  type Autocommit,
  type Database,
  DatabaseUnavailable,
  type DatabaseWarning,
  executeSql,
  openDatabase,
} from '../src/index.js';
import { describeOnPostgres, openRelay, type Relay, testDatabaseUrl } from '../src/testing.js';
import { gate, insertNamed, namesIn } from './support/rows.js';
import { shop } from './support/shop.js';

const answer = { name: 'answer', text: 'select $1::text' };
const wait = { name: 'wait', text: 'select pg_sleep($1::float8)' };
const waitForLock = 'select pg_advisory_xact_lock_shared(7)';
const locked = { name: 'locked', text: waitForLock };
const limits = {
  connectMs: 3000,
  answerMs: 1000,
  laneMs: 2000,
  readMs: 2000,
  writeMs: 2000,
  longMs: 600_000,
  idleMs: 500,
  lockMs: 500,
  quietMs: 50,
  lifetimeSeconds: 1800,
};

const lostOnTheWay = 'a statement or its answer was lost on the way';

describeOnPostgres('connections that end silently', () => {
  const cleanups: (() => Promise<unknown>)[] = [];
  let relay: Relay;
  let database: Database;
  /** Past the relay. */
  let direct: Database;
  let warnings: DatabaseWarning[];

  beforeEach(async () => {
    const { url, drop } = await testDatabaseUrl('postgres');
    relay = await openRelay(url);
    warnings = [];
    const onWarning = (warning: DatabaseWarning) => warnings.push(warning);
    database = await openDatabase({ url: relay.url, schema: shop, limits, onWarning });
    await database.migrate();
    direct = await openDatabase({ url, schema: shop });
    cleanups.push(
      drop,
      () => relay.close(),
      () => direct.close(),
      () => database.close(),
    );
  });
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  });

  const autocommit = (): Autocommit => {
    if (database.autocommit === undefined) throw new Error('there are none');
    return database.autocommit;
  };
  const runLong = (statement: string): Promise<string> =>
    database.longTransaction(async (tx) => {
      await tx.query(statement);
      return 'done';
    });
  const countWaiting = async (event = 'advisory'): Promise<number> => {
    const text = `select pid from pg_stat_activity where datname = current_database() and wait_event = '${event}'`;
    return (await direct.read((tx) => tx.query<unknown[]>(text))).length;
  };
  /**
   * Freezes the connections while the server works on all that `begin` has begun, which waits for the lock; the server
   * then ends it. Resolves at that with what happens to it.
   */
  const freezeAmid = async (begin: () => readonly Promise<unknown>[]) => {
    const free = await takeLock();
    const work = begin();
    const outcomes = Promise.allSettled(work);
    await until(async () => (await countWaiting()) >= work.length);
    relay.freeze();
    await free();
    return { outcomes };
  };
  /** Takes the lock that statements wait for; returns what frees it. */
  const takeLock = async () => {
    const [taken, free] = [gate(), gate()];
    const locking = direct.transaction(async (tx) => {
      await tx.query('select pg_advisory_xact_lock(7)');
      taken.open();
      await free.opened;
    });
    await taken.opened;
    return () => {
      free.open();
      return locking;
    };
  };
  const quiet = () => new Promise((resolve) => setTimeout(resolve, 60));

  test('fail the running statement in autocommit mode, and the next one has a new connection', async () => {
    await autocommit().run(answer, ['warm']);
    const { outcomes } = await freezeAmid(() => [autocommit().run(locked, []), autocommit().run(locked, [])]);
    for (const outcome of await outcomes) {
      expect(outcome).toMatchObject({ reason: expect.any(DatabaseUnavailable) });
    }
    expect(await autocommit().run(answer, ['next'])).toEqual([['next']]);
    expect(warnings).toContainEqual({
      name: 'database.connection_lost',
      detail: { reason: lostOnTheWay },
    });
  });

  test('fail running statements in seconds, however long these may take', async () => {
    const patient = await openDatabase({
      url: relay.url,
      schema: shop,
      limits: { ...limits, readMs: 600_000 },
    });
    cleanups.push(() => patient.close());
    expect(await namesIn(patient)).toEqual([]);
    await database.transaction((tx) => insertNamed(tx, 'a'));
    const changing = () =>
      database.longTransaction(async (tx) => {
        await executeSql(tx, 'update customers set name = $1', ['lost']);
        await tx.query(waitForLock);
      });
    const { outcomes } = await freezeAmid(() => [
      runLong(waitForLock),
      patient.read((tx) => tx.query(waitForLock)),
      changing(),
    ]);
    for (const outcome of await outcomes) {
      expect(outcome).toMatchObject({ reason: { message: expect.stringContaining(lostOnTheWay) } });
    }
    // the session of the server holds no locks any more
    await database.transaction((tx) => executeSql(tx, 'update customers set name = $1', ['b']));
    expect(await namesIn(database)).toEqual(['b']);
  });

  test('do not affect statements that the server runs, on other connections or new ones', async () => {
    const { outcomes } = await freezeAmid(() => [runLong(waitForLock)]);
    const honest = runLong('select pg_sleep(4)');
    expect(await outcomes).toMatchObject([{ reason: { message: expect.stringContaining(lostOnTheWay) } }]);
    expect(await namesIn(database)).toEqual([]);
    expect(await honest).toBe('done');
  });

  test('do not affect statements that wait for a busy server', async () => {
    const patient = { ...limits, idleMs: 60_000 };
    const other = await openDatabase({ url: relay.url, schema: shop, limits: patient });
    cleanups.push(() => other.close());
    const free = await takeLock();
    const busy = other.longTransaction((tx) =>
      tx.query(`select 'done' as word from (${waitForLock}) as locked`),
    );
    await until(async () => (await countWaiting()) > 0);
    relay.stall();
    // no new connection gets an answer either
    await expect(namesIn(other)).rejects.toThrow(DatabaseUnavailable);
    await free();
    relay.goOn();
    expect(await busy).toEqual([{ word: 'done' }]);
    expect(await namesIn(other)).toEqual([]);
  });

  test('fail no request if they were idle', async () => {
    await Promise.all([autocommit().run(answer, ['a']), autocommit().run(answer, ['b'])]);
    await Promise.all([1, 2, 3].map(() => namesIn(database)));
    await quiet();
    relay.freeze();
    const answered = [autocommit().run(answer, ['c']), autocommit().run(answer, ['d'])];
    expect(await Promise.all(answered)).toEqual([[['c']], [['d']]]);
    // the idle ones of the other pool were closed with them: none of these waits
    const before = warnings.length;
    await Promise.all([1, 2, 3].map((n) => database.transaction((tx) => insertNamed(tx, `${n}`))));
    expect(warnings.slice(before)).toEqual([]);
    expect(await namesIn(database)).toEqual(['1', '2', '3']);
  });

  test('fail their open transaction', async () => {
    const frozen = gate();
    const work = database.transaction(async (tx) => {
      await insertNamed(tx, 'lost');
      relay.freeze();
      frozen.open();
      await insertNamed(tx, 'lost too');
    });
    await frozen.opened;
    expect(await namesIn(database)).toEqual([]);
    await expect(work).rejects.toThrow(DatabaseUnavailable);
    await database.transaction((tx) => insertNamed(tx, 'next'));
    expect(await namesIn(database)).toEqual(['next']);
  });

  test('delay neither timeouts nor closing', async () => {
    // no limit of this one ends a wait
    const patient = Object.fromEntries(Object.keys(limits).map((name) => [name, 1_000_000]));
    const other = await openDatabase({ url: relay.url, schema: shop, limits: { ...limits, ...patient } });
    await namesIn(other);
    const work = other.transaction((tx) => tx.query('select pg_sleep(60)')).catch((error: Error) => error);
    await until(async () => (await countWaiting('PgSleep')) > 0);
    relay.freeze();
    other.giveUpAfter(10);
    expect(await work).toBeInstanceOf(DatabaseUnavailable);
    await other.close();
  });

  test('end work that runs no statement, for any waiting request', async () => {
    const { opened } = gate();
    const work = [database.transaction(() => opened), database.read(() => opened)];
    for (const outcome of await Promise.allSettled(work)) {
      const message = 'the transaction was given up, as it ran no statement for 500 ms';
      expect(outcome).toMatchObject({ reason: { message } });
    }
    expect(await namesIn(database)).toEqual([]);
  });

  test('are ended by the server if the process is too slow to end them', async () => {
    const found = await database.transaction((tx) =>
      tx.query(`select name, setting from pg_settings where name like '%_timeout' and setting <> boot_val
        and name <> 'deadlock_timeout' order by name`),
    );
    expect(found).toEqual([
      { name: 'idle_in_transaction_session_timeout', setting: '1500' },
      { name: 'statement_timeout', setting: '1000' },
    ]);
    const slow = database.read((tx) => tx.query('select pg_sleep(1.5)'));
    await expect(slow).rejects.toThrow('canceling statement due to statement timeout (57014)');
    await expect(autocommit().run(wait, ['1.5'])).rejects.toThrow(DatabaseUnavailable);
    await database.longTransaction((tx) => tx.query('select pg_sleep(1.5)'));
    expect(await autocommit().run(answer, ['next'])).toEqual([['next']]);
  });
});

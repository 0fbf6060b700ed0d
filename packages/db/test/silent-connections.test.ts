import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import {
  type Database,
  DatabaseUnavailable,
  type DatabaseWarning,
  executeSql,
  type Lanes,
  openDatabase,
} from '../src/index.js';
import { describeOnPostgres, openRelay, type Relay, testDatabaseUrl } from '../src/testing.js';
import { gate, insertNamed, namesIn } from './support/rows.js';
import { shop } from './support/shop.js';

jest.setTimeout(60_000);

const answer = { name: 'answer', text: 'select $1::text' };
const wait = { name: 'wait', text: 'select pg_sleep($1::float8)' };
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

describeOnPostgres('connections that end in silence', () => {
  const cleanups: (() => Promise<unknown>)[] = [];
  let relay: Relay;
  let database: Database;
  let warnings: DatabaseWarning[];

  beforeEach(async () => {
    const { url, drop } = await testDatabaseUrl('postgres');
    relay = await openRelay(url);
    warnings = [];
    const onWarning = (warning: DatabaseWarning) => warnings.push(warning);
    database = await openDatabase({ url: relay.url, schema: shop, limits, onWarning });
    await database.migrate();
    cleanups.push(
      drop,
      () => relay.close(),
      () => database.close(),
    );
  });
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  });

  const lanes = (): Lanes => {
    if (database.lanes === undefined) throw new Error('there are none');
    return database.lanes;
  };
  const sleepFor = (seconds: string): Promise<string> =>
    database.longTransaction(async (tx) => {
      await tx.query(`select pg_sleep(${seconds})`);
      return 'done';
    });
  const quiet = () => new Promise((resolve) => setTimeout(resolve, 60));

  test('fail the statement of a lane that is under way, and the next one has a new connection', async () => {
    await lanes().run(answer, ['warm']);
    const underWay = [lanes().run(wait, ['0.3']), lanes().run(wait, ['0.3'])];
    await quiet();
    relay.freeze();
    for (const outcome of await Promise.allSettled(underWay)) {
      expect(outcome).toMatchObject({ reason: expect.any(DatabaseUnavailable) });
    }
    expect(await lanes().run(answer, ['next'])).toEqual([['next']]);
    expect(warnings).toContainEqual({
      name: 'database.connection_lost',
      detail: { reason: lostOnTheWay },
    });
  });

  test('fail what is under way on them in seconds, however long its statement may take', async () => {
    const patient = await openDatabase({
      url: relay.url,
      schema: shop,
      limits: { ...limits, readMs: 600_000 },
    });
    cleanups.push(() => patient.close());
    expect(await namesIn(patient)).toEqual([]);
    await database.transaction((tx) => insertNamed(tx, 'a'));
    const underWay = [sleepFor('0.3'), patient.read((tx) => tx.query('select pg_sleep(0.3)'))];
    const locking = database.longTransaction(async (tx) => {
      await executeSql(tx, 'update customers set name = $1', ['lost']);
      await tx.query('select pg_sleep(0.3)');
    });
    await quiet();
    relay.freeze();
    for (const outcome of await Promise.allSettled([...underWay, locking])) {
      expect(outcome).toMatchObject({ reason: { message: expect.stringContaining(lostOnTheWay) } });
    }
    // the session of the server holds no locks any more
    await database.transaction((tx) => executeSql(tx, 'update customers set name = $1', ['b']));
    expect(await namesIn(database)).toEqual(['b']);
  });

  test('leave alone what the server works on, behind other connections or new ones', async () => {
    const frozen = sleepFor('0.3');
    await quiet();
    relay.freeze();
    const honest = sleepFor('4');
    await expect(frozen).rejects.toThrow(lostOnTheWay);
    expect(await namesIn(database)).toEqual([]);
    expect(await honest).toBe('done');
  });

  test('leave alone what waits for a server that is too busy to answer for a while', async () => {
    const patient = { ...limits, idleMs: 60_000 };
    const other = await openDatabase({ url: relay.url, schema: shop, limits: patient });
    cleanups.push(() => other.close());
    const busy = other.longTransaction((tx) => tx.query("select 'done' as word from pg_sleep(0.3)"));
    await quiet();
    relay.stall();
    // no new connection gets an answer either
    await expect(namesIn(other)).rejects.toThrow(DatabaseUnavailable);
    relay.goOn();
    expect(await busy).toEqual([{ word: 'done' }]);
    expect(await namesIn(other)).toEqual([]);
  });

  test('fail no request where they were idle', async () => {
    await Promise.all([lanes().run(answer, ['a']), lanes().run(answer, ['b'])]);
    await Promise.all([1, 2, 3].map(() => namesIn(database)));
    await quiet();
    relay.freeze();
    const answered = [lanes().run(answer, ['c']), lanes().run(answer, ['d'])];
    expect(await Promise.all(answered)).toEqual([[['c']], [['d']]]);
    // the idle ones of the other pool were closed with them: none of these waits
    const before = warnings.length;
    await Promise.all([1, 2, 3].map((n) => database.transaction((tx) => insertNamed(tx, `${n}`))));
    expect(warnings.slice(before)).toEqual([]);
    expect(await namesIn(database)).toEqual(['1', '2', '3']);
  });

  test('fail the transaction that is open on them', async () => {
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

  test('hold up neither giving up nor the end', async () => {
    await namesIn(database);
    const work = database.transaction((tx) => tx.query('select pg_sleep(60)')).catch((error: Error) => error);
    await quiet();
    relay.freeze();
    database.giveUpAfter(10);
    expect(await work).toBeInstanceOf(DatabaseUnavailable);
    const start = performance.now();
    await database.close();
    expect(performance.now() - start).toBeLessThan(1000);
  });

  test('end work that runs no statement, whichever request waits for it', async () => {
    const { opened } = gate();
    const work = [database.transaction(() => opened), database.read(() => opened)];
    for (const outcome of await Promise.allSettled(work)) {
      const message = 'the transaction was given up, as it ran no statement for 500 ms';
      expect(outcome).toMatchObject({ reason: { message } });
    }
    expect(await namesIn(database)).toEqual([]);
  });

  test('end by the server where the process is too slow to end them', async () => {
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
    await expect(lanes().run(wait, ['1.5'])).rejects.toThrow(DatabaseUnavailable);
    await database.longTransaction((tx) => tx.query('select pg_sleep(1.5)'));
    expect(await lanes().run(answer, ['next'])).toEqual([['next']]);
  });
});

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { until } from '@certloop/contracts/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  type Database,
  type DatabaseOptions,
  DatabaseUnavailable,
  type DatabaseWarning,
  executeSql,
  insertMany,
  openDatabase,
  type Tx,
} from '../src/index.js';
import {
  createTestDatabase,
  describeEachDialect,
  describeOnPostgres,
  type TestDatabase,
} from '../src/testing.js';
import { customer, gate, insertNamed, names, namesIn } from './support/rows.js';
import { customers, shop } from './support/shop.js';

const visitor = fileURLToPath(new URL('./support/visitor.js', import.meta.url));

const visitors: ChildProcess[] = [];

/** Another process that has a write open until its input ends. */
async function visitorHolding(url: string, act: 'empty' | 'hold' = 'hold'): Promise<ChildProcess> {
  const process_ = spawn(process.execPath, [visitor, act, url]);
  visitors.push(process_);
  await once(process_.stdout, 'data');
  return process_;
}

afterEach(() => {
  for (const each of visitors.splice(0)) each.kill('SIGKILL');
});

describeEachDialect('a writer', (open, dialect) => {
  let made: TestDatabase;
  beforeEach(async () => {
    made = await open(shop);
  });

  test('waits for the writer of another process without blocking its own process', async () => {
    const other = await visitorHolding(made.url);
    expect(await namesIn(made.database)).toEqual([]);
    let isWritten = false;
    const writing = made.database.transaction(async (tx) => {
      await names(tx);
      await insertNamed(tx, 'host');
    });
    const written = writing.then(() => {
      isWritten = true;
    });
    // on PostgreSQL it need not wait; on SQLite timers go on in the meantime
    if (dialect === 'postgres') await written;
    for (let turn = 0; turn < 10; turn += 1) await sleep(5);
    expect(isWritten).toBe(dialect === 'postgres');
    other.stdin?.end();
    expect(await once(other, 'exit')).toEqual([0, null]);
    await written;
    expect(await namesIn(made.database)).toEqual(['host', 'visitor']);
  });

  test('loses uncommitted changes when its process is killed, and blocks no other process', async () => {
    const other = await visitorHolding(made.url);
    other.kill('SIGKILL');
    await once(other, 'exit');
    await made.database.transaction((tx) => insertNamed(tx, 'host'));
    expect(await namesIn(made.database)).toEqual(['host']);
  });

  test('deletes none of very many rows when its process is killed before the end', async () => {
    await made.database.transaction((tx) => insertNamed(tx, 'ada'));
    const other = await visitorHolding(made.url, 'empty');
    expect(await namesIn(made.database)).toEqual(['ada']);
    other.kill('SIGKILL');
    await once(other, 'exit');
    await made.database.transaction((tx) => insertNamed(tx, 'ben'));
    expect(await namesIn(made.database)).toEqual(['ada', 'ben']);
  });
});

describeOnPostgres('a server', () => {
  let made: TestDatabase;
  let warnings: DatabaseWarning[];
  let warned: Promise<void>;
  const withDatabase = async (
    work: (database: Database) => Promise<void>,
    limits: DatabaseOptions['limits'] = {},
  ) => {
    made = await createTestDatabase('postgres', shop);
    warnings = [];
    const first = gate();
    warned = first.opened;
    const onWarning = (warning: DatabaseWarning) => {
      warnings.push(warning);
      first.open();
    };
    const database = await openDatabase({ url: made.url, schema: shop, poolSize: 3, limits, onWarning });
    await work(database).finally(() => database.close().finally(() => made.drop()));
  };

  test('that detects a deadlock receives the transaction again', () =>
    withDatabase(async (database) => {
      const [ada, ben] = [customer(), customer()];
      await database.transaction((tx) => insertMany(tx, customers, [ada, ben]));
      const visit = (tx: Tx, id: string) =>
        executeSql(tx, 'update customers set visits = visits + 1 where id = $1', [id]);
      const both = gate();
      let begun = 0;
      const crossing = (first: string, second: string) =>
        database.transaction(async (tx) => {
          await visit(tx, first);
          begun += 1;
          if (begun === 2) both.open();
          await both.opened;
          await visit(tx, second);
        });
      await Promise.all([crossing(ada.id, ben.id), crossing(ben.id, ada.id)]);
      const rows = await database.read((tx) => tx.find(customers));
      expect(rows.map(({ visits }) => visits)).toEqual([3, 3]);
      expect(warnings).toContainEqual({ name: 'database.transaction_retried', detail: { reason: '40P01' } });
    }));

  test('that only reads and meets a deadlock, as with a migration, reads again', () =>
    withDatabase(async (database) => {
      const [held, met] = [gate(), gate()];
      const lock = (tx: Tx, table: string) => tx.query(`lock table ${table} in access exclusive mode`);
      const migrating = database.transaction(async (tx) => {
        await lock(tx, 'orders');
        held.open();
        await met.opened;
        await lock(tx, 'customers');
      });
      await held.opened;
      let reads = 0;
      const reading = database.read(async (tx) => {
        reads += 1;
        await tx.find(customers);
        return tx.query('select count(*) as count from orders');
      });
      // it waits first, so it is the one that finds the deadlock
      const waiting =
        'select 1 from pg_locks where not granted and database = (select oid from pg_database where datname = current_database())';
      await until(async () => (await database.read((tx) => tx.query<unknown[]>(waiting))).length > 0);
      met.open();
      await migrating;
      expect(await reading).toHaveLength(1);
      expect(reads).toBe(2);
    }));

  test('serves more callers than it has connections', () =>
    withDatabase(async (database) => {
      await Promise.all(
        Array.from({ length: 30 }, (_, index) => database.transaction((tx) => insertNamed(tx, `${index}`))),
      );
      expect(await namesIn(database)).toHaveLength(30);
    }));

  const terminateOthers = (by: Database) =>
    by.transaction((tx) =>
      tx.query(`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()`),
    );

  test('that ends idle connections causes a warning, and is reconnected', () =>
    withDatabase(async (database) => {
      await Promise.all([1, 2, 3].map(() => namesIn(database)));
      await terminateOthers(made.database);
      await warned;
      await Promise.allSettled([database.ping(), database.ping(), database.ping()]);
      await database.ping();
      expect(warnings.map(({ name }) => name)).toContain('database.connection_lost');
    }));

  test('that ends a connection in use fails only the caller of that connection', () =>
    withDatabase(async (database) => {
      const written = gate();
      const ended = gate();
      const work = database.transaction(async (tx) => {
        await insertNamed(tx, 'lost');
        written.open();
        await ended.opened;
        await insertNamed(tx, 'lost too');
      });
      const outcome = work.catch((error: unknown) => error);
      await written.opened;
      await terminateOthers(made.database);
      // a statement sent before the server's sentence is here would be answered by a reset that overtakes it
      await warned;
      ended.open();
      const failure = await outcome;
      expect(failure).toBeInstanceOf(DatabaseUnavailable);
      expect(String(failure)).toMatch(/the connection to the database was lost: .*administrator/);
      expect(await namesIn(database)).toEqual([]);
      expect(warnings).toContainEqual({
        name: 'database.connection_lost',
        detail: { reason: expect.stringContaining('administrator') },
      });
    }));

  test('whose connections are all in use is unavailable to the next caller', () =>
    withDatabase(
      async (database) => {
        const { opened, open } = gate();
        const busy = [1, 2, 3].map(() => database.read(() => opened));
        await expect(namesIn(database)).rejects.toThrow(DatabaseUnavailable);
        expect(warnings).toEqual([
          {
            name: 'database.unavailable',
            detail: { reason: expect.stringMatching(/cannot connect.*timeout/) },
          },
        ]);
        open();
        await Promise.all(busy);
      },
      { connectMs: 300 },
    ));

  test('that has stopped fails the ping', () =>
    withDatabase(async (database) => {
      await database.ping();
      await made.drop();
      await expect(database.ping()).rejects.toThrow(DatabaseUnavailable);
      await expect(database.ping()).rejects.toThrow(/^the database does not answer: .*does not exist/);
    }));
});

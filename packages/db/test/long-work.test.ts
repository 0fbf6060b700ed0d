import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { type Database, executeSql, insertMany, onUniqueViolation, querySql, type Tx } from '../src/index.js';
import { SqliteThread } from '../src/sqlite/sqlite-thread.js';
import { scratchFolder } from '../src/testing/scratch.js';
import { describeEachDialect } from '../src/testing.js';
import { customer, gate, insertNamed, names, namesIn } from './support/rows.js';
import { customers, shop } from './support/shop.js';

/** A statement that a database works on for some tenths of a second at least. */
const countFar = (tx: Tx) =>
  tx.query(`with recursive n(i) as (select 1 union all select i + 1 from n where i < 3000000)
    select count(*) as count from n`);

/** Notes when the work is over. */
function watched<T>(work: Promise<T>): { readonly work: Promise<T>; readonly isOver: () => boolean } {
  let isOver = false;
  const end = () => {
    isOver = true;
  };
  work.then(end, end);
  return { work, isOver: () => isOver };
}

describeEachDialect('work that takes long', (open, dialect) => {
  let database: Database;
  beforeEach(async () => {
    ({ database } = await open(shop));
  });

  test('does not block readers and timers while it reads', async () => {
    const reading = watched(database.longRead(countFar));
    expect(await namesIn(database)).toEqual([]);
    await new Promise((resolve) => setTimeout(resolve, 1));
    expect(reading.isOver()).toBe(false);
    await reading.work;
  });

  test('does not block readers, also long ones, while it writes, and shows them no changes', async () => {
    const { opened, open: release } = gate();
    const writing = watched(
      database.longTransaction(async (tx) => {
        await insertNamed(tx, 'ada');
        await countFar(tx);
        await opened;
      }),
    );
    expect(await namesIn(database)).toEqual([]);
    expect(await database.longRead(names)).toEqual([]);
    expect(writing.isOver()).toBe(false);
    release();
    await writing.work;
    expect(await namesIn(database)).toEqual(['ada']);
  });

  test('makes writers of SQLite wait for its end, without an error', async () => {
    const [begun, { opened, open: release }] = [gate(), gate()];
    const long = database.longTransaction(async (tx) => {
      await insertNamed(tx, 'long');
      begun.open();
      await opened;
    });
    await begun.opened;
    const others = ['a', 'b'].map((name) => watched(database.transaction((tx) => insertNamed(tx, name))));
    const second = watched(database.longTransaction((tx) => insertNamed(tx, 'second')));
    if (dialect === 'sqlite') {
      // enough time for all that does not wait
      await database.longRead(countFar);
      expect([...others, second].map(({ isOver }) => isOver())).toEqual([false, false, false]);
    }
    release();
    await Promise.all([long, second.work, ...others.map(({ work }) => work)]);
    expect(await namesIn(database)).toEqual(['a', 'b', 'long', 'second']);
  });

  test('writes all or nothing', async () => {
    await database.transaction((tx) => insertNamed(tx, 'there'));
    const failing = database.longTransaction(async (tx) => {
      await executeSql(tx, 'delete from customers');
      await insertNamed(tx, 'new');
      throw new RangeError('no');
    });
    await expect(failing).rejects.toThrow(RangeError);
    expect(await namesIn(database)).toEqual(['there']);
    await database.longTransaction((tx) => executeSql(tx, 'delete from customers'));
    expect(await namesIn(database)).toEqual([]);
  });

  test('stores and reads every kind of value like short work', async () => {
    const row = customer({
      photo: Buffer.from([0, 1, 255]),
      nickname: null,
      isActive: false,
      bytesSent: 2 ** 53,
      tags: ['a', 'ß'],
      address: { street: 'x', floors: [1, 2] },
    });
    await database.longTransaction((tx) => insertMany(tx, customers, [row]));
    const bySql = (tx: Tx) => querySql(tx, customers.columns, 'select * from customers');
    expect(await database.longRead(bySql)).toEqual([row]);
    expect(await database.longRead((tx) => tx.find(customers))).toEqual([row]);
    expect(await database.read(bySql)).toEqual([row]);
  });

  test('reports constraints like short work', async () => {
    const row = customer();
    const again = { ...row, id: randomUUID() };
    const refused = () => new RangeError('taken');
    const insert = (one: typeof row) =>
      database.longTransaction((tx) =>
        onUniqueViolation(() => insertMany(tx, customers, [one]), refused, ['name', 'bornAt']),
      );
    await insert(row);
    await expect(insert(again)).rejects.toThrow(RangeError);
    expect(await namesIn(database)).toEqual([row.name]);
  });

  test('refuses to write while it reads', async () => {
    await expect(database.longRead((tx) => insertNamed(tx, 'ada'))).rejects.toThrow(/read-?only/);
    expect(await namesIn(database)).toEqual([]);
  });

  test('reads one snapshot while others write', async () => {
    const [begun, written] = [gate(), gate()];
    const reading = database.longRead(async (tx) => {
      const before = await names(tx);
      begun.open();
      await written.opened;
      return [before, await names(tx)];
    });
    await begun.opened;
    await database.transaction((tx) => insertNamed(tx, 'ada'));
    await database.longTransaction((tx) => insertNamed(tx, 'ben'));
    written.open();
    expect(await reading).toEqual([[], []]);
    expect(await namesIn(database)).toEqual(['ada', 'ben']);
  });
});

test('a thread that stopped in a transaction runs none of its other statements, but begins the next one', async () => {
  const file = join(scratchFolder('thread'), 'test.sqlite');
  const thread = new SqliteThread({ file, role: 'writer' });
  await thread.answer('BEGIN', []);
  await thread.answer('create table stored (a integer)', []);
  await thread.answer('COMMIT', []);
  await thread.answer('BEGIN IMMEDIATE', []);
  const lost = thread.answer('insert into stored values (1)', []);
  await Promise.allSettled([lost, thread.close()]);
  await expect(thread.answer('insert into stored values (2)', [])).rejects.toThrow(/has ended/);
  await thread.answer('BEGIN', []);
  expect((await thread.answer('select * from stored', [])).records).toEqual([]);
  await thread.close();
});

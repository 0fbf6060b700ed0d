import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  type Database,
  insertMany,
  lockForChange,
  lockForShare,
  lockForUpdate,
  openDatabase,
  updateRows,
} from '../src/index.js';
import {
  createTestDatabase,
  describeEachDialect,
  describeOnPostgres,
  type TestDatabase,
} from '../src/testing.js';
import { type JobRow, jobs, queue } from './support/queue.js';
import { customer, gate } from './support/rows.js';
import { customers, orders, shop } from './support/shop.js';

const noon = new Date('2026-05-06T12:00:00Z');

describeEachDialect('locked rows', (open) => {
  let database: Database;
  let url: string;
  beforeEach(async () => {
    ({ database, url } = await open(queue));
    const job = { status: 'pending', dueAt: noon, leaseUntil: null, attempt: 0 } as const;
    await database.transaction((tx) => insertMany(tx, jobs, [job, job, { ...job, status: 'completed' }]));
  });

  test('are those that match the condition, in the order of their ids', async () => {
    const held = await database.transaction((tx) => lockForUpdate(tx, jobs, { status: 'pending' }));
    expect(held.map(({ id }: JobRow) => id)).toEqual([1, 2]);
    expect(await database.transaction((tx) => lockForShare(tx, jobs, [{ id: 3 }, { id: 9 }]))).toHaveLength(
      1,
    );
  });

  test('show the changes of the previous transaction, for twenty at two handles', async () => {
    const other = await openDatabase({ url, schema: queue });
    const increase = (by: Database) =>
      by.transaction(async (tx) => {
        for (const { id, attempt } of await lockForUpdate(tx, jobs, { status: 'pending' })) {
          await updateRows(tx, jobs, { id }, { attempt: attempt + 1 });
        }
      });
    await Promise.all(Array.from({ length: 20 }, (_, index) => increase(index % 2 === 0 ? database : other)));
    await other.close();
    const rows = await database.read((tx) => tx.findBy(jobs, { status: 'pending' }));
    expect(rows.map(({ attempt }) => attempt)).toEqual([20, 20]);
  });

  test('are fewer if the previous transaction deleted some', async () => {
    const take = () =>
      database.transaction(async (tx) => {
        const [first] = await lockForUpdate(tx, jobs, { status: 'pending' });
        if (first !== undefined) await updateRows(tx, jobs, { id: first.id }, { status: 'processing' });
        return first?.id;
      });
    const taken = await Promise.all([take(), take(), take()]);
    expect(taken.toSorted()).toEqual([1, 2, undefined]);
  });
});

describeOnPostgres('a row that is locked for a change', () => {
  let made: TestDatabase;
  let database: Database;
  beforeEach(async () => {
    made = await createTestDatabase('postgres', shop);
    database = await openDatabase({ url: made.url, schema: shop });
  });
  afterEach(async () => {
    await database.close();
    await made.drop();
  });

  test('can be referred to meanwhile, and is changed by one after the other', async () => {
    const grace = customer({ visits: 1 });
    await database.transaction((tx) => insertMany(tx, customers, [grace]));
    const visit = (beforeChange: () => Promise<void>) =>
      database.transaction(async (tx) => {
        const [held] = await lockForChange(tx, customers, { id: grace.id });
        await beforeChange();
        await updateRows(tx, customers, { id: grace.id }, { visits: (held?.visits ?? 0) + 1 });
      });
    const isLocked = gate();
    const mayGoOn = gate();
    const first = visit(() => {
      isLocked.open();
      return mayGoOn.opened;
    });
    await isLocked.opened;
    const order = { customerId: grace.id, status: 'open', note: '', seenAt: 0 } as const;
    await database.transaction((tx) => insertMany(tx, orders, [order]));
    const second = visit(async () => undefined);
    mayGoOn.open();
    await Promise.all([first, second]);
    expect(await database.read((tx) => tx.findBy(customers, { id: grace.id }))).toMatchObject([
      { visits: 3 },
    ]);
  });
});

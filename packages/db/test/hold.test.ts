import { beforeEach, expect, test } from '@jest/globals';
import {
  type Database,
  insertMany,
  lockForShare,
  lockForUpdate,
  openDatabase,
  updateRows,
} from '../src/index.js';
import { describeEachDialect } from '../src/testing.js';
import { type JobRow, jobs, queue } from './support/queue.js';

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

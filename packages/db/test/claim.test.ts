import { LessThanOrEqual } from 'typeorm';
import { beforeEach, describe, expect, test } from 'vitest';
import { claimDueBatch, type Database, insertMany, openDatabase, updateRows } from '../src/index.js';
import { describeEachDialect } from '../src/testing.js';
import { claimJob, type JobRow, jobs, queue } from './support/queue.js';

const noon = new Date('2026-05-06T12:00:00Z');
const seconds = (count: number) => new Date(noon.getTime() + count * 1000);

describeEachDialect('a claim', (open) => {
  let database: Database;
  let url: string;
  beforeEach(async () => {
    ({ database, url } = await open(queue));
  });

  const add = (...due: Date[]) =>
    database.transaction((tx) =>
      insertMany(
        tx,
        jobs,
        due.map((dueAt) => ({ status: 'pending' as const, dueAt, leaseUntil: null, attempt: 0 })),
      ),
    );
  const claimAt = (now: Date, by: Database = database) => by.transaction((tx) => claimJob(tx, now));
  const complete = ({ id, attempt }: JobRow) =>
    database.transaction((tx) =>
      updateRows(tx, jobs, { id, attempt, status: 'processing' }, { status: 'completed' }),
    );

  test('returns due rows, the earliest first, and nothing before its time', async () => {
    await add(seconds(2), seconds(1), seconds(10));
    expect((await claimAt(seconds(9)))?.dueAt).toEqual(seconds(1));
    expect((await claimAt(seconds(9)))?.dueAt).toEqual(seconds(2));
    expect(await claimAt(seconds(9))).toBeUndefined();
    expect((await claimAt(seconds(10)))?.dueAt).toEqual(seconds(10));
  });

  test('returns the current row', async () => {
    await add(noon);
    const claimed = await claimAt(noon);
    expect(claimed).toEqual({
      id: 1,
      status: 'processing',
      dueAt: noon,
      leaseUntil: seconds(60),
      attempt: 1,
    });
    expect(await database.read((tx) => tx.findOneBy(jobs, { id: 1 }))).toEqual(claimed);
  });

  test('is won once by twenty workers at two handles', async () => {
    const other = await openDatabase({ url, schema: queue });
    await add(noon);
    const claims = await Promise.all(
      Array.from({ length: 20 }, (_, index) => claimAt(noon, index % 2 === 0 ? database : other)),
    );
    await other.close();
    expect(claims.filter((claim) => claim !== undefined)).toHaveLength(1);
  });

  test('gives one job to each worker if there are as many', async () => {
    const other = await openDatabase({ url, schema: queue });
    await add(...Array.from({ length: 20 }, (_, index) => seconds(-index)));
    const claims = await Promise.all(
      Array.from({ length: 20 }, (_, index) => claimAt(noon, index % 2 === 0 ? database : other)),
    );
    await other.close();
    expect(new Set(claims.map((claim) => claim?.id)).size).toBe(20);
    expect(claims).not.toContain(undefined);
  });

  test('expires with its lease, and ignores the late worker', async () => {
    await add(noon);
    const late = await claimAt(noon);
    expect(await claimAt(seconds(59.999))).toBeUndefined();
    const next = await claimAt(seconds(60));
    expect([late?.attempt, next?.attempt]).toEqual([1, 2]);
    if (late === undefined || next === undefined) throw new Error('both were claimed above');
    expect(await complete(late)).toBe(0);
    expect(await complete(next)).toBe(1);
    expect(await complete(next)).toBe(0);
    expect(await claimAt(seconds(1000))).toBeUndefined();
  });

  describe('of several rows at once', () => {
    const claimBatch = (
      by: Database,
      limit: number,
      choose?: (due: readonly JobRow[]) => readonly JobRow[],
    ): Promise<JobRow[]> =>
      by.transaction((tx) =>
        claimDueBatch(tx, {
          table: jobs,
          where: { status: 'pending', dueAt: LessThanOrEqual(noon) },
          order: { dueAt: 'ASC' },
          limit,
          ...(choose !== undefined && { choose }),
          set: { status: 'processing', leaseUntil: seconds(60) },
        }),
      );
    const stored = () => database.read((tx) => tx.find(jobs, { order: { dueAt: 'ASC' } }));

    test('returns the requested number of rows, the earliest first, in their current state', async () => {
      await add(seconds(-1), seconds(-3), seconds(-2), seconds(1));
      const claimed = await claimBatch(database, 2);
      expect(claimed.map(({ dueAt }) => dueAt)).toEqual([seconds(-3), seconds(-2)]);
      expect((await stored()).slice(0, 2)).toEqual(claimed);
      expect(await claimBatch(database, 9)).toHaveLength(1);
      expect(await claimBatch(database, 9)).toEqual([]);
    });

    test('claims the selected rows, and no others', async () => {
      await add(seconds(-3), seconds(-2), seconds(-1));
      const claimed = await claimBatch(database, 9, (due) => due.filter((_, index) => index !== 1));
      expect(claimed.map(({ dueAt }) => dueAt)).toEqual([seconds(-3), seconds(-1)]);
      expect((await stored()).map(({ status }) => status)).toEqual(['processing', 'pending', 'processing']);
      expect(await claimBatch(database, 9, () => [])).toEqual([]);
    });

    test('gives each row to one of many workers at two handles', async () => {
      const other = await openDatabase({ url, schema: queue });
      await add(...Array.from({ length: 50 }, (_, index) => seconds(-index)));
      const batches = await Promise.all(
        Array.from({ length: 20 }, (_, index) => claimBatch(index % 2 === 0 ? database : other, 4)),
      );
      const rest = await claimBatch(other, 50);
      await other.close();
      const ids = [...batches.flat(), ...rest].map(({ id }) => id);
      expect([ids.length, new Set(ids).size]).toEqual([50, 50]);
    });
  });
});

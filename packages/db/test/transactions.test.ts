import { setImmediate as nextRound } from 'node:timers/promises';
import { inspect } from 'node:util';
import { InvariantFailed } from '@certloop/contracts';
import { QueryFailedError } from 'typeorm';
import { beforeEach, expect, test } from 'vitest';
import { type Database, insertMany } from '../src/index.js';
import { describeEachDialect } from '../src/testing.js';
import { customer, gate, insertNamed, names, namesIn } from './support/rows.js';
import { customers, shop } from './support/shop.js';

describeEachDialect('reads and transactions', (open, dialect) => {
  let database: Database;
  beforeEach(async () => {
    ({ database } = await open(shop));
  });

  test('isolate overlapping transactions, whichever rolls back', async () => {
    const hold = gate();
    const lost = database.transaction(async (tx) => {
      await insertNamed(tx, 'lost');
      await hold.opened;
      throw new Error('changed my mind');
    });
    const stored = database.transaction((tx) => insertNamed(tx, 'stored'));
    setImmediate(hold.open);
    await expect(lost).rejects.toThrow('changed my mind');
    await stored;
    expect(await namesIn(database)).toEqual(['stored']);
  });

  test('isolate many overlapping writers', async () => {
    const outcomes = await Promise.allSettled(
      Array.from({ length: 40 }, (_, index) =>
        database.transaction(async (tx) => {
          await insertNamed(tx, `customer ${index}`);
          await new Promise((resolve) => setImmediate(resolve));
          if (index % 2 === 1) throw new Error('odd');
        }),
      ),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(20);
    expect(await namesIn(database)).toHaveLength(20);
  });

  test('show a reader no changes of an open transaction, without waiting for it', async () => {
    const written = gate();
    const hold = gate();
    const writing = database.transaction(async (tx) => {
      await insertNamed(tx, 'later');
      written.open();
      await hold.opened;
      return names(tx);
    });
    await written.opened;
    expect(await namesIn(database)).toEqual([]);
    hold.open();
    expect(await writing).toEqual(['later']);
    expect(await namesIn(database)).toEqual(['later']);
  });

  test('show one snapshot to all queries of a read', async () => {
    const counts = await database.read(async (tx) => {
      const before = await names(tx);
      await nextRound();
      return [before.length, (await names(tx)).length];
    });
    expect(counts).toEqual([0, 0]);
    const begun = gate();
    const committed = gate();
    const reading = database.read(async (tx) => {
      const before = await names(tx);
      begun.open();
      await committed.opened;
      return [before, await names(tx)];
    });
    await begun.opened;
    await database.transaction((tx) => insertNamed(tx, 'meanwhile'));
    committed.open();
    expect(await reading).toEqual([[], []]);
  });

  test('reject writes of a reader', async () => {
    await expect(database.read((tx) => insertNamed(tx, 'sneaky'))).rejects.toThrow(/read-?only/);
    expect(await namesIn(database)).toEqual([]);
  });

  test.each(['transaction', 'read'] as const)('cannot be started inside a %s', async (outer) => {
    const inside = /use its tx/;
    await database[outer](async () => {
      await expect(database.transaction((tx) => names(tx))).rejects.toThrow(inside);
      await expect(database.read((tx) => names(tx))).rejects.toThrow(inside);
      await expect(database.migrate()).rejects.toThrow(inside);
    });
    expect(await namesIn(database)).toEqual([]);
  });

  test('can be started by work that began inside and outlived its transaction', async () => {
    const ended = gate();
    let later: Promise<string[]> | undefined;
    await database.transaction(async (tx) => {
      await insertNamed(tx, 'first');
      later = ended.opened.then(() => namesIn(database));
    });
    ended.open();
    expect(await later).toEqual(['first']);
  });

  test('turn a transaction inside a transaction into a savepoint', async () => {
    await database.transaction(async (tx) => {
      await insertNamed(tx, 'outer');
      const inner = tx.transaction(async (nested) => {
        await insertNamed(nested, 'inner');
        throw new Error('inner only');
      });
      await expect(inner).rejects.toThrow('inner only');
    });
    expect(await namesIn(database)).toEqual(['outer']);
  });

  test('refuse a statement that comes after the end', async () => {
    let late: (() => Promise<void>) | undefined;
    await database.transaction(async (tx) => {
      late = () => insertNamed(tx, 'late');
    });
    await expect(late?.()).rejects.toThrow('missing await');
    await expect(late?.()).rejects.toBeInstanceOf(InvariantFailed);
    expect(await namesIn(database)).toEqual([]);
  });

  test('roll back when a statement was not awaited', async () => {
    let forgotten: Promise<unknown> | undefined;
    const work = database.transaction(async (tx) => {
      forgotten = insertNamed(tx, 'forgotten').catch(() => undefined);
      await tx.query('select 1');
      forgotten = Promise.all([forgotten, tx.query('select 2').catch(() => undefined)]);
    });
    await expect(work).rejects.toBeInstanceOf(InvariantFailed);
    await expect(work).rejects.toThrow('missing await');
    await forgotten;
    expect(await namesIn(database)).toEqual([]);
  });

  test('report success after an ignored failure only if the rest is committed', async () => {
    const outcome = await database
      .transaction(async (tx) => {
        await insertNamed(tx, 'half');
        await tx.query('select * from nowhere').catch(() => undefined);
      })
      .then(
        () => 'done',
        (error: Error) => error.message,
      );
    const stored = await namesIn(database);
    // SQLite undoes only the statement that failed, PostgreSQL the whole transaction
    expect([outcome, stored]).toEqual(
      dialect === 'sqlite'
        ? ['done', ['half']]
        : ['rolled back, since a statement had failed and its error was dropped', []],
    );
  });

  test('report a failed query without its values', async () => {
    const failure = database.transaction(async (tx) => {
      await insertNamed(tx, 'a secret');
      await insertMany(tx, customers, [customer({ name: 'a secret' })]);
    });
    const error = await failure.catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(QueryFailedError);
    const { driverError, parameters } = error as QueryFailedError;
    expect(parameters).toEqual([]);
    expect(inspect({ ...driverError })).not.toContain('a secret');
    // the mapper copies what the driver says
    expect(inspect({ ...(error as QueryFailedError) })).not.toContain('a secret');
  });

  test('close after running work, and accept no further work', async () => {
    const hold = gate();
    const writing = database.transaction(async (tx) => {
      await insertNamed(tx, 'just in time');
      await hold.opened;
      return names(tx);
    });
    const closing = database.close();
    await expect(database.read((tx) => names(tx))).rejects.toThrow('the database is closed');
    hold.open();
    expect(await writing).toEqual(['just in time']);
    await closing;
    await database.close();
  });
});

import { beforeEach, expect, test } from 'vitest';
import { afterCommit, type Database } from '../../src/index.js';
import { describeEachDialect } from '../../src/testing.js';
import { gate, insertNamed, namesIn } from '../support/rows.js';
import { shop } from '../support/shop.js';

describeEachDialect('what follows a commit', (open) => {
  let database: Database;
  beforeEach(async () => {
    ({ database } = await open(shop));
  });

  test.each(['transaction', 'longTransaction'] as const)(
    'is called once the %s is committed, before its caller goes on',
    async (kind) => {
      const calls: string[] = [];
      const hold = gate();
      const writing = database[kind](async (tx) => {
        afterCommit(tx, () => calls.push('first'));
        await insertNamed(tx, 'one');
        afterCommit(tx, () => calls.push('second'));
        await hold.opened;
        expect(calls).toEqual([]);
      });
      hold.open();
      await writing;
      expect(calls).toEqual(['first', 'second']);
      expect(await namesIn(database)).toEqual(['one']);
    },
  );

  test('is not called after a rollback', async () => {
    const calls: string[] = [];
    const failing = database.transaction(async (tx) => {
      afterCommit(tx, () => calls.push('never'));
      await insertNamed(tx, 'one');
      throw new Error('changed my mind');
    });
    await expect(failing).rejects.toThrow('changed my mind');
    expect(calls).toEqual([]);
  });

  test('cannot follow a read', async () => {
    await expect(database.read(async (tx) => afterCommit(tx, () => undefined))).rejects.toThrow(
      'only a transaction that writes has a commit',
    );
  });
});

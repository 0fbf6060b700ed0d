import { AsyncLocalStorage } from 'node:async_hooks';
import { beforeEach, expect, test } from 'vitest';
import { type Database, onUniqueViolation } from '../src/index.js';
import { describeEachDialect } from '../src/testing.js';
import { gate, insertNamed, namesIn } from './support/rows.js';
import { shop } from './support/shop.js';

describeEachDialect('concurrent writers', (open) => {
  let database: Database;
  beforeEach(async () => {
    ({ database } = await open(shop));
  });

  /** Begins a write that lasts until its gate is opened, so that those after it wait on SQLite. */
  function holding(name: string) {
    const { opened, open: release } = gate();
    const written = database.transaction(async (tx) => {
      await insertNamed(tx, name);
      await opened;
    });
    return { written, release };
  }

  test('are all stored', async () => {
    const wanted = Array.from({ length: 100 }, (_, n) => `n${n}`);
    await Promise.all(wanted.map((name) => database.transaction((tx) => insertNamed(tx, name))));
    expect(await namesIn(database)).toEqual(wanted.toSorted());
  });

  test('lose nothing when one of them fails after it wrote', async () => {
    const first = holding('first');
    const failing = database.transaction(async (tx) => {
      await insertNamed(tx, 'failing');
      throw new RangeError('no');
    });
    const last = database.transaction((tx) => insertNamed(tx, 'last'));
    const refused = expect(failing).rejects.toThrow(RangeError);
    first.release();
    await refused;
    await Promise.all([first.written, last]);
    expect(await namesIn(database)).toEqual(['first', 'last']);
  });

  test('lose nothing when the first of them fails', async () => {
    const { opened, open: release } = gate();
    const failing = database.transaction(async (tx) => {
      await insertNamed(tx, 'failing');
      await opened;
      throw new RangeError('no');
    });
    const last = database.transaction((tx) => insertNamed(tx, 'last'));
    const refused = expect(failing).rejects.toThrow(RangeError);
    release();
    await refused;
    await last;
    expect(await namesIn(database)).toEqual(['last']);
  });

  test('lose nothing when one of them violates a constraint', async () => {
    const first = holding('taken');
    const again = database.transaction((tx) =>
      onUniqueViolation(
        () => insertNamed(tx, 'taken'),
        () => new RangeError('taken'),
      ),
    );
    const last = database.transaction((tx) => insertNamed(tx, 'last'));
    const refused = expect(again).rejects.toThrow(RangeError);
    first.release();
    await refused;
    await Promise.all([first.written, last]);
    expect(await namesIn(database)).toEqual(['last', 'taken']);
  });

  test('are answered only when others can read what they wrote', async () => {
    const seen = await Promise.all(
      ['a', 'b', 'c'].map(async (name) => {
        await database.transaction((tx) => insertNamed(tx, name));
        return (await namesIn(database)).includes(name);
      }),
    );
    expect(seen).toEqual([true, true, true]);
  });

  test('run in the context of their callers', async () => {
    const context = new AsyncLocalStorage<string>();
    const found = await Promise.all(
      ['a', 'b', 'c'].map((name) =>
        context.run(name, () =>
          database.transaction(async (tx) => {
            await insertNamed(tx, name);
            return context.getStore();
          }),
        ),
      ),
    );
    expect(found).toEqual(['a', 'b', 'c']);
  });
});

import { inspect } from 'node:util';
import { beforeEach, expect, test } from 'vitest';
import { type Autocommit, type Database, executeSql } from '../src/index.js';
import { describeEachDialect } from '../src/testing.js';
import { insertNamed, namesIn } from './support/rows.js';
import { shop } from './support/shop.js';

const rename = {
  name: 'rename',
  text: `update customers set name = v.after from unnest(cast($1 as text[]), cast($2 as text[])) as v(before, after)
    where customers.name = v.before returning customers.name, bytes_sent`,
};

describeEachDialect('autocommit', (open, dialect) => {
  let database: Database;
  beforeEach(async () => {
    ({ database } = await open(shop));
    await database.transaction((tx) => insertNamed(tx, 'a'));
  });

  const autocommit = (): Autocommit => {
    if (database.autocommit === undefined) throw new Error('there are none');
    return database.autocommit;
  };

  if (dialect === 'sqlite') {
    test('exists only for PostgreSQL', () => {
      expect(database.autocommit).toBeUndefined();
    });
    return;
  }

  test('runs single statements, visible to all when they end', async () => {
    expect(await autocommit().run(rename, ['{a}', '{b}'])).toEqual([['b', '0']]);
    expect(await namesIn(database)).toEqual(['b']);
  });

  test('accepts more statements than there are connections', async () => {
    const steps = Array.from({ length: 20 }, (_, step) => autocommit().run(rename, ['{a}', `{a${step}}`]));
    expect((await Promise.all(steps)).flat()).toHaveLength(1);
  });

  test('continues after a statement that fails', async () => {
    await expect(autocommit().run(rename, ['{a}', '{NULL}'])).rejects.toThrow('null value');
    expect(await autocommit().run(rename, ['{a}', '{b}'])).toHaveLength(1);
  });

  test('reports a failed statement without its values', async () => {
    await database.transaction((tx) => insertNamed(tx, 'a secret'));
    const failure = autocommit().run(rename, ['{a secret}', '{NULL}']);
    const error = await failure.catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: '23502', column: 'name' });
    expect(inspect({ ...(error as Error) })).not.toContain('a secret');
  });

  test('repeats a statement that a deadlock rolled back', async () => {
    const failsOnce = `create function fail_once() returns text language plpgsql as $$ begin
      if nextval('tries') = 1 then raise exception 'deadlock detected' using errcode = '40P01'; end if;
      return 'done'; end $$`;
    await database.transaction(async (tx) => {
      // no rollback takes numbers of a sequence back
      await executeSql(tx, 'create sequence tries', []);
      await executeSql(tx, failsOnce, []);
    });
    expect(await autocommit().run({ name: 'fail-once', text: 'select fail_once()' }, [])).toEqual([['done']]);
  });

  test('ends with the database', async () => {
    const last = autocommit().run(rename, ['{a}', '{b}']);
    await database.close();
    expect(await last).toHaveLength(1);
    await expect(autocommit().run(rename, ['{b}', '{c}'])).rejects.toThrow('closed');
  });
});

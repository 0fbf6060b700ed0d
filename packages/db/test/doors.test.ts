import { beforeAll, expect, test } from '@jest/globals';
import type { Database } from '../src/index.js';
import { describeEachDialect } from '../src/testing.js';
import { customers, shop } from './support/shop.js';

describeEachDialect('the schema', (open) => {
  let database: Database;
  beforeAll(async () => {
    ({ database } = await open(shop));
  });

  test('has no drift', async () => {
    expect(await database.schemaDrift()).toEqual([]);
  });

  test('goes down and up again', async () => {
    await database.revertLast();
    expect(await database.pendingMigrations()).toEqual(['0001-initial']);
    expect(await database.migrate()).toEqual(['0001-initial']);
    expect(await database.migrate()).toEqual([]);
  });

  test('reads', async () => {
    expect(await database.read((tx) => tx.findBy(customers, { name: 'x' }))).toEqual([]);
  });
});

import { describeEachDialect } from '@certloop/db/testing';
import { expect, test } from '@jest/globals';
import { schema } from '../src/database.js';

describeEachDialect('schema', (open) => {
  test('migrations and tables agree', async () => {
    const { database } = await open(schema);
    expect(await database.schemaDrift()).toEqual([]);
  });

  test('goes back and forth', async () => {
    const { database } = await open(schema);
    for (const _ of schema.migrations) await database.revertLast();
    expect(await database.pendingMigrations()).toEqual(schema.migrations.map(({ name }) => name));
    await database.migrate();
    expect(await database.schemaDrift()).toEqual([]);
  });
});

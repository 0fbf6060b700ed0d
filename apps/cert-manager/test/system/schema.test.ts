import { describeEachDialect } from '@certloop/db/testing';
import { expect, test } from 'vitest';
import { schema } from '../../src/database.js';

describeEachDialect('the schema', (open) => {
  test('equals the result of the migrations', async () => {
    const { database } = await open(schema);
    expect(await database.schemaDrift()).toEqual([]);
  });

  test('is restored by running all migrations down and up', async () => {
    const { database } = await open(schema);
    const names = schema.migrations.map(({ name }) => name);
    for (const _ of names) await database.revertLast();
    expect(await database.pendingMigrations()).toEqual(names);
    expect(await database.migrate()).toEqual(names);
    expect(await database.schemaDrift()).toEqual([]);
  });
});

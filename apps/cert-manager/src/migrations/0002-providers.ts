import { column, createTables, defineTable, dropTables, type Migration } from '@certloop/db';

const providers = defineTable('providers', {
  columns: {
    id: column.uuid().primary(),
    name: column.word(32),
    displayName: column.word(100),
    description: column.text(),
    enabled: column.boolean(),
    config: column.json().nullable(),
    secrets: column.json(),
    environmentAddress: column.text().nullable(),
    createdAt: column.instant(),
    updatedAt: column.instant(),
  },
  indexes: [{ columns: ['name'], unique: true }],
});

const encryptionCanaries = defineTable('encryption_canaries', {
  columns: {
    keyId: column.word(32).primary(),
    sealed: column.text(),
    createdAt: column.instant(),
  },
});

const tables = [providers, encryptionCanaries];

export const addProviders: Migration = {
  name: '0002-providers',
  up: (runner, dialect) => createTables(runner, dialect, tables),
  down: (runner) => dropTables(runner, tables),
};

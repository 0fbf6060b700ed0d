import { column, createTables, defineTable, dropTables, type Migration } from '@certloop/db';

const tables = [
  defineTable('setup_tokens', {
    columns: { secretHash: column.word(64).primary(), expiresAt: column.instant() },
  }),
];

/** Setup tokens of all processes. */
export const addSetupTokens: Migration = {
  name: '0014-setup-tokens',
  up: (runner, dialect) => createTables(runner, dialect, tables),
  down: (runner) => dropTables(runner, tables),
};

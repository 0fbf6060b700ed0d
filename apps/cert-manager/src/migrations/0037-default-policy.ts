import { column, createTables, defineTable, dropTables, type Migration } from '@certloop/db';

const tables = [
  defineTable('default_policies', {
    columns: {
      name: column.word(16).primary(),
      revision: column.uuid(),
      allowedNames: column.json().nullable(),
      providerIds: column.json().nullable(),
    },
  }),
];

/** The issuance policy of spaces that have none of their own. */
export const addDefaultPolicy: Migration = {
  name: '0037-default-policy',
  up: (runner, dialect) => createTables(runner, dialect, tables),
  down: (runner) => dropTables(runner, tables),
};

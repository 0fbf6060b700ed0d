import { column, createTables, defineTable, dropTables, type Migration } from '@certloop/db';

const tables = [
  defineTable('canary_turns', {
    columns: {
      id: column.word(16).primary(),
      dueAt: column.instant(),
      leaseToken: column.uuid().nullable(),
      checkUuid: column.uuid().nullable(),
      pingedAt: column.instant().nullable(),
    },
  }),
];

/** The check that is meant to fall. */
export const addCanary: Migration = {
  name: '0027-canary',
  up: (runner, dialect) => createTables(runner, dialect, tables),
  down: (runner) => dropTables(runner, tables),
};

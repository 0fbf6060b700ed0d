import { column, createTables, defineTable, dropTables, type Migration } from '@certloop/db';

const tables = [
  defineTable('sign_in_places', {
    columns: {
      userId: column.uuid().primary(),
      place: column.word(80).primary(),
      lastUsedAt: column.preciseInstant(),
    },
    indexes: [{ columns: ['lastUsedAt'] }],
    references: [{ columns: ['userId'], table: 'users', onDelete: 'CASCADE' }],
  }),
];

/** Networks and devices from which users signed in. */
export const addSignInPlaces: Migration = {
  name: '0011-sign-in-places',
  up: (runner, dialect) => createTables(runner, dialect, tables),
  down: (runner) => dropTables(runner, tables),
};

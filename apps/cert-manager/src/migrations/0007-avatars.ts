import { column, createTables, defineTable, dropTables, type Migration } from '@certloop/db';

const userAvatars = defineTable('user_avatars', {
  columns: { userId: column.uuid().primary(), png: column.bytes(), updatedAt: column.instant() },
  references: [{ columns: ['userId'], table: 'users', onDelete: 'CASCADE' }],
});

/** Pictures of users. */
export const addAvatars: Migration = {
  name: '0007-avatars',
  up: (runner, dialect) => createTables(runner, dialect, [userAvatars]),
  down: (runner) => dropTables(runner, [userAvatars]),
};

import { column, createTables, defineTable, dropTables, type Migration } from '@certloop/db';

const passwords = defineTable('passwords', {
  columns: {
    userId: column.uuid().primary(),
    hash: column.word(200),
    changedAt: column.preciseInstant(),
  },
  references: [{ columns: ['userId'], table: 'users', onDelete: 'CASCADE' }],
});

const sessions = defineTable('sessions', {
  columns: {
    secretHash: column.word(64).primary(),
    userId: column.uuid(),
    createdAt: column.preciseInstant(),
    lastUsedAt: column.preciseInstant(),
  },
  indexes: [{ columns: ['userId', 'createdAt'] }, { columns: ['lastUsedAt'] }],
  references: [{ columns: ['userId'], table: 'users', onDelete: 'CASCADE' }],
});

const members = defineTable('members', {
  columns: {
    projectId: column.uuid().primary(),
    userId: column.uuid().primary(),
    role: column.word(10),
  },
  indexes: [{ columns: ['userId'] }],
  references: [
    { columns: ['projectId'], table: 'projects', onDelete: 'CASCADE' },
    { columns: ['userId'], table: 'users', onDelete: 'CASCADE' },
  ],
});

const tables = [passwords, sessions, members];

/** People sign in, and share projects. */
export const addAccounts: Migration = {
  name: '0003-accounts',
  up: (runner, dialect) => createTables(runner, dialect, tables),
  down: (runner) => dropTables(runner, tables),
};

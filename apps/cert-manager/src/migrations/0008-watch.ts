import { addColumns, column, createTables, defineTable, dropTables, type Migration } from '@certloop/db';

const watchedFqdns = defineTable('watched_fqdns', {
  columns: {
    id: column.uuid().primary(),
    spaceId: column.uuid(),
    version: column.integer(),
    checkUuid: column.uuid().nullable(),
    pingedAt: column.instant().nullable(),
    toldDeadline: column.instant().nullable(),
    toldFrom: column.instant().nullable(),
    toldAt: column.instant().nullable(),
    dueAt: column.instant(),
    leaseToken: column.uuid().nullable(),
    attempts: column.integer(),
    lastError: column.text().nullable(),
  },
  indexes: [{ columns: ['dueAt', 'id'] }, { columns: ['spaceId'] }],
});

const watchPings = defineTable('watch_pings', {
  columns: {
    id: column.uuid().primary(),
    subject: column.word(64),
    signal: column.word(8),
    body: column.text(),
    createdAt: column.instant(),
  },
  indexes: [{ columns: ['subject', 'createdAt', 'id'] }],
});

const tables = [watchedFqdns, watchPings];

/** Checks of FQDNs in the monitor, and pings that it has not got yet. */
export const addWatch: Migration = {
  name: '0008-watch',
  up: async (runner, dialect) => {
    await createTables(runner, dialect, tables);
    await addColumns(runner, dialect, 'spaces', { unwatchedSince: column.instant().nullable() });
  },
  down: async (runner) => {
    await runner.dropColumn('spaces', 'unwatched_since');
    await dropTables(runner, tables);
  },
};

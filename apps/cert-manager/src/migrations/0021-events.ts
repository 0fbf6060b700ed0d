import { column, createTables, defineTable, dropTables, type Migration } from '@certloop/db';

const tables = [
  defineTable('events', {
    columns: {
      id: column.uuid().primary(),
      type: column.word(64),
      subject: column.word(64),
      spaceId: column.uuid().nullable(),
      onceKey: column.word(128).nullable(),
      data: column.json(),
      createdAt: column.instant(),
    },
    indexes: [{ columns: ['onceKey'], unique: true }, { columns: ['createdAt', 'id'] }],
  }),
  defineTable('notices', {
    columns: {
      id: column.uuid().primary(),
      eventId: column.uuid(),
      destination: column.word(8),
      type: column.word(64),
      subject: column.word(64),
      createdAt: column.instant(),
      dueAt: column.instant(),
      leaseToken: column.uuid().nullable(),
      attempts: column.integer(),
    },
    indexes: [
      { columns: ['destination', 'dueAt', 'id'] },
      { columns: ['destination', 'subject', 'id'] },
      { columns: ['destination', 'leaseToken', 'id'] },
      { columns: ['eventId'] },
    ],
  }),
  defineTable('mail_turns', {
    columns: {
      id: column.word(16).primary(),
      dueAt: column.instant(),
      leaseToken: column.uuid().nullable(),
      batch: column.uuid().nullable(),
      isSent: column.boolean(),
      attempts: column.integer(),
    },
  }),
  defineTable('monitor_answers', {
    columns: {
      id: column.word(16).primary(),
      answeredAt: column.instant(),
      awayNoticedAt: column.instant().nullable(),
    },
  }),
];

/** Events, what of them is still to be sent, and when the monitor last answered. */
export const addEvents: Migration = {
  name: '0021-events',
  up: (runner, dialect) => createTables(runner, dialect, tables),
  down: (runner) => dropTables(runner, tables),
};

import { column, createTables, defineTable, dropTables, type Migration } from '@certloop/db';

const tables = [
  defineTable('consent_requests', {
    columns: {
      address: column.word(64).primary(),
      userId: column.uuid(),
      sentAt: column.preciseInstant(),
      unanswered: column.integer(),
      declinedAt: column.preciseInstant().nullable(),
    },
    indexes: [{ columns: ['userId', 'sentAt'] }, { columns: ['sentAt'] }],
  }),
];

/** Mails that asked for consent to notifications, and refusals. */
export const addConsentRequests: Migration = {
  name: '0014-consent-requests',
  up: (runner, dialect) => createTables(runner, dialect, tables),
  down: (runner) => dropTables(runner, tables),
};

import { column, createTables, defineTable, dropTables, type Migration } from '@certloop/db';

const tables = [
  defineTable('webhook_receivers', {
    columns: {
      id: column.word(8).primary(),
      failures: column.integer(),
      failingSince: column.instant().nullable(),
      pausedUntil: column.instant().nullable(),
      disabledAt: column.instant().nullable(),
    },
  }),
];

/** Whether the receiver of webhooks takes events, for all processes. */
export const addWebhookReceivers: Migration = {
  name: '0026-webhook-receivers',
  up: (runner, dialect) => createTables(runner, dialect, tables),
  down: (runner) => dropTables(runner, tables),
};

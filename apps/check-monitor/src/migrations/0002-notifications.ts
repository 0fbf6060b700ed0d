import { addColumns, column, createTables, defineTable, dropTables, type Migration } from '@certloop/db';

const channelColumns = {
  verifiedAt: column.preciseInstant().nullable(),
  disabledAt: column.preciseInstant().nullable(),
  lastError: column.text().nullable(),
  lastNotifiedAt: column.preciseInstant().nullable(),
  lastDurationMs: column.integer().nullable(),
};

const notifications = defineTable('notifications', {
  columns: {
    id: column.key(),
    deliveryId: column.uuid(),
    channelId: column.bigint(),
    checkId: column.bigint().nullable(),
    flipId: column.bigint().nullable(),
    status: column.word(6),
    attempt: column.integer(),
    leaseUntil: column.preciseInstant().nullable(),
    error: column.text().nullable(),
    createdAt: column.preciseInstant(),
    settledAt: column.preciseInstant().nullable(),
  },
  indexes: [
    { columns: ['flipId', 'channelId'], unique: true },
    { columns: ['checkId', 'id'] },
    { columns: ['channelId', 'id'] },
    { columns: ['id'], where: 'settled_at is null', name: 'ix_notifications_open' },
    {
      columns: ['channelId', 'checkId', 'id'],
      where: 'settled_at is null',
      name: 'ix_notifications_open_channel',
    },
  ],
  references: [
    { columns: ['channelId'], table: 'channels', onDelete: 'CASCADE' },
    { columns: ['checkId'], table: 'checks', onDelete: 'CASCADE' },
    { columns: ['flipId'], table: 'flips', onDelete: 'CASCADE' },
  ],
});

/** Notifications of channels, and the health of channels. */
export const addNotifications: Migration = {
  name: '0002-notifications',
  up: async (runner, dialect) => {
    await addColumns(runner, dialect, 'channels', channelColumns);
    await createTables(runner, dialect, [notifications]);
  },
  down: async (runner) => {
    await dropTables(runner, [notifications]);
    const names = ['verified_at', 'disabled_at', 'last_error', 'last_notified_at', 'last_duration_ms'];
    await runner.dropColumns('channels', names);
  },
};

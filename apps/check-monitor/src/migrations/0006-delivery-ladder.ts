import { addColumns, addIndexes, column, dropIndexes, type Migration, type TableIndex } from '@certloop/db';

const notificationColumns = {
  turnId: column.uuid().nullable(),
  tries: column.integer().nullable(),
  crashes: column.integer().nullable(),
  dueAt: column.preciseInstant().nullable(),
  carriedBy: column.uuid().nullable(),
  aboutChannelId: column.bigint().nullable(),
};

const channelColumns = {
  heldUntil: column.preciseInstant().nullable(),
  timeouts: column.integer().nullable(),
  failingSince: column.preciseInstant().nullable(),
  noticedAt: column.preciseInstant().nullable(),
  minuteAt: column.preciseInstant().nullable(),
  minuteCount: column.integer().nullable(),
};

const open: TableIndex = { columns: ['id'], where: 'settled_at is null', name: 'ix_notifications_open' };

const indexes: readonly TableIndex[] = [
  { columns: ['channelId', 'id'], where: 'settled_at is null', name: 'ix_notifications_open_queue' },
  { columns: ['turnId'], where: 'turn_id is not null', name: 'ix_notifications_in_hand' },
  {
    columns: ['id'],
    where: 'about_channel_id is not null and settled_at is null',
    name: 'ix_notifications_open_notices',
  },
];

/** Tries, crashes and pauses of messages stand apart; channels have holds, and health. */
export const addDeliveryLadder: Migration = {
  name: '0006-delivery-ladder',
  up: async (runner, dialect) => {
    await addColumns(runner, dialect, 'notifications', notificationColumns);
    await addColumns(runner, dialect, 'channels', channelColumns);
    // until now a lease was also what a postponed message waited for
    await runner.query(`update notifications set due_at = lease_until, lease_until = null
      where settled_at is null and lease_until is not null`);
    await addIndexes(runner, 'notifications', indexes);
    await dropIndexes(runner, 'notifications', [open]);
  },
  down: async (runner) => {
    await addIndexes(runner, 'notifications', [open]);
    await dropIndexes(runner, 'notifications', indexes);
    await runner.query('delete from notifications where about_channel_id is not null');
    await runner.query(`update notifications set lease_until = due_at
      where settled_at is null and lease_until is null`);
    const ofNotifications = ['turn_id', 'tries', 'crashes', 'due_at', 'carried_by', 'about_channel_id'];
    await runner.dropColumns('notifications', ofNotifications);
    const ofChannels = ['held_until', 'timeouts', 'failing_since', 'noticed_at', 'minute_at', 'minute_count'];
    await runner.dropColumns('channels', ofChannels);
  },
};

import { column, defineTable, executeSql, insertMany, querySql, type Tx, updateRows } from '@certloop/db';
import { IsNull } from 'typeorm';
import type { Micros } from '../instants.js';
import type { AlertStatus } from './alert-event.js';

/** One message to one channel: queue while it is open, log once it is settled. */
export interface Notification {
  readonly id: number;
  /** Tells the target that a second attempt is no second message. */
  readonly deliveryId: string;
  readonly channelId: number;
  /** Null for a test. */
  readonly checkId: number | null;
  readonly flipId: number | null;
  readonly status: AlertStatus;
  /** How often somebody has begun to deliver it. */
  readonly attempt: number;
  /** Until then it belongs to whoever began last. */
  readonly leaseUntil: Micros | null;
  /** Why it did not arrive; null when it did, or is still open. */
  readonly error: string | null;
  readonly createdAt: Micros;
  readonly settledAt: Micros | null;
}

export const notifications = defineTable<Notification>('notifications', {
  columns: {
    id: column.key(),
    deliveryId: column.uuid(),
    channelId: column.bigint(),
    checkId: column.bigint().nullable(),
    flipId: column.bigint().nullable(),
    status: column.word<AlertStatus>(6),
    attempt: column.integer(),
    leaseUntil: column.preciseInstant().nullable(),
    error: column.text().nullable(),
    createdAt: column.preciseInstant(),
    settledAt: column.preciseInstant().nullable(),
  },
  indexes: [
    { columns: ['deliveryId'], unique: true },
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

export type NewNotification = Omit<Notification, 'id'>;

export async function insertNotifications(tx: Tx, rows: readonly NewNotification[]): Promise<void> {
  await insertMany(tx, notifications, rows);
}

/**
 * Takes the oldest message that is open, that nobody holds and that is not for the channel `except`, until `leaseUntil`.
 * News of one check reaches one channel in its order: what stands behind an open message waits. Of several workers
 * exactly one gets a message.
 */
export async function claimNotification(
  tx: Tx,
  now: Micros,
  leaseUntil: Micros,
  except = noChannel,
): Promise<Notification | undefined> {
  for (;;) {
    const [row] = await querySql(tx, notifications.columns, oldestFree(tx), [now, except]);
    if (row === undefined) return undefined;
    const attempt = row.attempt + 1;
    const claim = `update notifications set attempt = $1, lease_until = $2
      where id = $3 and attempt = $4 and settled_at is null`;
    const isOurs = (await executeSql(tx, claim, [attempt, leaseUntil, row.id, row.attempt])) === 1;
    if (isOurs) return { ...row, attempt, leaseUntil };
  }
}

// identifiers count from 1
const noChannel = 0;

function oldestFree(tx: Tx): string {
  // a writer of SQLite is alone anyway
  const lock = tx.dataSource.options.type === 'postgres' ? 'for update of n skip locked' : '';
  return `select n.* from notifications n
    where n.settled_at is null and (n.lease_until is null or n.lease_until <= $1)
      and n.channel_id <> $2
      and not exists (select 1 from notifications e where e.settled_at is null
        and e.channel_id = n.channel_id and e.check_id = n.check_id and e.id < n.id)
    order by n.id limit 1 ${lock}`;
}

/** Keeps a message for its worker until `leaseUntil`; does nothing when it has passed on to somebody else. */
export async function keepNotification(
  tx: Tx,
  { id, attempt }: Pick<Notification, 'id' | 'attempt'>,
  leaseUntil: Micros,
): Promise<void> {
  await updateRows<Notification>(tx, notifications, { id, attempt, settledAt: IsNull() }, { leaseUntil });
}

/** Puts a message back that is to go out at `at`; to have waited is no attempt. */
export async function postponeNotification(
  tx: Tx,
  { id, attempt }: Pick<Notification, 'id' | 'attempt'>,
  at: Micros,
): Promise<void> {
  const open = { id, attempt, settledAt: IsNull() };
  await updateRows<Notification>(tx, notifications, open, { attempt: attempt - 1, leaseUntil: at });
}

/** Records what became of a message; false when it has passed on to somebody else. */
export async function settleNotification(
  tx: Tx,
  { id, attempt }: Pick<Notification, 'id' | 'attempt'>,
  outcome: { readonly error: string | null; readonly settledAt: Micros },
): Promise<boolean> {
  const open = { id, attempt, settledAt: IsNull() };
  return (await updateRows<Notification>(tx, notifications, open, { ...outcome, leaseUntil: null })) === 1;
}

/** Log of a channel, the newest first. */
export async function listNotifications(tx: Tx, channelId: number, most: number): Promise<Notification[]> {
  return tx.find(notifications, { where: { channelId }, order: { id: 'DESC' }, take: most });
}

/** Forgets the tests of a channel. */
export async function deleteTests(tx: Tx, channelId: number): Promise<void> {
  await tx.delete(notifications, { channelId, checkId: IsNull() });
}

/** Forgets what was told of a check before `instant`. */
export async function deleteNotificationsBefore(tx: Tx, checkId: number, instant: Micros): Promise<void> {
  const text = 'delete from notifications where check_id = $1 and created_at < $2 and settled_at is not null';
  await executeSql(tx, text, [checkId, instant]);
}

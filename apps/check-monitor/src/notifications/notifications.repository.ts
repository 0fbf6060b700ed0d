import {
  column,
  defineTable,
  deleteRows,
  executeSql,
  insertMany,
  placeholders,
  type RowOf,
  type Tx,
} from '@certloop/db';
import { IsNull } from 'typeorm';
import type { Micros } from '../instants.js';
import type { AlertStatus } from '../integrations/messages/alert-event.js';

const isOpen = 'settled_at is null';

export const notifications = defineTable('notifications', {
  columns: {
    id: column.key(),
    /** Names the message to the target, so that a second attempt is not a second message. */
    deliveryId: column.uuid(),
    channelId: column.bigint(),
    /** Null for a test and for a notice. */
    checkId: column.bigint().nullable(),
    flipId: column.bigint().nullable(),
    status: column.word<AlertStatus>(6),
    /** How often a worker has begun to deliver it, whatever came of that. */
    attempt: column.integer(),
    /** The turn of the worker that holds it; null while none does. */
    turnId: column.uuid().nullable(),
    /** Past it, the worker that holds the message is dead. */
    leaseUntil: column.preciseInstant().nullable(),
    /** Calls that failed temporarily; null and 0 are none. */
    tries: column.integer().nullable(),
    /** Workers that died while they held it; null and 0 are none. */
    crashes: column.integer().nullable(),
    /** When it may be tried next; null is at once. */
    dueAt: column.preciseInstant().nullable(),
    /** Why it did not arrive so far; null when it did, or was not tried yet. */
    error: column.text().nullable(),
    /** Content of a message to a program, if a call with it failed: the next one must be the same request. */
    event: column.text().nullable(),
    /** The delivery that named this message together with others; null when it was sent alone. */
    carriedBy: column.uuid().nullable(),
    /** Of a notice: the channel that is switched off or failing. If that is `channelId`, the owner gets it by mail. */
    aboutChannelId: column.bigint().nullable(),
    createdAt: column.preciseInstant(),
    settledAt: column.preciseInstant().nullable(),
  },
  indexes: [
    { columns: ['deliveryId'], unique: true },
    { columns: ['flipId', 'channelId'], unique: true },
    { columns: ['checkId', 'id'] },
    { columns: ['channelId', 'id'] },
    { columns: ['channelId', 'id'], where: isOpen, name: 'ix_notifications_open_queue' },
    { columns: ['channelId', 'checkId', 'id'], where: isOpen, name: 'ix_notifications_open_channel' },
    { columns: ['turnId'], where: 'turn_id is not null', name: 'ix_notifications_in_hand' },
    {
      columns: ['channelId', 'turnId'],
      where: 'turn_id is not null',
      name: 'ix_notifications_channel_turns',
    },
    {
      columns: ['id'],
      where: `about_channel_id is not null and ${isOpen}`,
      name: 'ix_notifications_open_notices',
    },
  ],
  references: [
    { columns: ['channelId'], table: 'channels', onDelete: 'CASCADE' },
    { columns: ['checkId'], table: 'checks', onDelete: 'CASCADE' },
    { columns: ['flipId'], table: 'flips', onDelete: 'CASCADE' },
  ],
});

/** One message to one channel: queue while it is open, log once it is settled. */
export type Notification = RowOf<typeof notifications>;

/** Columns that differ from message to message when it is queued. */
export type QueuedNotification = Pick<Notification, 'deliveryId' | 'channelId' | 'status' | 'createdAt'> &
  Partial<Omit<Notification, 'id'>>;

const untouched = {
  checkId: null,
  flipId: null,
  attempt: 0,
  turnId: null,
  leaseUntil: null,
  tries: null,
  crashes: null,
  dueAt: null,
  error: null,
  event: null,
  carriedBy: null,
  aboutChannelId: null,
  settledAt: null,
} as const;

/** Puts messages into the queue, or into the log those that are settled. */
export async function insertNotifications(tx: Tx, rows: readonly QueuedNotification[]): Promise<void> {
  await insertMany(
    tx,
    notifications,
    rows.map((row) => ({ ...untouched, ...row })),
  );
}

/** Messages that a turn has claimed. */
export type Held = Pick<Notification, 'id' | 'turnId'>;

/** Extends the lease of all messages of a turn. */
export async function extendLease(tx: Tx, turnId: string, leaseUntil: Micros): Promise<void> {
  const text = 'update notifications set lease_until = $1 where turn_id = $2';
  await executeSql(tx, text, [leaseUntil, turnId]);
}

/** Releases messages unchanged, without counting an attempt; false if another worker has claimed some of them. */
export async function releaseNotifications(tx: Tx, held: readonly Held[]): Promise<boolean> {
  return changeHeld(tx, held, { text: '', values: [] });
}

/** Releases all messages of turns unchanged. */
export async function releaseTurns(tx: Tx, turnIds: readonly string[]): Promise<void> {
  if (turnIds.length === 0) return;
  const text = `update notifications set turn_id = null, lease_until = null
    where settled_at is null and turn_id in (${placeholders(turnIds.length, 1)})`;
  await executeSql(tx, text, turnIds);
}

/** Puts messages back after a call that failed temporarily. */
export async function postponeNotifications(
  tx: Tx,
  held: readonly Held[],
  { tries, dueAt, error, event = null }: Postponed,
): Promise<boolean> {
  return changeHeld(tx, held, {
    text: ', tries = $1, due_at = $2, error = $3, event = coalesce(event, $4)',
    values: [tries, dueAt, error, event],
  });
}

interface Postponed {
  readonly tries: number;
  readonly dueAt: Micros;
  readonly error: string;
  readonly event?: string | null;
}

/** Records what happened to messages; false if another worker has claimed some of them. */
export async function settleNotifications(
  tx: Tx,
  held: readonly Held[],
  { error, settledAt, carriedBy }: Outcome,
): Promise<boolean> {
  const text = ', error = $1, settled_at = $2, carried_by = $3, event = null';
  return changeHeld(tx, held, { text, values: [error, settledAt, carriedBy ?? null] });
}

interface Outcome {
  readonly error: string | null;
  readonly settledAt: Micros;
  readonly carriedBy?: string | undefined;
}

const rowsPerStatement = 500;

/** Lets go of messages, with changes, as far as their turn still holds them. */
async function changeHeld(
  tx: Tx,
  held: readonly Held[],
  { text, values }: { readonly text: string; readonly values: readonly (string | number | null)[] },
): Promise<boolean> {
  const [first] = held;
  if (first === undefined) return true;
  let changed = 0;
  for (let start = 0; start < held.length; start += rowsPerStatement) {
    const ids = held.slice(start, start + rowsPerStatement).map(({ id }) => id);
    const turn = values.length + 1;
    const update = `update notifications set turn_id = null, lease_until = null${text}
      where turn_id = $${turn} and id in (${placeholders(ids.length, turn + 1)})`;
    changed += await executeSql(tx, update, [...values, first.turnId, ...ids]);
  }
  return changed === held.length;
}

/** Lets what waits for a channel go at once: it answers again, or has new settings. Pauses after crashes stay. */
export async function hastenNotifications(tx: Tx, channelId: number): Promise<void> {
  const text = `update notifications set due_at = null
    where channel_id = $1 and settled_at is null and turn_id is null and due_at is not null
      and coalesce(crashes, 0) = 0`;
  await executeSql(tx, text, [channelId]);
}

/** Forgets the tests of a channel. */
export async function deleteTests(tx: Tx, channelId: number): Promise<void> {
  await deleteRows(tx, notifications, { channelId, checkId: IsNull(), aboutChannelId: IsNull() });
}

/** Deletes the notifications of a check before `instant`. */
export async function deleteNotificationsBefore(tx: Tx, checkId: number, instant: Micros): Promise<void> {
  const text = 'delete from notifications where check_id = $1 and created_at < $2 and settled_at is not null';
  await executeSql(tx, text, [checkId, instant]);
}

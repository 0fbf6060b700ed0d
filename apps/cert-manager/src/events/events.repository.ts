import {
  column,
  defineTable,
  executeSql,
  insertMany,
  newRowId,
  placeholders,
  querySql,
  type Tx,
} from '@certloop/db';
import type { Destination, EventData, EventType, NewEvent, OutgoingEvent } from './event.js';
import { type NoticeRow, notices } from './notices.repository.js';

/** An event as it is stored, for 30 days. */
export const events = defineTable('events', {
  columns: {
    id: column.uuid().primary(),
    type: column.word<EventType>(64),
    subject: column.word(64),
    spaceId: column.uuid().nullable(),
    onceKey: column.word(128).nullable(),
    data: column.json<EventData>(),
    createdAt: column.instant(),
  },
  // no references: an event outlives what it is about
  indexes: [{ columns: ['onceKey'], unique: true }, { columns: ['createdAt', 'id'] }],
});

/**
 * Records an event in the transaction of what happened, with a notice for each destination. False when there was one of
 * its key.
 */
export async function insertEvent(
  tx: Tx,
  { type, subject, spaceId, onceKey, data }: NewEvent,
  { destinations, now }: { readonly destinations: readonly Destination[]; readonly now: Date },
): Promise<boolean> {
  const eventId = newRowId(now);
  const count = await executeSql(
    tx,
    `insert into events (id, type, subject, space_id, once_key, data, created_at)
     values ($1, $2, $3, $4, $5, $6, $7) on conflict (once_key) do nothing`,
    [eventId, type, subject, spaceId ?? null, onceKey ?? null, data, now],
  );
  if (count === 0) return false;
  const rows = destinations.map((destination) => ({
    ...noticeOf({ eventId, type, subject }, now),
    destination,
  }));
  await insertMany(tx, notices, rows);
  return true;
}

/** Records events without keys in the transaction of what happened, with a notice of each for its destinations. */
export async function insertEvents(
  tx: Tx,
  given: readonly { readonly event: Omit<NewEvent, 'onceKey'>; readonly to: readonly Destination[] }[],
  now: Date,
): Promise<void> {
  if (given.length === 0) return;
  const rows = given.map(({ event, to }) => ({ ...event, to, id: newRowId(now) }));
  await insertMany(
    tx,
    events,
    rows.map(({ to: _, spaceId = null, ...row }) => ({ ...row, spaceId, onceKey: null, createdAt: now })),
  );
  const waiting = rows.flatMap(({ id: eventId, type, subject, to }) =>
    to.map((destination) => ({ ...noticeOf({ eventId, type, subject }, now), destination })),
  );
  await insertMany(tx, notices, waiting);
}

function noticeOf(
  event: { readonly eventId: string; readonly type: EventType; readonly subject: string },
  now: Date,
) {
  return { ...event, id: newRowId(now), createdAt: now, dueAt: now, leaseToken: null, attempts: 0 };
}

/** Events of notices by their ids. */
export async function listEvents(
  tx: Tx,
  rows: readonly Pick<NoticeRow, 'eventId'>[],
): Promise<OutgoingEvent[]> {
  if (rows.length === 0) return [];
  const { id, type, subject, data, createdAt } = events.columns;
  const text = `select id, type, subject, data, created_at from events
    where id in (${placeholders(rows.length)}) order by id`;
  return querySql(
    tx,
    { id, type, subject, data, createdAt },
    text,
    rows.map(({ eventId }) => eventId),
  );
}

/** Deletes events from before the moment, and notices of them that were never sent; how many events, at most `limit`. */
export async function deleteOldEvents(
  tx: Tx,
  before: Date,
  limit: number,
): Promise<{ readonly events: number; readonly notices: number }> {
  const old = `select id from events where created_at < $1 order by created_at, id limit ${limit}`;
  const unsent = await executeSql(tx, `delete from notices where event_id in (${old})`, [before]);
  const count = await executeSql(tx, `delete from events where id in (${old})`, [before]);
  return { events: count, notices: unsent };
}

import {
  claimDueBatch,
  column,
  defineTable,
  deleteRows,
  executeSql,
  querySql,
  type RowOf,
  type Tx,
  updateRows,
} from '@certloop/db';
import { In, LessThanOrEqual, Raw } from 'typeorm';
import type { Destination, EventType, MailDestination } from './event.js';

export const notices = defineTable('notices', {
  columns: {
    id: column.uuid().primary(),
    eventId: column.uuid(),
    destination: column.word<Destination>(8),
    /** Type and subject of the event. */
    type: column.word<EventType>(64),
    subject: column.word(64),
    createdAt: column.instant(),
    dueAt: column.instant(),
    /** Whose turn it is to send a webhook, until it is due again; of a mail, the mail that it goes with. */
    leaseToken: column.uuid().nullable(),
    /** Tries that failed. */
    attempts: column.integer(),
  },
  indexes: [
    { columns: ['destination', 'dueAt', 'id'] },
    { columns: ['destination', 'subject', 'id'] },
    { columns: ['destination', 'leaseToken', 'id'] },
    { columns: ['eventId'] },
  ],
});

/** An event that a destination has not got yet. */
export type NoticeRow = RowOf<typeof notices>;

/** A webhook that is a worker's until its lease lapses. */
export type ClaimedNotice = NoticeRow & { readonly leaseToken: string };

/** Takes webhooks that are due, the earliest first, and of each subject only the oldest. */
export async function claimWebhooks(
  tx: Tx,
  { now, token: leaseToken, until, limit }: { now: Date; token: string; until: Date; limit: number },
): Promise<ClaimedNotice[]> {
  const older = `select 1 from notices n join notices o
    on o.destination = n.destination and o.subject = n.subject and o.id < n.id`;
  const rows = await claimDueBatch(tx, {
    table: notices,
    where: {
      id: Raw((id) => `not exists (${older} where n.id = ${id})`),
      destination: 'webhook',
      dueAt: LessThanOrEqual(now),
    },
    order: { dueAt: 'ASC', id: 'ASC' },
    limit,
    set: { dueAt: until, leaseToken },
  });
  return rows.map((row) => ({ ...row, leaseToken }));
}

/** Ends notices that the destination got, or that are given up, if they are still this worker's. */
export async function deleteNotices(tx: Tx, ids: readonly string[], leaseToken: string): Promise<void> {
  if (ids.length > 0) await deleteRows(tx, notices, { id: In([...ids]), leaseToken });
}

export async function putOffNotice(
  tx: Tx,
  { id, leaseToken }: ClaimedNotice,
  change: { readonly attempts: number; readonly dueAt: Date },
): Promise<void> {
  await updateRows(tx, notices, { id, leaseToken }, { ...change, leaseToken: null });
}

/** Whether there is a mail to send. */
export async function hasMailNotice(tx: Tx, destination: MailDestination): Promise<boolean> {
  const text = 'select id from notices where destination = $1 limit 1';
  return (await querySql<Pick<NoticeRow, 'id'>>(tx, { id: column.uuid() }, text, [destination])).length > 0;
}

/** Notices that go together in one mail. */
export interface MailBatch {
  readonly destination: MailDestination;
  readonly batch: string;
}

/** Adds notices to a mail; how many, at most `limit`. */
export function addToMail(tx: Tx, { destination, batch }: MailBatch, limit: number): Promise<number> {
  return executeSql(
    tx,
    `update notices set lease_token = $1 where id in (
       select id from notices where destination = $2 and lease_token is null order by id limit ${limit})`,
    [batch, destination],
  );
}

/** The first notices of a mail. */
export function listOfMail(tx: Tx, { destination, batch }: MailBatch, limit: number): Promise<NoticeRow[]> {
  const where = { destination, leaseToken: batch };
  return tx.find(notices, { where, order: { id: 'ASC' }, take: limit });
}

/** How many notices of a mail there are of each type. */
export function countOfMail(
  tx: Tx,
  { destination, batch }: MailBatch,
): Promise<{ type: EventType; count: number }[]> {
  const columns = { type: column.word<EventType>(64), count: column.bigint() };
  const text = `select type, count(*) as count from notices
    where destination = $1 and lease_token = $2 group by type order by type`;
  return querySql(tx, columns, text, [destination, batch]);
}

/** Deletes notices of a mail that was sent; how many, at most `limit`. */
export function deleteOfMail(tx: Tx, { destination, batch }: MailBatch, limit: number): Promise<number> {
  return executeSql(
    tx,
    `delete from notices where id in (
       select id from notices where destination = $1 and lease_token = $2 order by id limit ${limit})`,
    [destination, batch],
  );
}

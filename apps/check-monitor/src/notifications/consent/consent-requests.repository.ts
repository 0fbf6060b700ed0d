import {
  column,
  defineTable,
  executeSql,
  insertIfAbsent,
  insertOrUpdate,
  querySql,
  type RowOf,
  type Tx,
  updateRows,
} from '@certloop/db';
import { secretHash } from '@certloop/server';
import type { Micros } from '../../instants.js';
import { day, hour } from './consent-limits.js';

export const consentRequests = defineTable('consent_requests', {
  columns: {
    /** SHA-256 of the mail address in lower case, hex. */
    address: column.word(64).primary(),
    /** Who caused the last mail. */
    userId: column.uuid(),
    sentAt: column.preciseInstant(),
    unanswered: column.integer(),
    declinedAt: column.preciseInstant().nullable(),
  },
  indexes: [{ columns: ['userId', 'sentAt'] }, { columns: ['sentAt'] }],
});

export type ConsentRequestRow = RowOf<typeof consentRequests>;

const nilUuid = '00000000-0000-0000-0000-000000000000';

function keyOf(address: string): string {
  return secretHash(address.trim().toLowerCase());
}

/** Notes a first mail to the address; false if there was one before. */
export function insertRequest(tx: Tx, address: string, userId: string, now: Micros): Promise<boolean> {
  const row = { address: keyOf(address), userId, sentAt: now, unanswered: 1, declinedAt: null };
  return insertIfAbsent(tx, consentRequests, row);
}

/** Returns what is remembered about the address, locked until the transaction ends. */
export async function lockRequest(tx: Tx, address: string): Promise<ConsentRequestRow | undefined> {
  const text = 'update consent_requests set unanswered = unanswered where address = $1 returning *';
  return (await querySql(tx, consentRequests.columns, text, [keyOf(address)]))[0];
}

export async function noteFurtherRequest(
  tx: Tx,
  { address, unanswered }: Pick<ConsentRequestRow, 'address' | 'unanswered'>,
  userId: string,
  now: Micros,
): Promise<void> {
  const set = { userId, sentAt: now, unanswered: unanswered + 1, declinedAt: null };
  await updateRows(tx, consentRequests, { address }, set);
}

/** Moments of the user's mails within the last hour, the oldest first. */
export async function listRecentRequests(tx: Tx, userId: string, now: Micros): Promise<Micros[]> {
  const text = 'select sent_at from consent_requests where user_id = $1 and sent_at > $2 order by sent_at';
  const { sentAt } = consentRequests.columns;
  return (await querySql(tx, { sentAt }, text, [userId, now - hour])).map((row) => row.sentAt);
}

/** The holder agreed: they may be asked a day after the last mail. */
export async function noteConsent(tx: Tx, address: string): Promise<void> {
  await updateRows(tx, consentRequests, { address: keyOf(address) }, { unanswered: 0, declinedAt: null });
}

/** The holder declined: they are not asked for a year. Counts for no user. */
export async function noteRefusal(tx: Tx, address: string, now: Micros): Promise<void> {
  const row = { address: keyOf(address), userId: nilUuid, sentAt: now, unanswered: 1, declinedAt: now };
  await insertOrUpdate(tx, consentRequests, row);
}

/** Forgets addresses that may be asked again in any case, as it is more than a year since. */
export async function deleteOldRequests(tx: Tx, now: Micros): Promise<void> {
  await executeSql(tx, 'delete from consent_requests where sent_at <= $1', [now - 366 * day]);
}

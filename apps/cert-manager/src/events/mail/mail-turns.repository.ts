import { claimDue, column, defineTable, insertIfAbsent, type RowOf, type Tx, updateRows } from '@certloop/db';
import { LessThanOrEqual } from 'typeorm';
import type { MailDestination } from '../event.js';

export const mailTurns = defineTable('mail_turns', {
  columns: {
    id: column.word(16).primary(),
    /** When the next mail may be sent, or the turn lapses. */
    dueAt: column.instant(),
    leaseToken: column.uuid().nullable(),
    /** Notices with this token go with the mail; null between two mails. */
    batch: column.uuid().nullable(),
    /** The server took the mail; its notices are being deleted. */
    isSent: column.boolean(),
    /** Tries of this mail that failed. */
    attempts: column.integer(),
  },
});

/** Whose turn it is to send mail, and the mail that is being sent. There is one row for each destination, as there is one mail to it at a time. */
export type MailTurnRow = RowOf<typeof mailTurns>;

/** A turn that is a worker's until it lapses. */
export type ClaimedTurn = MailTurnRow & { readonly leaseToken: string };

// the receivers of all notices had the only turn once
const idOf = (destination: MailDestination) => (destination === 'mail' ? 'notices' : destination);

/** Takes the turn if no other process has it and a mail may be sent. */
export async function claimMailTurn(
  tx: Tx,
  destination: MailDestination,
  { now, token, until }: { readonly now: Date; readonly token: string; readonly until: Date },
): Promise<ClaimedTurn | undefined> {
  const id = idOf(destination);
  await insertIfAbsent(tx, mailTurns, { id, dueAt: now, isSent: false, attempts: 0 });
  const turn = await claimDue(tx, {
    table: mailTurns,
    where: { id, dueAt: LessThanOrEqual(now) },
    order: { id: 'ASC' },
    set: ({ batch }) => ({ dueAt: until, leaseToken: token, batch: batch ?? token }),
  });
  return turn && { ...turn, leaseToken: token };
}

/** Changes the turn; false when it has passed to another worker. */
export async function updateMailTurn(
  tx: Tx,
  { id, leaseToken }: Pick<ClaimedTurn, 'id' | 'leaseToken'>,
  change: Partial<MailTurnRow>,
): Promise<boolean> {
  return (await updateRows(tx, mailTurns, { id, leaseToken }, change)) === 1;
}

import { claimDue, column, defineTable, insertIfAbsent, type Tx, updateRows } from '@certloop/db';
import { LessThanOrEqual } from 'typeorm';

/** Whose turn it is to send mail, and the mail that is being sent. There is one row, as there is one mail at a time. */
export interface MailTurnRow {
  readonly id: string;
  /** When the next mail may be sent, or the turn lapses. */
  readonly dueAt: Date;
  readonly leaseToken: string | null;
  /** Notices with this token go with the mail; null between two mails. */
  readonly batch: string | null;
  /** The server took the mail; its notices are being deleted. */
  readonly isSent: boolean;
  /** Tries of this mail that failed. */
  readonly attempts: number;
}

export const mailTurns = defineTable<MailTurnRow>('mail_turns', {
  columns: {
    id: column.word(16).primary(),
    dueAt: column.instant(),
    leaseToken: column.uuid().nullable(),
    batch: column.uuid().nullable(),
    isSent: column.boolean(),
    attempts: column.integer(),
  },
});

const id = 'notices';

/** Takes the turn if no other process has it and a mail may be sent. */
export async function claimMailTurn(
  tx: Tx,
  { now, token, until }: { readonly now: Date; readonly token: string; readonly until: Date },
): Promise<MailTurnRow | undefined> {
  await insertIfAbsent(tx, mailTurns, { id, dueAt: now, isSent: false, attempts: 0 });
  return claimDue(tx, {
    table: mailTurns,
    where: { id, dueAt: LessThanOrEqual(now) },
    order: { id: 'ASC' },
    set: ({ batch }) => ({ dueAt: until, leaseToken: token, batch: batch ?? token }),
  });
}

/** Changes the turn; false when it has passed to another worker. */
export async function updateMailTurn(
  tx: Tx,
  leaseToken: string,
  change: Partial<MailTurnRow>,
): Promise<boolean> {
  return (await updateRows(tx, mailTurns, { id, leaseToken }, change)) === 1;
}

import {
  claimDue,
  column,
  defineTable,
  deleteRows,
  findRow,
  insertIfAbsent,
  type RowOf,
  type Tx,
  updateRows,
} from '@certloop/db';
import { LessThanOrEqual } from 'typeorm';

export const canaryTurns = defineTable('canary_turns', {
  columns: {
    id: column.word(16).primary(),
    /** When the next step is due, or the lease ends. */
    dueAt: column.instant(),
    leaseToken: column.uuid().nullable(),
    /** Null until a check is known to exist. */
    checkUuid: column.uuid().nullable(),
    /** When the monitor accepted the ping after which the check is expected to go down; null between two rounds. */
    pingedAt: column.instant().nullable(),
  },
});

/** A check that is expected to go down, and the process that takes its next step. There is at most one row. */
export type CanaryTurnRow = RowOf<typeof canaryTurns>;

const id = 'canary';

/** The row of the canary; undefined if there is none. */
export function findCanaryTurn(tx: Tx): Promise<CanaryTurnRow | undefined> {
  return findRow(tx, canaryTurns, { id });
}

/** Makes the row if there is none. */
export async function ensureCanaryTurn(tx: Tx, now: Date): Promise<void> {
  await insertIfAbsent(tx, canaryTurns, { id, dueAt: now });
}

/** Takes the turn if it is due. */
export function claimCanaryTurn(
  tx: Tx,
  { now, token, until }: { readonly now: Date; readonly token: string; readonly until: Date },
): Promise<CanaryTurnRow | undefined> {
  return claimDue(tx, {
    table: canaryTurns,
    where: { id, dueAt: LessThanOrEqual(now) },
    order: { id: 'ASC' },
    set: () => ({ dueAt: until, leaseToken: token }),
  });
}

/** Ends the turn, unless it has passed to another process. */
export async function releaseCanaryTurn(
  tx: Tx,
  leaseToken: string,
  change: Pick<CanaryTurnRow, 'dueAt' | 'checkUuid' | 'pingedAt'>,
): Promise<void> {
  await updateRows(tx, canaryTurns, { id, leaseToken }, { ...change, leaseToken: null });
}

export async function deleteCanaryTurn(tx: Tx): Promise<void> {
  await deleteRows(tx, canaryTurns, { id });
}

import {
  claimDue,
  column,
  defineTable,
  deleteRows,
  findRow,
  insertIfAbsent,
  type Tx,
  updateRows,
} from '@certloop/db';
import { LessThanOrEqual } from 'typeorm';

/** A check that is expected to go down, and the process that takes its next step. There is at most one row. */
export interface CanaryTurnRow {
  readonly id: string;
  /** When the next step is due, or the lease ends. */
  readonly dueAt: Date;
  readonly leaseToken: string | null;
  /** Null until a check is known to exist. */
  readonly checkUuid: string | null;
  /** When the monitor accepted the ping after which the check is expected to go down; null between two rounds. */
  readonly pingedAt: Date | null;
}

export const canaryTurns = defineTable<CanaryTurnRow>('canary_turns', {
  columns: {
    id: column.word(16).primary(),
    dueAt: column.instant(),
    leaseToken: column.uuid().nullable(),
    checkUuid: column.uuid().nullable(),
    pingedAt: column.instant().nullable(),
  },
});

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

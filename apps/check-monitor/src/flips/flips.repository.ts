import { column, defineTable, executeSql, insertMany, querySql, type Tx } from '@certloop/db';
import type { Micros } from '../instants.js';
import type { FlipWindow } from './flip-window.js';

/** A change of status as stored: history and outbox in one. */
export interface FlipRow {
  readonly id: number;
  readonly checkId: number;
  readonly at: Micros;
  readonly oldStatus: string;
  readonly newStatus: string;
  /** `timeout`, `fail` or nothing. */
  readonly reason: string;
  /** When somebody took it on to tell the channels; null while nobody has. */
  readonly processedAt: Micros | null;
}

export const flips = defineTable<FlipRow>('flips', {
  columns: {
    id: column.key(),
    checkId: column.bigint(),
    at: column.preciseInstant(),
    oldStatus: column.word(6),
    newStatus: column.word(6),
    reason: column.word(10),
    processedAt: column.preciseInstant().nullable(),
  },
  indexes: [
    { columns: ['checkId', 'id'] },
    { columns: ['id'], where: 'processed_at is null', name: 'ix_flips_unprocessed' },
  ],
  references: [{ columns: ['checkId'], table: 'checks', onDelete: 'CASCADE' }],
});

/** Inserts flips in their order. */
export async function insertFlips(tx: Tx, rows: readonly Omit<FlipRow, 'id'>[]): Promise<void> {
  await insertMany(tx, flips, rows);
}

/** Flips of a check, the latest recorded one first, whatever their dates. */
export async function listFlips(tx: Tx, checkId: number, { from, before }: FlipWindow): Promise<FlipRow[]> {
  const text = 'select * from flips where check_id = $1 and at >= $2 and at < $3 order by id desc';
  return querySql(tx, flips.columns, text, [checkId, from, before]);
}

/**
 * Takes the oldest flips that nobody has taken, `most` at most; of several workers exactly one gets each. Beside other
 * processes only the first of each check: a later one must not be told while somebody else has that one in hand.
 */
export async function claimFlips(tx: Tx, now: Micros, most: number): Promise<FlipRow[]> {
  const text = `update flips set processed_at = $1 where processed_at is null and id in (
    select f.id from flips f where f.processed_at is null ${besideOthers(tx)}) returning *`;
  const taken = await querySql(tx, flips.columns, text, [now, most]);
  return taken.sort((one, other) => one.id - other.id);
}

/** A writer of SQLite is alone. */
function besideOthers(tx: Tx): string {
  if (tx.dataSource.options.type !== 'postgres') return 'order by f.id limit $2';
  return `and not exists (select 1 from flips e
      where e.processed_at is null and e.check_id = f.check_id and e.id < f.id)
    order by f.id limit $2 for update of f skip locked`;
}

export async function findFlip(tx: Tx, id: number): Promise<FlipRow | undefined> {
  return (await tx.findOneBy(flips, { id })) ?? undefined;
}

/** The flip of the same check that was recorded before this one. */
export async function findEarlierFlip(
  tx: Tx,
  { id, checkId }: Pick<FlipRow, 'id' | 'checkId'>,
): Promise<FlipRow | undefined> {
  const text = 'select * from flips where check_id = $1 and id < $2 order by id desc limit 1';
  const [earlier] = await querySql(tx, flips.columns, text, [checkId, id]);
  return earlier;
}

/** Forgets the flips of a check from before `instant`. */
export async function deleteFlipsBefore(tx: Tx, checkId: number, instant: Micros): Promise<void> {
  await executeSql(tx, 'delete from flips where check_id = $1 and at < $2', [checkId, instant]);
}

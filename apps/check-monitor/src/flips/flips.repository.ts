import {
  capabilitiesOf,
  column,
  defineTable,
  executeSql,
  inDialect,
  insertMany,
  placeholders,
  querySql,
  type RowOf,
  type Tx,
  updateRows,
} from '@certloop/db';
import { In } from 'typeorm';
import type { Micros } from '../instants.js';
import type { FlipWindow } from './flip-window.js';

export const flips = defineTable('flips', {
  columns: {
    id: column.key(),
    checkId: column.bigint(),
    at: column.preciseInstant(),
    oldStatus: column.word(6),
    newStatus: column.word(6),
    /** `timeout`, `fail` or nothing. */
    reason: column.word(10),
    /** When a worker claimed it to notify the channels; null while none has. */
    processedAt: column.preciseInstant().nullable(),
  },
  indexes: [
    { columns: ['checkId', 'id'] },
    { columns: ['id'], where: 'processed_at is null', name: 'ix_flips_unprocessed' },
  ],
  references: [{ columns: ['checkId'], table: 'checks', onDelete: 'CASCADE' }],
});

/** A change of status as stored: history and outbox in one. */
export type FlipRow = RowOf<typeof flips>;

/** Inserts flips in their order. */
export async function insertFlips(tx: Tx, rows: readonly Omit<FlipRow, 'id'>[]): Promise<void> {
  await insertMany(tx, flips, rows);
}

/** Flips of a check, the latest recorded one first, whatever their dates. */
export async function listFlips(tx: Tx, checkId: number, { from, before }: FlipWindow): Promise<FlipRow[]> {
  const text = 'select * from flips where check_id = $1 and at >= $2 and at < $3 order by id desc';
  return querySql(tx, flips.columns, text, [checkId, from, before]);
}

/** Flips of a check between two moments, both excluded; the latest recorded one first. */
export async function listFlipsBetween(
  tx: Tx,
  checkId: number,
  { after, before, limit }: { readonly after: Micros; readonly before: Micros; readonly limit: number },
): Promise<FlipRow[]> {
  const text = `select * from flips where check_id = $1 and at > $3 and at < $4 order by id desc limit $2`;
  return querySql(tx, flips.columns, text, [checkId, limit, after, before]);
}

const momentsSql = {
  sqlite: "group_concat(at, ',')",
  postgres: "string_agg(cast(at as text), ',')",
};

/** Moments at which each of some checks went down as no ping came, at most `limit` of each, by the id of the check. */
export async function listMisses(
  tx: Tx,
  checkIds: readonly number[],
  limit: number,
): Promise<ReadonlyMap<number, readonly Micros[]>> {
  if (checkIds.length === 0) return new Map();
  const misses = `select id, at from flips
    where check_id = c.id and reason = 'timeout' order by id desc limit $1`;
  const text = `select c.id, (select ${inDialect(tx, momentsSql)} from (${misses}) misses) as moments
    from checks c where c.id in (${placeholders(checkIds.length, 2)})`;
  const columns = { id: column.bigint(), moments: column.text().nullable() };
  const rows = await querySql(tx, columns, text, [limit, ...checkIds]);
  return new Map(rows.map(({ id, moments }) => [id, JSON.parse(`[${moments ?? ''}]`) as Micros[]]));
}

/** The latest flip of each of some checks that has one, by the id of the check. */
export async function listLatestFlips(
  tx: Tx,
  checkIds: readonly number[],
): Promise<ReadonlyMap<number, FlipRow>> {
  if (checkIds.length === 0) return new Map();
  const text = `select * from flips where id in
    (select max(id) from flips where check_id in (${placeholders(checkIds.length, 1)}) group by check_id)`;
  const rows = await querySql(tx, flips.columns, text, checkIds);
  return new Map(rows.map((flip) => [flip.checkId, flip]));
}

/** The moment of the latest flip of a project; undefined where none has happened. One look at the index for each check. */
export async function findLastFlipAt(tx: Tx, projectId: string): Promise<Micros | undefined> {
  const text = `select max((select at from flips where check_id = checks.id order by id desc limit 1)) as at
    from checks where project_id = $1`;
  const [last] = await querySql(tx, { at: column.preciseInstant().nullable() }, text, [projectId]);
  return last?.at ?? undefined;
}

/**
 * Claims the oldest flips that no one has claimed, at most `limit`; of several workers exactly one gets each. One whose
 * check has an earlier flip in someone else's hands is left: it must not be sent first.
 */
export async function claimFlips(tx: Tx, now: Micros, limit: number): Promise<FlipRow[]> {
  // a writer of SQLite is alone anyway
  const isShared = capabilitiesOf(tx).hasConcurrentWriters;
  const text = `update flips set processed_at = $1 where processed_at is null and id in (
    select id from flips where processed_at is null order by id limit $2
    ${isShared ? 'for update skip locked' : ''}) returning *`;
  const taken = await querySql(tx, flips.columns, text, [now, limit]);
  taken.sort((one, other) => one.id - other.id);
  return isShared ? leaveOvertaking(tx, taken) : taken;
}

/** Returns the taken flips without those that would overtake others, which it gives back. */
async function leaveOvertaking(tx: Tx, taken: readonly FlipRow[]): Promise<FlipRow[]> {
  const last = taken.at(-1);
  if (last === undefined) return [];
  const text = `select check_id, min(id) as id from flips where processed_at is null and id < $1 group by check_id`;
  const columns = { checkId: flips.columns.checkId, id: column.bigint() };
  const earlier = await querySql(tx, columns, text, [last.id]);
  const firsts = new Map(earlier.map(({ checkId, id }) => [checkId, id]));
  const overtakes = ({ checkId, id }: FlipRow) => (firsts.get(checkId) ?? id) < id;
  const left = taken.filter(overtakes).map(({ id }) => id);
  if (left.length > 0) await updateRows<FlipRow>(tx, flips, { id: In(left) }, { processedAt: null });
  return taken.filter((flip) => !overtakes(flip));
}

/** The flips with these ids, by their ids. */
export async function listFlipsById(tx: Tx, ids: readonly number[]): Promise<ReadonlyMap<number, FlipRow>> {
  if (ids.length === 0) return new Map();
  const text = `select * from flips where id in (${placeholders(ids.length, 1)})`;
  return new Map((await querySql(tx, flips.columns, text, ids)).map((flip) => [flip.id, flip]));
}

/** The flips of the same checks that were recorded before those with these ids, by the ids of the later ones. */
export async function listEarlierFlips(
  tx: Tx,
  ids: readonly number[],
): Promise<ReadonlyMap<number, FlipRow>> {
  if (ids.length === 0) return new Map();
  const text = `select l.id as later_id, e.* from flips l join flips e
      on e.id = (select max(id) from flips where check_id = l.check_id and id < l.id)
    where l.id in (${placeholders(ids.length, 1)})`;
  const rows = await querySql(tx, { ...flips.columns, laterId: column.bigint() }, text, ids);
  return new Map(rows.map(({ laterId, ...flip }) => [laterId, flip]));
}

/** Deletes the flips of a check, except those whose alerts are not sent yet. */
export async function deleteSentFlips(tx: Tx, checkId: number): Promise<void> {
  const text = `delete from flips where check_id = $1 and processed_at is not null
    and not exists (select 1 from notifications where flip_id = flips.id and settled_at is null)`;
  await executeSql(tx, text, [checkId]);
}

/** Forgets the flips of a check from before `instant`. */
export async function deleteFlipsBefore(tx: Tx, checkId: number, instant: Micros): Promise<void> {
  await executeSql(tx, 'delete from flips where check_id = $1 and at < $2', [checkId, instant]);
}

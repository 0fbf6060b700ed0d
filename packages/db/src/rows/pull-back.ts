import type { Database, Tx } from '../database.js';
import { type Column, columnName } from '../tables/columns.js';
import type { AnyTable } from '../tables/table.js';
import { slicesOf, yieldBetween } from '../transactions/yield-between.js';
import { placeholders } from './plain-sql.js';
import { executeSql, querySql, type SqlValue } from './sql.js';

/** A column of moments in the future, and how far ahead of now the rules set it at most. What lies beyond is from a wrong clock. */
export interface FutureMoment {
  readonly table: AnyTable;
  /** Property of the table. */
  readonly column: string;
  /** SQL condition of the rows that the bound applies to, over column names; all when absent. */
  readonly where?: string;
  readonly maxAheadMs: number;
  /** How long after now a moment lies at least once it is pulled back; 0 when absent. */
  readonly pauseMs?: number;
  /** Milliseconds after the pause over which the moments are spread, so that not all are due at once; 0 when absent. */
  readonly spreadMs?: number;
}

export interface PullBackTerms {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** How the columns store a moment. */
  readonly stored: (ms: number) => SqlValue;
}

// other processes store moments in the meantime, and clocks that differ by less count as equal
const toleranceMs = 60_000;
// few enough that moments are spread, and that other writers do not wait
const slice = 50;
// a column without an index is searched once for so many
const readAtOnce = 1000;

/** Pulls back what lies more than a minute beyond the bounds; the number of rows by `table.column`. */
export async function pullBackMoments(
  db: Database,
  moments: readonly FutureMoment[],
  terms: PullBackTerms,
): Promise<Readonly<Record<string, number>>> {
  const counts: Record<string, number> = {};
  for (const moment of moments) {
    const name = `${moment.table.name}.${columnName(moment.column)}`;
    const total = await pullBack(db, moment, terms);
    if (total > 0) counts[name] = (counts[name] ?? 0) + total;
  }
  return counts;
}

async function pullBack(db: Database, moment: FutureMoment, terms: PullBackTerms): Promise<number> {
  let total = 0;
  for await (const _round of yieldBetween()) {
    const keys = await db.longRead((tx) => listBeyond(tx, moment, terms));
    for await (const some of yieldBetween(slicesOf(keys, slice)))
      total += await db.transaction((tx) => pullSome(tx, moment, some, terms));
    if (keys.length < readAtOnce) break;
  }
  return total;
}

type Key = string | number;

function keyOf({ columns }: AnyTable): readonly [name: string, column: Column<Key>] {
  const [key] = Object.entries(columns).filter(([, { isPrimary }]) => isPrimary);
  const [name, column] = key ?? ['id', columns['id']];
  return [columnName(name), column as Column<Key>];
}

/** Keys of rows whose moment lies beyond. */
async function listBeyond(
  tx: Tx,
  { table, column, where, maxAheadMs }: FutureMoment,
  { now, stored }: PullBackTerms,
): Promise<Key[]> {
  const [key, ofKey] = keyOf(table);
  const condition = `${columnName(column)} > $1${where === undefined ? '' : ` and ${where}`}`;
  const text = `select ${key} as key from ${table.name} where ${condition} limit ${readAtOnce}`;
  return (await querySql(tx, { key: ofKey }, text, [stored(now + maxAheadMs + toleranceMs)])).map(
    (row) => row.key,
  );
}

/** Returns how many it has pulled back; rows that have changed in the meantime stay as they are. */
function pullSome(
  tx: Tx,
  { table, column, where = 'true', maxAheadMs, pauseMs = 0, spreadMs = 0 }: FutureMoment,
  keys: readonly Key[],
  { now, stored }: PullBackTerms,
): Promise<number> {
  // as a case, since SQLite would walk an index of the column in place of the keys
  const isBeyond = `case when ${columnName(column)} > $1 and ${where} then 1 else 0 end = 1`;
  const text = `update ${table.name} set ${columnName(column)} = $2
    where ${keyOf(table)[0]} in (${placeholders(keys.length, 3)}) and ${isBeyond}`;
  const at = now + pauseMs + Math.floor(Math.random() * spreadMs);
  return executeSql(tx, text, [stored(now + maxAheadMs + toleranceMs), stored(at), ...keys]);
}

import type { Database, Tx } from '../database.js';
import { columnName } from '../tables/columns.js';
import type { AnyTable } from '../tables/table.js';
import { yieldBetween } from '../transactions/yield-between.js';
import { executeSql, type SqlValue } from './sql.js';

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

// few enough that moments are spread, and that other writers do not wait
const slice = 50;

/** Pulls back what lies beyond the bounds; the number of rows by `table.column`. */
export async function pullBackMoments(
  db: Database,
  moments: readonly FutureMoment[],
  terms: PullBackTerms,
): Promise<Readonly<Record<string, number>>> {
  const counts: Record<string, number> = {};
  for (const moment of moments) {
    const name = `${moment.table.name}.${columnName(moment.column)}`;
    const isBeyond = await db.read((tx) => hasBeyond(tx, moment, terms));
    if (isBeyond) counts[name] = (counts[name] ?? 0) + (await pullBack(db, moment, terms));
  }
  return counts;
}

async function pullBack(db: Database, moment: FutureMoment, terms: PullBackTerms): Promise<number> {
  let total = 0;
  for await (const _round of yieldBetween()) {
    const count = await db.transaction((tx) => pullSome(tx, moment, terms));
    total += count;
    if (count < slice) break;
  }
  return total;
}

function keyOf({ columns }: AnyTable): string {
  const [key = 'id'] = Object.entries(columns).flatMap(([name, { isPrimary }]) => (isPrimary ? [name] : []));
  return columnName(key);
}

function beyond({ table, column, where }: FutureMoment): string {
  const condition = `${columnName(column)} > $1${where === undefined ? '' : ` and ${where}`}`;
  return `select ${keyOf(table)} from ${table.name} where ${condition}`;
}

async function hasBeyond(tx: Tx, moment: FutureMoment, { now, stored }: PullBackTerms): Promise<boolean> {
  return (await executeSql(tx, `${beyond(moment)} limit 1`, [stored(now + moment.maxAheadMs)])) > 0;
}

function pullSome(tx: Tx, moment: FutureMoment, { now, stored }: PullBackTerms): Promise<number> {
  const { table, column, maxAheadMs, pauseMs = 0, spreadMs = 0 } = moment;
  const text = `update ${table.name} set ${columnName(column)} = $2
    where ${keyOf(table)} in (${beyond(moment)} limit ${slice}) and ${columnName(column)} > $1`;
  const at = now + pauseMs + Math.floor(Math.random() * spreadMs);
  return executeSql(tx, text, [stored(now + maxAheadMs), stored(at)]);
}

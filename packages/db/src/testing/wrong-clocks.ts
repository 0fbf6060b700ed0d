import { randomUUID } from 'node:crypto';
import type { Database, Schema } from '../database.js';
import { type FutureMoment, pullBackMoments } from '../rows/pull-back.js';
import { executeSql, querySql, type SqlValue } from '../rows/sql.js';
import { type Column, type ColumnSpec, columnName } from '../tables/columns.js';
import { createTables, dropTables } from '../tables/schema-changes.js';
import { type AnyTable, entitiesOf } from '../tables/table.js';

const minute = 60_000;
const day = 1440 * minute;

/** Error of a clock while it stored moments, and how far ahead of the time of the correction. */
export const wrongClocks: readonly (readonly [name: string, aheadMs: number])[] = [
  ['a day ahead', day],
  ['200 days ahead', 200 * day],
  ['90 s ahead, of another process', 90_000],
  ['right, and is now a day behind', day],
];

/** The tables of the moments without what they refer to, so that a row can stand alone. */
export function standAlone(moments: readonly FutureMoment[]): Schema {
  const byName = new Map(moments.map(({ table: { name, columns } }) => [name, { name, columns }]));
  const tables: AnyTable[] = [...byName.values()];
  // copies of a database go by the names and texts of its migrations
  const name = `0001-moments-of-${[...byName.keys()].join('-')}`;
  return {
    entities: (dialect) => entitiesOf(dialect, tables),
    migrations: [
      {
        name,
        up: (runner, dialect) => createTables(runner, dialect, tables),
        down: (runner) => dropTables(runner, tables),
      },
    ],
  };
}

/** How the columns of a service store moments. */
export interface StoredMoments {
  readonly now: number;
  readonly stored: (ms: number) => SqlValue;
  readonly msOf: (value: unknown) => number;
}

/**
 * Stores two rows: one at the moment's bound, and one that lies so much later; then pulls back. Returns where both lie
 * afterwards, in milliseconds from now.
 */
export async function correctedMoments(
  db: Database,
  moment: FutureMoment,
  { now, stored, msOf }: StoredMoments,
  aheadMs: number,
): Promise<{ readonly allowed: number; readonly beyond: number }> {
  const { table, column, maxAheadMs } = moment;
  const bound = Math.floor(now + maxAheadMs);
  await db.transaction(async (tx) => {
    await executeSql(tx, `delete from ${table.name}`);
    for (const ms of [bound, bound + aheadMs]) {
      const row = { ...rowFor(moment), [columnName(column)]: stored(ms) };
      const names = Object.keys(row);
      const text = `insert into ${table.name} (${names.join(', ')}) values (${names.map((_, n) => `$${n + 1}`).join(', ')})`;
      await executeSql(tx, text, Object.values(row));
    }
  });
  await pullBackMoments(db, [moment], { now, stored });
  const spec = table.columns[column] as Column<unknown> | undefined;
  if (spec === undefined) throw new Error(`${table.name} has no ${column}`);
  const name = columnName(column);
  const rows = await db.read((tx) => querySql(tx, { at: spec }, `select ${name} as at from ${table.name}`));
  const [allowed = Number.NaN, ...others] = places(
    rows.map(({ at }) => msOf(at) - now),
    bound - now,
  );
  return { allowed, beyond: others[0] ?? Number.NaN };
}

/** The one at the bound first. */
function places(all: readonly number[], bound: number): number[] {
  const index = all.indexOf(bound);
  return index < 0 ? [] : [bound, ...all.toSpliced(index, 1)];
}

/** Values for the columns that must have one, and those that the condition of the moment asks for. */
function rowFor({ table, where = '' }: FutureMoment): Record<string, SqlValue> {
  const row: Record<string, SqlValue> = {};
  for (const [name, spec] of Object.entries(table.columns)) {
    const column = columnName(name);
    const wanted = wantedBy(where, column, spec);
    if (spec.kind !== 'key' && (!spec.isNullable || wanted !== undefined))
      row[column] = wanted ?? anyValue(spec);
  }
  return row;
}

function wantedBy(where: string, column: string, spec: ColumnSpec): SqlValue | undefined {
  const form = (rest: string) => new RegExp(String.raw`\b${column} ${rest}`).exec(where)?.[1];
  const text = form("= '(\\w+)'");
  if (text !== undefined) return text;
  const max = form(String.raw`<= (\d+)`);
  if (max !== undefined) return Number(max);
  if (form('(= true)') !== undefined) return true;
  return form('(is not null)') === undefined ? undefined : anyValue(spec);
}

function anyValue({ kind, length = 8 }: ColumnSpec): SqlValue {
  switch (kind) {
    case 'uuid':
      return randomUUID();
    case 'word':
    case 'text':
      return randomUUID().slice(0, Math.min(8, length));
    case 'boolean':
      return false;
    case 'instant':
      return new Date(0);
    case 'json':
      return {};
    case 'bytes':
      return Buffer.alloc(1);
    default:
      return 0;
  }
}

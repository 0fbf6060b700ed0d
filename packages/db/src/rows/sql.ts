import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Tx } from '../database.js';
import { capabilitiesOf, type DialectName, inDialect } from '../dialect.js';
import { type Column, type ColumnSpec, columnName } from '../tables/columns.js';
import { runnerOf } from '../transactions/backend.js';
import { cursor } from './cursor.js';

/** Value of a placeholder. Arrays and plain objects arrive as JSON text, in both databases. */
export type SqlValue = string | number | boolean | Date | Buffer | null | readonly unknown[] | JsonObject;
type JsonObject = { readonly [name: string]: unknown };

type Columns<Row> = { readonly [Name in keyof Row]: Column<Row[Name]> };

/**
 * Runs SQL that both databases understand, with placeholders `$1`, `$2` …; returns how many rows it wrote, or
 * returned. Statements are prepared once on SQLite, so values belong into placeholders.
 */
export async function executeSql(tx: Tx, text: string, values: readonly SqlValue[] = []): Promise<number> {
  const { records, affected } = await run(tx, text, values);
  return affected ?? records.length;
}

/**
 * Runs SQL as `executeSql` does and reads each row by the columns named, which may be a table's and more:
 * `querySql(tx, { ...orders.columns, total: column.bigint() }, 'select …', [now])`.
 * A property `dueAt` is read from `due_at`; what the rows lack stays out of the result.
 */
export async function querySql<Row>(
  tx: Tx,
  columns: Columns<Row>,
  text: string,
  values: readonly SqlValue[] = [],
): Promise<Row[]> {
  const { records } = await run(tx, text, values);
  if (records.length === 0) return [];
  const { read } = inDialect(tx, drivers);
  const readers = readersOf(columns);
  return records.map((record) => {
    const row: Record<string, unknown> = {};
    for (const [property, name, kind] of readers) {
      if (name in record) row[property] = read(record[name], kind);
    }
    return row as Row;
  });
}

// some milliseconds of work for who gets them
const rowsAtOnce = 500;

/**
 * As `querySql`, for many rows: gives them by up to `atOnce`, and others have a turn between two of them. The transaction
 * runs no other statement until the last ones are given.
 */
export async function* querySqlInSlices<Row>(
  tx: Tx,
  columns: Columns<Row>,
  text: string,
  values: readonly SqlValue[] = [],
  atOnce = rowsAtOnce,
): AsyncGenerator<Row[], void, undefined> {
  await run(tx, `${cursor.declare}${text}`, values);
  for (;;) {
    const rows = await querySql<Row>(tx, columns, cursor.fetch(atOnce));
    if (rows.length > 0) yield rows;
    if (rows.length < atOnce) break;
    if (capabilitiesOf(tx).isEmbedded) await nextTurn();
  }
  await run(tx, cursor.close, []);
}

type Reader = readonly [property: string, name: string, kind: ColumnSpec['kind']];

// those of a table are asked for with every row
const knownReaders = new WeakMap<object, readonly Reader[]>();

function readersOf(columns: object): readonly Reader[] {
  let readers = knownReaders.get(columns);
  if (readers === undefined) {
    readers = Object.entries<ColumnSpec>(columns as Readonly<Record<string, ColumnSpec>>).map(
      ([property, { kind }]) => [property, columnName(property), kind],
    );
    knownReaders.set(columns, readers);
  }
  return readers;
}

interface Outcome {
  readonly records: Record<string, unknown>[];
  /** Undefined for SQLite's statements that return rows. */
  readonly affected?: number;
}

function run(tx: Tx, text: string, values: readonly SqlValue[]): Promise<Outcome> {
  return runnerOf(tx).query(text, inDialect(tx, drivers).bind(values), true);
}

/** How the driver of a database takes the values of placeholders, and how a value that it gave is read. */
interface Driver {
  bind(values: readonly SqlValue[]): unknown[];
  read(value: unknown, kind: ColumnSpec['kind']): unknown;
}

const drivers: Readonly<Record<DialectName, Driver>> = {
  sqlite: { bind: bindByName, read: readFromSqlite },
  postgres: { bind: (values) => values.map(postgresValue), read: readFromPostgres },
};

/** To SQLite "$1" is a name; better-sqlite3 takes the named ones from one object. */
function bindByName(values: readonly SqlValue[]): unknown[] {
  if (values.length === 0) return [];
  const named: Record<number, unknown> = {};
  for (const [index, value] of values.entries()) named[index + 1] = sqliteValue(value);
  return [named];
}

function postgresValue(value: SqlValue): unknown {
  return isJson(value) ? JSON.stringify(value) : value;
}

function sqliteValue(value: SqlValue): unknown {
  if (typeof value === 'boolean') return value ? 1 : 0;
  // as TypeORM writes them: 2026-01-02 03:04:05.678
  if (value instanceof Date) return value.toISOString().replace('T', ' ').slice(0, -1);
  return isJson(value) ? JSON.stringify(value) : value;
}

function isJson(value: SqlValue): value is readonly unknown[] | JsonObject {
  return (
    typeof value === 'object' && value !== null && !(value instanceof Date) && !(value instanceof Uint8Array)
  );
}

function readFromPostgres(value: unknown, kind: ColumnSpec['kind']): unknown {
  return value !== null && (kind === 'bigint' || kind === 'key') ? Number(value) : value;
}

function readFromSqlite(value: unknown, kind: ColumnSpec['kind']): unknown {
  if (value === null) return null;
  if (kind === 'instant') return new Date(`${String(value).replace(' ', 'T')}Z`);
  if (kind === 'json') return JSON.parse(String(value));
  return kind === 'boolean' ? value === 1 : value;
}

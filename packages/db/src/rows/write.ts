import type { FindOptionsWhere, QueryDeepPartialEntity } from 'typeorm';
import type { Tx } from '../database.js';
import { columnName } from '../tables/columns.js';
import type { AnyTable, TableOf } from '../tables/table.js';
import { placeholders, plainCondition, writtenColumns } from './plain-sql.js';
import { executeSql, querySql, type SqlValue } from './sql.js';

/** A row to insert: whole, but for an `id` that the database counts up (`column.key()`). */
export type NewRow<Row> = Row extends { readonly id: number }
  ? Omit<Row, 'id'> & { readonly id?: number }
  : Row;

// 65535 placeholders are PostgreSQL's limit, 32766 SQLite's: enough for 80 columns
const rowsPerStatement = 400;
// plain statements stay prepared, so there must not be one for every number of rows
const maxPlainRows = 32;

/** Inserts the rows in order; none of them is read back. */
export async function insertMany<Row extends object>(
  tx: Tx,
  table: TableOf<Row>,
  rows: readonly NewRow<Row>[],
): Promise<void> {
  // plain SQL for a few: TypeORM needs several times as long as the database to say the same
  if (rows.length <= maxPlainRows) return insertFew(tx, table, rows);
  for (let start = 0; start < rows.length; start += rowsPerStatement) {
    const values = rows.slice(start, start + rowsPerStatement).map((row) => plain<Row>(row));
    // else TypeORM reads the rows again, by one condition that is too large for SQLite
    await tx.createQueryBuilder().insert().into(table).values(values).updateEntity(false).execute();
  }
}

/** Rows that have the same columns go into one statement. */
async function insertFew<Row>(tx: Tx, table: TableOf<Row>, rows: readonly object[]): Promise<void> {
  let columns = '';
  let tuples: string[] = [];
  let written: SqlValue[] = [];
  const flush = async () => {
    if (tuples.length === 0) return;
    const text = `insert into ${table.name} (${columns}) values ${tuples.join(', ')}`;
    const values = written;
    tuples = [];
    written = [];
    await executeSql(tx, text, values);
  };
  for (const row of rows) {
    const { names, values } = writtenColumns(table, row);
    const own = names.join(', ');
    if (own !== columns) await flush();
    columns = own;
    tuples.push(`(${placeholders(values.length, written.length + 1)})`);
    written.push(...values);
  }
  await flush();
}

/**
 * Inserts those of the rows, at most 32, that no unique index refuses; returns their ids. Of rows that exclude each other,
 * the first one is inserted.
 */
export async function insertUnlessTaken<Row extends { readonly id: string }>(
  tx: Tx,
  table: TableOf<Row>,
  rows: readonly Row[],
): Promise<ReadonlySet<string>> {
  const written = rows.map((row) => writtenColumns(table, row));
  const [first] = written;
  if (first === undefined) return new Set();
  const { length } = first.names;
  const tuples = written.map((_, index) => `(${placeholders(length, index * length + 1)})`);
  const text = `insert into ${table.name} (${first.names.join(', ')}) values ${tuples.join(', ')}
    on conflict do nothing returning id`;
  const values = written.flatMap((row) => row.values);
  const inserted = await querySql(tx, { id: table.columns.id }, text, values);
  return new Set(inserted.map(({ id }) => id));
}

/** A row to insert, in which columns that stay null need not be named. */
type SparseRow<Row> = Partial<Row> & {
  readonly [Name in keyof Row as null extends Row[Name] ? never : Name]: Row[Name];
};

/** Inserts the row unless there is one with its primary key; returns whether it did. */
export async function insertIfAbsent<Row extends object>(
  tx: Tx,
  table: TableOf<Row>,
  row: SparseRow<Row>,
): Promise<boolean> {
  return (await insertByKey(tx, table, row, () => 'nothing')) === 1;
}

/** Inserts the row; if there is one with its primary key, sets the other columns that it names. */
export async function insertOrUpdate<Row extends object>(
  tx: Tx,
  table: TableOf<Row>,
  row: SparseRow<Row>,
): Promise<void> {
  const setOf = (names: readonly string[]) => names.map((name) => `${name} = excluded.${name}`).join(', ');
  await insertByKey(tx, table, row, (names) =>
    names.length === 0 ? 'nothing' : `update set ${setOf(names)}`,
  );
}

/** `onConflict` gets the columns that the row names and that are not in the primary key. */
function insertByKey(
  tx: Tx,
  table: AnyTable,
  row: object,
  onConflict: (names: readonly string[]) => string,
): Promise<number> {
  const { names, values } = writtenColumns(table, row);
  const columns = Object.entries(table.columns);
  const key = columns.filter(([, { isPrimary }]) => isPrimary).map(([property]) => columnName(property));
  const others = names.filter((name) => !key.includes(name));
  const text = `insert into ${table.name} (${names.join(', ')}) values (${placeholders(values.length)})
    on conflict (${key.join(', ')}) do ${onConflict(others)}`;
  return executeSql(tx, text, values);
}

/**
 * Sets the columns of `set` in the rows that meet `where` (a list means alternatives) and returns how many did.
 * Compete by it: "set processing where pending, one row?".
 */
export async function updateRows<Row extends object>(
  tx: Tx,
  table: TableOf<Row>,
  where: FindOptionsWhere<Row> | FindOptionsWhere<Row>[],
  set: Partial<Row>,
): Promise<number> {
  const { names, values } = writtenColumns(table, set);
  const condition = plainCondition(table, where, values.length + 1);
  if (condition !== undefined && names.length > 0) {
    const changes = names.map((name, index) => `${name} = $${index + 1}`).join(', ');
    const text = `update ${table.name} set ${changes} where ${condition.text}`;
    return executeSql(tx, text, [...values, ...condition.values]);
  }
  const { affected } = await tx.update(table, where, plain<Row>(set));
  return affected ?? 0;
}

/** Deletes the rows that meet `where` (a list means alternatives) and returns how many did. */
export async function deleteRows<Row extends object>(
  tx: Tx,
  table: TableOf<Row>,
  where: FindOptionsWhere<Row> | FindOptionsWhere<Row>[],
): Promise<number> {
  const condition = plainCondition(table, where);
  if (condition !== undefined)
    return executeSql(tx, `delete from ${table.name} where ${condition.text}`, condition.values);
  const { affected } = await tx.delete(table, where);
  return affected ?? 0;
}

/** TypeORM's own type of a row to write would let every part of a JSON value be absent. */
function plain<Row extends object>(row: object): QueryDeepPartialEntity<Row> {
  return row as QueryDeepPartialEntity<Row>;
}

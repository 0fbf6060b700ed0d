import type { FindOptionsWhere, QueryDeepPartialEntity } from 'typeorm';
import type { Tx } from './database.js';
import type { TableOf } from './table.js';

/** A row to insert: whole, but for an `id` that the database counts up (`column.key()`). */
export type NewRow<Row> = Row extends { readonly id: number }
  ? Omit<Row, 'id'> & { readonly id?: number }
  : Row;

// 65535 placeholders are PostgreSQL's limit, 32766 SQLite's: enough for 80 columns
const rowsPerStatement = 400;

/** Inserts the rows in order; none of them is read back. */
export async function insertMany<Row extends object>(
  tx: Tx,
  table: TableOf<Row>,
  rows: readonly NewRow<Row>[],
): Promise<void> {
  for (let start = 0; start < rows.length; start += rowsPerStatement) {
    const values = rows.slice(start, start + rowsPerStatement).map((row) => plain<Row>(row));
    // else TypeORM reads the rows again, by one condition that is too large for SQLite
    await tx.createQueryBuilder().insert().into(table).values(values).updateEntity(false).execute();
  }
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
  const { affected } = await tx.update(table, where, plain<Row>(set));
  return affected ?? 0;
}

/** Deletes the rows that meet `where` (a list means alternatives) and returns how many did. */
export async function deleteRows<Row extends object>(
  tx: Tx,
  table: TableOf<Row>,
  where: FindOptionsWhere<Row> | FindOptionsWhere<Row>[],
): Promise<number> {
  const { affected } = await tx.delete(table, where);
  return affected ?? 0;
}

/** TypeORM's own type of a row to write would let every part of a JSON value be absent. */
function plain<Row extends object>(row: object): QueryDeepPartialEntity<Row> {
  return row as QueryDeepPartialEntity<Row>;
}

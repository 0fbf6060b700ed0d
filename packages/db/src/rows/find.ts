import type { Tx } from '../database.js';
import { columnName } from '../tables/columns.js';
import type { TableOf } from '../tables/table.js';
import { columnList, plainCondition } from './plain-sql.js';
import { querySql } from './sql.js';

/** Values that the columns of a row must have; of a list, which must not be empty, one of them. */
export type Equalities<Row> = {
  readonly [Name in keyof Row]?: Comparable<Row[Name]> | readonly Comparable<Row[Name]>[];
};
type Comparable<Value> = Value & (string | number | boolean | Date);

export interface RowOrder<Row> {
  readonly by: readonly (keyof Row & string)[];
  readonly direction: 'asc' | 'desc';
}

/**
 * Rows whose columns equal the values, by plain SQL: what TypeORM's own `find` adds is the larger part of the cost of
 * reading a few rows. Throws for a `where` that names no column.
 */
export function findRows<Row>(
  tx: Tx,
  table: TableOf<Row>,
  where: Equalities<Row>,
  { order, limit }: { readonly order?: RowOrder<Row>; readonly limit?: number } = {},
): Promise<Row[]> {
  const condition = plainCondition(table, where);
  if (condition === undefined) throw new Error(`not only equalities: ${Object.keys(where).join(', ')}`);
  const text = `select ${columnList(table)} from ${table.name} where ${condition.text}`;
  const sorted = order === undefined ? '' : ` order by ${orderList(order)}`;
  const bounded = limit === undefined ? '' : ` limit ${limit}`;
  return querySql<Row>(tx, table.columns, `${text}${sorted}${bounded}`, condition.values);
}

/** The first of the rows that `findRows` would give; undefined if there is none. */
export async function findRow<Row>(
  tx: Tx,
  table: TableOf<Row>,
  where: Equalities<Row>,
  order?: RowOrder<Row>,
): Promise<Row | undefined> {
  const [row] = await findRows(tx, table, where, { limit: 1, ...(order !== undefined && { order }) });
  return row;
}

/** Whether there is a row whose columns equal the values. */
export async function hasRow<Row>(tx: Tx, table: TableOf<Row>, where: Equalities<Row>): Promise<boolean> {
  const condition = plainCondition(table, where);
  if (condition === undefined) throw new Error(`not only equalities: ${Object.keys(where).join(', ')}`);
  const text = `select 1 from ${table.name} where ${condition.text} limit 1`;
  return (await querySql(tx, {}, text, condition.values)).length > 0;
}

function orderList<Row>({ by, direction }: RowOrder<Row>): string {
  return by.map((property) => `${columnName(property)} ${direction}`).join(', ');
}

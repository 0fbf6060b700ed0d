import type { FindManyOptions } from 'typeorm';
import type { Tx } from '../database.js';
import type { TableOf } from '../tables/table.js';

/** A window on a list: `limit` rows after skipping `offset`. */
export interface PageRequest {
  readonly limit: number;
  readonly offset: number;
}

export interface Page<Row> {
  readonly rows: Row[];
  /** How many rows the list has in all. */
  readonly total: number;
}

/** The rows of one page and the length of the list; `order` must leave no ties, or pages overlap. */
export async function findPage<Row extends object>(
  tx: Tx,
  table: TableOf<Row>,
  list: Pick<FindManyOptions<Row>, 'where'> & Required<Pick<FindManyOptions<Row>, 'order'>>,
  page: PageRequest,
): Promise<Page<Row>> {
  const [rows, total] = await tx.findAndCount(table, { ...list, take: page.limit, skip: page.offset });
  return { rows, total };
}

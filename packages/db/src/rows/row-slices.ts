import type { Database, Tx } from '../database.js';
import { capabilitiesOf } from '../dialect.js';
import type { TableOf } from '../tables/table.js';
import { yieldBetween } from '../transactions/yield-between.js';
import { columnList } from './plain-sql.js';
import { querySql } from './sql.js';

const rowsPerTransaction = 100;

/**
 * Calls `change` for each row of the table by rising id, and returns the sum of its results. A transaction locks and changes
 * 100 rows, so that others do not wait for long. A run that was cut short leaves the rows of its complete transactions
 * changed, so `change` must do nothing to a row that is as it should be.
 */
export async function changeInSlices<Row extends { readonly id: string | number }>(
  db: Database,
  table: TableOf<Row>,
  change: (tx: Tx, row: Row) => Promise<number>,
): Promise<number> {
  let total = 0;
  let last: Row['id'] | undefined;
  for await (const _round of yieldBetween()) {
    const after = last;
    const { count, next } = await db.transaction(async (tx) => {
      const rows = await lockRowsAfter(tx, table, after);
      let count = 0;
      for (const row of rows) count += await change(tx, row);
      return { count, next: rows.length < rowsPerTransaction ? undefined : rows.at(-1)?.id };
    });
    total += count;
    if (next === undefined) break;
    last = next;
  }
  return total;
}

function lockRowsAfter<Row extends { readonly id: string | number }>(
  tx: Tx,
  table: TableOf<Row>,
  after: Row['id'] | undefined,
): Promise<Row[]> {
  const where = after === undefined ? '' : 'where id > $1';
  const lock = capabilitiesOf(tx).hasConcurrentWriters ? 'for update' : '';
  const text = `select ${columnList(table)} from ${table.name} ${where} order by id limit ${rowsPerTransaction} ${lock}`;
  return querySql<Row>(tx, table.columns, text, after === undefined ? [] : [after]);
}

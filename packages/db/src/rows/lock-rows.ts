import type { FindOptionsWhere } from 'typeorm';
import type { Tx } from '../database.js';
import { capabilitiesOf } from '../dialect.js';
import type { TableOf } from '../tables/table.js';
import { columnList, plainCondition } from './plain-sql.js';
import { querySql } from './sql.js';

/**
 * Rows that meet `where`, by rising id, locked until the transaction ends: another transaction that changes, deletes or
 * locks one of them waits, and then sees the committed row.
 */
export async function lockForUpdate<Row extends { readonly id: string | number }>(
  tx: Tx,
  table: TableOf<Row>,
  where: FindOptionsWhere<Row> | FindOptionsWhere<Row>[],
): Promise<Row[]> {
  return lockedRows(tx, table, where, 'pessimistic_write');
}

/** The same for changes of no key: rows that refer to the locked ones can be inserted meanwhile. */
export async function lockForChange<Row extends { readonly id: string | number }>(
  tx: Tx,
  table: TableOf<Row>,
  where: FindOptionsWhere<Row> | FindOptionsWhere<Row>[],
): Promise<Row[]> {
  return lockedRows(tx, table, where, 'for_no_key_update');
}

/** The same, locked only against deletion: other transactions that share the lock do not wait. */
export async function lockForShare<Row extends { readonly id: string | number }>(
  tx: Tx,
  table: TableOf<Row>,
  where: FindOptionsWhere<Row> | FindOptionsWhere<Row>[],
): Promise<Row[]> {
  return lockedRows(tx, table, where, 'for_key_share');
}

async function lockedRows<Row extends { readonly id: string | number }>(
  tx: Tx,
  table: TableOf<Row>,
  where: FindOptionsWhere<Row> | FindOptionsWhere<Row>[],
  lock: keyof typeof locks,
): Promise<Row[]> {
  const condition = plainCondition(table, where);
  if (condition !== undefined) {
    const suffix = capabilitiesOf(tx).hasConcurrentWriters ? locks[lock] : '';
    const text = `select ${columnList(table)} from ${table.name} where ${condition.text} order by id ${suffix}`;
    return querySql<Row>(tx, table.columns, text, condition.values);
  }
  // always in one order, so that two transactions that lock the same rows do not deadlock
  const query = tx.createQueryBuilder(table, 'locked').where(where).orderBy('locked.id');
  // where there are no row locks, none are needed, as writers take turns
  if (capabilitiesOf(tx).hasConcurrentWriters) query.setLock(lock);
  return query.getMany();
}

const locks = {
  pessimistic_write: 'for update',
  for_no_key_update: 'for no key update',
  for_key_share: 'for key share',
} as const;

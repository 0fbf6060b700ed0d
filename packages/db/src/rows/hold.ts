import type { FindOptionsWhere } from 'typeorm';
import type { Tx } from '../database.js';
import { capabilitiesOf } from '../dialect.js';
import type { TableOf } from '../tables/table.js';
import { columnList, plainCondition } from './plain-sql.js';
import { querySql } from './sql.js';

/**
 * Rows that meet `where`, by rising id, held until the transaction ends: who wants to change, delete or hold
 * one of them meanwhile waits, and then sees it as it was left.
 */
export async function holdRows<Row extends { readonly id: string | number }>(
  tx: Tx,
  table: TableOf<Row>,
  where: FindOptionsWhere<Row> | FindOptionsWhere<Row>[],
): Promise<Row[]> {
  return lockedRows(tx, table, where, 'pessimistic_write');
}

/** The same, but for who only wants them not to be deleted meanwhile: no one else has to wait. */
export async function keepRows<Row extends { readonly id: string | number }>(
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
  lock: 'pessimistic_write' | 'for_key_share',
): Promise<Row[]> {
  const condition = plainCondition(table, where);
  if (condition !== undefined) {
    const held = capabilitiesOf(tx).hasConcurrentWriters ? locks[lock] : '';
    const text = `select ${columnList(table)} from ${table.name} where ${condition.text} order by id ${held}`;
    return querySql<Row>(tx, table.columns, text, condition.values);
  }
  // in one order always, so that two who hold the same rows do not wait for each other
  const query = tx.createQueryBuilder(table, 'held').where(where).orderBy('held.id');
  // where there are no row locks, none are needed, as writers take turns
  if (capabilitiesOf(tx).hasConcurrentWriters) query.setLock(lock);
  return query.getMany();
}

const locks = { pessimistic_write: 'for update', for_key_share: 'for key share' } as const;

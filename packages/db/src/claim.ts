import type { FindOptionsOrder, FindOptionsWhere } from 'typeorm';
import type { Tx } from './database.js';
import { onSqlite } from './doors.js';
import type { TableOf } from './table.js';
import { updateRows } from './write.js';

export interface Claim<Row> {
  readonly table: TableOf<Row>;
  /** Which rows are due; a list means alternatives, such as waiting ones and ones whose lease has lapsed. */
  readonly where: FindOptionsWhere<Row> | FindOptionsWhere<Row>[];
  /** Which of them comes first. */
  readonly order: FindOptionsOrder<Row>;
  /** What marks a row as taken; the row must no longer be due then. */
  readonly set: (row: Row) => Partial<Row>;
}

/**
 * The first due row, now marked as taken, or undefined when nothing is due. Of several workers, in one process or
 * many, exactly one gets a row: the others get the next one or nothing.
 *
 * With a lease and a count of attempts, work survives its worker, and a worker that woke too late cannot settle:
 *
 *     claimDue(tx, {
 *       table: jobs,
 *       where: [
 *         { status: 'pending', dueAt: LessThanOrEqual(now) },
 *         { status: 'processing', leaseUntil: LessThanOrEqual(now) },
 *       ],
 *       order: { dueAt: 'ASC' },
 *       set: ({ attempt }) => ({ status: 'processing', leaseUntil, attempt: attempt + 1 }),
 *     });
 *     // later, in another transaction: 0 when the lease has passed to somebody else
 *     updateRows(tx, jobs, { id, attempt, status: 'processing' }, { status: 'completed' });
 */
export async function claimDue<Row extends object>(tx: Tx, claim: Claim<Row>): Promise<Row | undefined> {
  const { table, where, order, set } = claim;
  const [row] = await tx.find(table, {
    where,
    order,
    take: 1,
    // rows that others are about to take are passed over instead of waited for
    ...(!onSqlite(tx) && { lock: { mode: 'pessimistic_write', onLocked: 'skip_locked' } }),
  });
  if (row === undefined) return undefined;
  const taken = set(row);
  const count = await updateRows(tx, table, sameAndDue(table, row, where), taken);
  return count === 1 ? { ...row, ...taken } : undefined;
}

/** The row by its key, provided that it is still due. */
function sameAndDue<Row extends object>(
  table: TableOf<Row>,
  row: Row,
  where: Claim<Row>['where'],
): FindOptionsWhere<Row>[] {
  const properties = Object.keys(table.columns) as (keyof Row & string)[];
  const keys = properties.filter((property) => table.columns[property].isPrimary);
  const same = Object.fromEntries(keys.map((key) => [key, row[key]])) as FindOptionsWhere<Row>;
  return [where].flat().map((condition) => Object.assign({}, condition, same));
}

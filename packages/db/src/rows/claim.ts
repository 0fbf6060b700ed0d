import { InvariantFailed } from '@certloop/contracts';
import { type FindOptionsOrder, type FindOptionsWhere, In } from 'typeorm';
import type { Tx } from '../database.js';
import { capabilitiesOf } from '../dialect.js';
import { columnName } from '../tables/columns.js';
import type { TableOf } from '../tables/table.js';
import { columnList, plainCondition } from './plain-sql.js';
import { querySql } from './sql.js';
import { updateRows } from './write.js';

export interface Claim<Row> {
  readonly table: TableOf<Row>;
  /** Which rows are due; a list means alternatives, such as waiting ones and ones whose lease has lapsed. */
  readonly where: FindOptionsWhere<Row> | FindOptionsWhere<Row>[];
  /** Which of them comes first. */
  readonly order: FindOptionsOrder<Row>;
  /** Returns the columns that mark a row as taken; the row must no longer be due then. */
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
 *     // later, in another transaction: 0 when the lease has passed to someone else
 *     updateRows(tx, jobs, { id, attempt, status: 'processing' }, { status: 'completed' });
 */
export async function claimDue<Row extends object>(tx: Tx, claim: Claim<Row>): Promise<Row | undefined> {
  const { table, where, set } = claim;
  const [row] = await findDue(tx, claim, 1);
  if (row === undefined) return undefined;
  const taken = set(row);
  const count = await updateRows(tx, table, sameAndDue(table, row, where), taken);
  return count === 1 ? { ...row, ...taken } : undefined;
}

export interface BatchClaim<Row> extends Pick<Claim<Row>, 'table' | 'where' | 'order'> {
  /** How many rows at most. */
  readonly limit: number;
  /** Which of the due rows are taken, where some exclude each other; all when absent. */
  readonly choose?: (due: readonly Row[]) => readonly Row[];
  /** Columns that mark the rows as taken; they must no longer be due then. */
  readonly set: Partial<Row>;
}

/** The first due rows, now marked as taken by one statement; each is one worker's, as with `claimDue`. */
export async function claimDueBatch<Row extends { readonly id: string | number }>(
  tx: Tx,
  { limit, choose, set, ...claim }: BatchClaim<Row>,
): Promise<Row[]> {
  const due = await findDue(tx, claim, limit);
  const chosen = choose === undefined ? due : [...choose(due)];
  if (chosen.length === 0) return [];
  const theirs = { id: In(chosen.map(({ id }) => id)) };
  const alternatives = [claim.where].flat().map((condition) => Object.assign({}, condition, theirs));
  const count = await updateRows(tx, claim.table, alternatives as FindOptionsWhere<Row>[], set);
  // they are locked, or this is the only writer
  if (count !== chosen.length)
    throw new InvariantFailed(`${chosen.length} rows were due, but ${count} could be taken`);
  return chosen.map((row) => ({ ...row, ...set }));
}

function findDue<Row extends object>(
  tx: Tx,
  { table, where, order }: Pick<Claim<Row>, 'table' | 'where' | 'order'>,
  take: number,
): Promise<Row[]> {
  const condition = plainCondition(table, where);
  const sorted = plainOrder(order);
  if (condition !== undefined && sorted !== undefined) {
    const locked = capabilitiesOf(tx).hasConcurrentWriters ? ' for update skip locked' : '';
    const from = `select ${columnList(table)} from ${table.name} where ${condition.text}`;
    const text = `${from} order by ${sorted} limit ${take}${locked}`;
    return querySql<Row>(tx, table.columns, text, condition.values);
  }
  return tx.find(table, {
    where,
    order,
    take,
    // rows that others are about to take are passed over instead of waited for
    ...(capabilitiesOf(tx).hasConcurrentWriters && {
      lock: { mode: 'pessimistic_write', onLocked: 'skip_locked' },
    }),
  });
}

/** The order as SQL where it is no more than columns and directions. */
function plainOrder(order: object): string | undefined {
  const entries = Object.entries(order);
  const isPlain = entries.every(([, direction]) => direction === 'ASC' || direction === 'DESC');
  if (!isPlain || entries.length === 0) return undefined;
  return entries.map(([property, direction]) => `${columnName(property)} ${direction}`).join(', ');
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

import { longestPage } from '@certloop/contracts';
import { type Column, column, querySql, type SqlValue, type Tx } from '@certloop/db';
import { isWhole, type ListPage, type ListWindow } from './list-page.js';

/** A list that is sorted by a moment, then by id, with an index for both. */
export interface SortedList<Row> {
  /** The table, or the columns of it that are read. */
  readonly table: {
    readonly name: string;
    readonly columns: { readonly [Name in keyof Row]: Column<Row[Name]> };
  };
  readonly by: keyof Row & ('createdAt' | 'scheduledAt');
  /** Columns, in the words of the database, and the values of which each must have one. */
  readonly where?: Readonly<Record<string, readonly SqlValue[]>>;
}

const columnOf = { createdAt: 'created_at', scheduledAt: 'scheduled_at' } as const;

/** Part of the list, or all of it; what the part costs does not grow with what comes before it. */
export async function readListPage<Row extends { readonly id: string }>(
  tx: Tx,
  list: SortedList<Row>,
  window: ListWindow,
): Promise<ListPage<Row>> {
  if (isWhole(window)) {
    const rows = await readRows(tx, list, {});
    return { rows, total: rows.length, next: undefined };
  }
  const limit = window.limit ?? longestPage;
  const total = await countRows(tx, list);
  const rows = await readRows(tx, list, { ...window, limit: limit + 1 });
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const isLast = rows.length <= limit || last === undefined;
  // the table's columns say that the moment is one
  const next = isLast ? undefined : { at: last[list.by] as Date, id: last.id };
  return { rows: shown, total, next };
}

function readRows<Row>(tx: Tx, list: SortedList<Row>, { limit, cursor }: ListWindow): Promise<Row[]> {
  const by = columnOf[list.by];
  const condition = conditionOf(list);
  if (cursor !== undefined) {
    const at = `$${condition.values.push(cursor.at)}`;
    condition.parts.push(`(${by}, id) > (${at}, $${condition.values.push(cursor.id)})`);
  }
  const { columns } = list.table;
  const names = Object.keys(columns).map(snakeCase);
  const bound = limit === undefined ? '' : `limit ${limit}`;
  const text = `select ${names.join(', ')} from ${list.table.name} ${whereOf(condition)}`;
  return querySql(tx, columns, `${text} order by ${by}, id ${bound}`, condition.values);
}

async function countRows<Row>(tx: Tx, list: SortedList<Row>): Promise<number> {
  const condition = conditionOf(list);
  const text = `select count(*) as count from ${list.table.name} ${whereOf(condition)}`;
  const [counted] = await querySql(tx, { count: column.bigint() }, text, condition.values);
  return counted?.count ?? 0;
}

interface Condition {
  readonly parts: string[];
  readonly values: SqlValue[];
}

function conditionOf<Row>({ where = {} }: SortedList<Row>): Condition {
  const values: SqlValue[] = [];
  const parts = Object.entries(where).map(([name, among]) => {
    const places = among.map((value) => `$${values.push(value)}`);
    return places.length === 1 ? `${name} = ${places[0]}` : `${name} in (${places.join(', ') || 'null'})`;
  });
  return { parts, values };
}

function whereOf({ parts }: Condition): string {
  return parts.length === 0 ? '' : `where ${parts.join(' and ')}`;
}

function snakeCase(property: string): string {
  return property.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

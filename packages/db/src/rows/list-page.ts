import { type ListPosition, maxPageSize } from '@certloop/contracts';
import type { Database, Tx } from '../database.js';
import { type Column, column, columnName } from '../tables/columns.js';
import { querySql, querySqlInSlices, type SqlValue } from './sql.js';

/** The requested part of a list: all rows if both are absent, else `limit` rows after the position. */
export interface ListWindow {
  /** 1 to 1000; 1000 when only the position is given. */
  readonly limit?: number | undefined;
  readonly cursor?: ListPosition | undefined;
}

/** Part of a list. */
export interface ListPage<Row> {
  readonly rows: readonly Row[];
  /** Number of rows in the whole list. */
  readonly total: number;
  /** Position of the last row when more follow. */
  readonly next: ListPosition | undefined;
}

/** Whether that is the list from its beginning to its end. */
export function isWholeList({ limit, cursor }: ListWindow): boolean {
  return limit === undefined && cursor === undefined;
}

/** The page with its rows changed into something else. */
export function mapPage<From, To>(page: ListPage<From>, change: (row: From) => To): ListPage<To> {
  return { ...page, rows: page.rows.map(change) };
}

/**
 * Returns what `read` makes of a list. A whole list that is longer than a page is read where no other request waits for
 * it; whether it is that long turns out by its first page.
 */
export async function readList<Row>(
  db: Database,
  window: ListWindow,
  read: (tx: Tx, window: ListWindow) => Promise<ListPage<Row>>,
): Promise<ListPage<Row>> {
  if (!isWholeList(window)) return db.read((tx) => read(tx, window));
  const first = await db.read((tx) => read(tx, { limit: maxPageSize }));
  return first.next === undefined ? first : db.longRead((tx) => read(tx, window));
}

/** A list that is sorted by a moment, then by id, with an index for both. */
export interface SortedList<Row> {
  /** The table, or the columns of it that are read. */
  readonly table: {
    readonly name: string;
    readonly columns: { readonly [Name in keyof Row]: Column<Row[Name]> };
  };
  readonly by: keyof Row & ('createdAt' | 'scheduledAt');
  /** Descending: the latest moment first. */
  readonly isNewestFirst?: boolean;
  /** Columns, in the words of the database, and the values of which each must have one. */
  readonly where?: Readonly<Record<string, readonly SqlValue[]>>;
  /** Further conditions in the words of the database; `place` puts a value into the query and returns its placeholder. */
  readonly also?: (place: (value: SqlValue) => string) => readonly string[];
  /** A column of `where` that begins an index which goes on with the moment and the id. */
  readonly groupedBy?: string;
}

/** Part of the list, or all of it; what the part costs does not grow with what comes before it. */
export async function readListPage<Row extends { readonly id: string }>(
  tx: Tx,
  list: SortedList<Row>,
  window: ListWindow,
): Promise<ListPage<Row>> {
  if (isWholeList(window)) {
    const rows: Row[] = [];
    for await (const slice of querySqlInSlices<Row>(tx, ...selectRows(list, {}))) rows.push(...slice);
    return { rows, total: rows.length, next: undefined };
  }
  const limit = window.limit ?? maxPageSize;
  const rows = await querySql<Row>(tx, ...selectRows(list, { ...window, limit: limit + 1 }));
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const isLast = rows.length <= limit || last === undefined;
  // the table's columns say that the moment is one
  const next = isLast ? undefined : { at: last[list.by] as Date, id: last.id };
  const isAll = isLast && window.cursor === undefined;
  const total = isAll ? shown.length : await countRows(tx, list);
  return { rows: shown, total, next };
}

type Selection<Row> = [columns: SortedList<Row>['table']['columns'], text: string, values: SqlValue[]];

function selectRows<Row>(list: SortedList<Row>, { limit, cursor }: ListWindow): Selection<Row> {
  const { columns, name } = list.table;
  const by = columnName(list.by);
  const [direction, beyond] = list.isNewestFirst === true ? ['desc', '<'] : ['asc', '>'];
  const order = `order by ${by} ${direction}, id ${direction} ${limit === undefined ? '' : `limit ${limit}`}`;
  const names = Object.keys(columns).map(columnName).join(', ');
  const values: SqlValue[] = [];
  const parts = partsOf(list, limit).map((where) => {
    const conditions = conditionsOf({ ...list, where }, values);
    if (cursor !== undefined) {
      const at = `$${values.push(cursor.at)}`;
      conditions.push(`(${by}, id) ${beyond} (${at}, $${values.push(cursor.id)})`);
    }
    return `select ${names} from ${name} ${whereOf(conditions)} ${order}`;
  });
  const [only = ''] = parts;
  const text = parts.length === 1 ? only : `select ${names} from (${unionOf(parts)}) as parts ${order}`;
  return [columns, text, values];
}

type Where = Readonly<Record<string, readonly SqlValue[]>>;

// SQLite joins at most 500 selections
const maxParts = 200;

/**
 * Returns what to read for a page: of a list whose index is grouped, the page of each group, as sorting all groups
 * together would read every row of theirs.
 */
function partsOf<Row>({ where = {}, groupedBy }: SortedList<Row>, limit: number | undefined): Where[] {
  const groups = groupedBy === undefined || limit === undefined ? [] : (where[groupedBy] ?? []);
  if (groupedBy === undefined || groups.length < 2 || groups.length > maxParts) return [where];
  return groups.map((group) => ({ ...where, [groupedBy]: [group] }));
}

function unionOf(parts: readonly string[]): string {
  return parts.map((part, index) => `select * from (${part}) as part${index}`).join(' union all ');
}

async function countRows<Row>(tx: Tx, list: SortedList<Row>): Promise<number> {
  const values: SqlValue[] = [];
  const conditions = conditionsOf(list, values);
  const text = `select count(*) as count from ${list.table.name} ${whereOf(conditions)}`;
  const [counted] = await querySql(tx, { count: column.bigint() }, text, values);
  return counted?.count ?? 0;
}

/** Conditions, whose values are added to `values`. */
function conditionsOf<Row>(
  { where = {}, also }: Pick<SortedList<Row>, 'where' | 'also'>,
  values: SqlValue[],
): string[] {
  const place = (value: SqlValue) => `$${values.push(value)}`;
  const byColumn = Object.entries(where).map(([name, among]) => {
    const places = among.map(place);
    return places.length === 1 ? `${name} = ${places[0]}` : `${name} in (${places.join(', ') || 'null'})`;
  });
  return [...byColumn, ...(also?.(place) ?? [])];
}

function whereOf(conditions: readonly string[]): string {
  return conditions.length === 0 ? '' : `where ${conditions.join(' and ')}`;
}

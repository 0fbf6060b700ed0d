import { maxPageSize } from '@certloop/contracts';
import {
  type Column,
  column,
  columnName,
  isWholeList,
  type ListPage,
  type ListWindow,
  querySql,
  querySqlInSlices,
  type SqlValue,
  type Tx,
} from '@certloop/db';

/** A row that has a number among those of its FQDN, in the order of their storing. */
interface StoredRow {
  readonly id: string;
  readonly createdAt: Date;
}

/** A table of such rows, with an index over `fqdn_id` and `position`. */
interface StoredTable<Row> {
  readonly name: string;
  readonly columns: { readonly [Name in keyof Row]: Column<Row[Name]> };
}

/** The requested part of such a list. */
export interface StoredWindow extends ListWindow {
  /** `desc` begins with the newest row; the oldest is first if it is absent. */
  readonly order?: 'asc' | 'desc' | undefined;
}

/**
 * Rows of an FQDN in the order of their storing, whatever clocks said: all, or a page. A page after a row that is gone
 * is the first one again. `condition` is SQL about the rows that are listed.
 */
export async function readStoredPage<Row extends StoredRow>(
  tx: Tx,
  table: StoredTable<Row>,
  fqdnId: string,
  window: StoredWindow,
  condition = 'true',
): Promise<ListPage<Row>> {
  const listed = { table, fqdnId, condition };
  if (isWholeList(window)) {
    const rows = await readRows(tx, selectRows(listed, { order: window.order }));
    return { rows, total: rows.length, next: undefined };
  }
  const limit = window.limit ?? maxPageSize;
  const selection = selectRows(listed, { ...window, limit: limit + 1 });
  const rows = isShortPage(window) ? await querySql<Row>(tx, ...selection) : await readRows(tx, selection);
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const isLast = rows.length <= limit || last === undefined;
  const isAll = isLast && window.cursor === undefined;
  return {
    rows: shown,
    total: isAll ? shown.length : await countRows(tx, listed),
    next: isLast ? undefined : { at: last.createdAt, id: last.id },
  };
}

// each may have texts of some 100 KiB
const rowsAtOnce = 50;

/** Whether `read` is the right one for the page; `longRead` is for all others. */
export function isShortPage({ limit = maxPageSize }: ListWindow): boolean {
  return limit <= rowsAtOnce;
}

async function readRows<Row>(tx: Tx, selection: Selection<Row>): Promise<Row[]> {
  const rows: Row[] = [];
  for await (const slice of querySqlInSlices<Row>(tx, ...selection, rowsAtOnce)) rows.push(...slice);
  return rows;
}

interface Listed<Row> {
  readonly table: StoredTable<Row>;
  readonly fqdnId: string;
  readonly condition: string;
}

async function countRows<Row>(tx: Tx, { table, fqdnId, condition }: Listed<Row>): Promise<number> {
  const text = `select count(*) as count from ${table.name} where fqdn_id = $1 and ${condition}`;
  const [counted] = await querySql(tx, { count: column.bigint() }, text, [fqdnId]);
  return counted?.count ?? 0;
}

// the largest integer of a column
const maxPosition = 2_147_483_647;

type Selection<Row> = [columns: StoredTable<Row>['columns'], text: string, values: SqlValue[]];

function selectRows<Row>(
  { table: { name, columns }, fqdnId, condition }: Listed<Row>,
  { limit, cursor, order = 'asc' }: StoredWindow,
): Selection<Row> {
  const values: SqlValue[] = [fqdnId];
  const [beyond, start] = order === 'asc' ? ['>', 0] : ['<', maxPosition];
  const names = Object.keys(columns).map(columnName).join(', ');
  let text = `select ${names} from ${name} where fqdn_id = $1 and ${condition}`;
  if (cursor !== undefined) {
    values.push(cursor.id);
    // by the row and not by the moment in the cursor, which came from a clock
    text += ` and position ${beyond} coalesce((select c.position from ${name} c where c.id = $2 and c.fqdn_id = $1), ${start})`;
  }
  text += ` order by position ${order}${limit === undefined ? '' : ` limit ${limit}`}`;
  return [columns, text, values];
}

import { formatListCursor, type ListPosition } from '@certloop/contracts';

/** Which part of a list is wanted: all of it without either, else `limit` rows after the position. */
export interface ListWindow {
  /** 1 to 1000; 1000 when only the position is given. */
  readonly limit?: number | undefined;
  readonly cursor?: ListPosition | undefined;
}

/** Part of a list. */
export interface ListPage<Row> {
  readonly rows: readonly Row[];
  /** How many rows the list has in all. */
  readonly total: number;
  /** Position of the last row when more follow. */
  readonly next: ListPosition | undefined;
}

/** Whether that is the list from its beginning to its end. */
export function isWhole({ limit, cursor }: ListWindow): boolean {
  return limit === undefined && cursor === undefined;
}

/** The rows changed into something else, each at the moment when it is taken. */
export function eachOf<From, To>(rows: readonly From[], change: (row: From) => To): Iterable<To> {
  return {
    *[Symbol.iterator]() {
      for (const row of rows) yield change(row);
    },
  };
}

/** The page with its rows changed into something else. */
export function mapPage<From, To>(page: ListPage<From>, change: (row: From) => To): ListPage<To> {
  return { ...page, rows: page.rows.map(change) };
}

/**
 * Headers of a page: how long the list is, and where the next page is (RFC 8288). `path` and `query` are those of
 * the request; what the query lacks is undefined.
 */
export function pageHeaders(
  { total, next }: ListPage<unknown>,
  path: string,
  query: Readonly<Record<string, unknown>>,
): Readonly<Record<string, string>> {
  const headers = { 'X-Total-Count': String(total) };
  if (next === undefined) return headers;
  const link = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (name !== 'cursor' && value !== undefined) link.set(name, String(value));
  }
  link.set('cursor', formatListCursor(next));
  return { ...headers, Link: `<${path}?${link}>; rel="next"` };
}

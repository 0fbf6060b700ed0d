import { useEffect, useReducer, useRef } from 'react';
import { steadyRows } from './steady-rows.js';
import type { useList } from './use-list.browser.js';

/**
 * The list with its rows in the places in which they are shown, whatever order a later load brings, until `sortAnew` is
 * called or the subject changes: what the list is about, with its search, its order and the rights of the reader. A row
 * that is loaded no more stays only where it may be on a page that is not loaded.
 */
export function useSteadyList<Row>(
  list: ReturnType<typeof useList<Row>>,
  keyOf: (row: Row) => string,
  subject: string,
) {
  const { query, rows: loaded, more } = list;
  const [, draw] = useReducer((count: number) => count + 1, 0);
  const last = useRef<{ readonly subject: string; readonly rows: readonly Row[] }>(undefined);
  // rows of the cache that are being loaded again may show what was deleted since
  const begun = useRef({ subject, at: query.dataUpdatedAt, isRead: false });
  if (begun.current.subject !== subject) {
    begun.current = { subject, at: query.dataUpdatedAt, isRead: false };
  }
  // the rows of the search before stand in for those of this one until they are there
  const isOfSubject = last.current?.subject === subject && !query.isPlaceholderData;
  const before = isOfSubject ? (last.current?.rows ?? []) : [];
  const keys = more === undefined ? new Set(loaded?.map(keyOf)) : undefined;
  const shown = keys === undefined ? before : before.filter((row) => keys.has(keyOf(row)));
  const { rows, moved } =
    loaded === undefined || loaded.length === 0 || shown.length === 0
      ? { rows: loaded, moved: 0 }
      : steadyRows(shown, loaded, keyOf);
  useEffect(() => {
    const { current } = begun;
    current.isRead ||= query.dataUpdatedAt !== current.at || !query.isFetching;
    const isShown = current.isRead && !query.isPlaceholderData && rows !== undefined;
    last.current = isShown ? { subject, rows } : undefined;
  });
  return {
    ...list,
    rows,
    moved,
    sortAnew: () => {
      last.current = undefined;
      draw();
    },
  };
}

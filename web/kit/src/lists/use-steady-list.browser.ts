import { useEffect, useReducer, useRef } from 'react';
import { steadyRows } from './steady-rows.js';
import type { useList } from './use-list.browser.js';

/**
 * The list with its rows in the places in which they are shown, whatever order a later load brings, until `sortAnew` is
 * called or the subject changes: what the list is about, with its search and its order.
 */
export function useSteadyList<Row>(
  list: ReturnType<typeof useList<Row>>,
  keyOf: (row: Row) => string,
  subject: string,
) {
  const { query, rows: loaded } = list;
  const [, draw] = useReducer((count: number) => count + 1, 0);
  const last = useRef<{ readonly subject: string; readonly rows: readonly Row[] }>(undefined);
  // the rows of the search before stand in for those of this one until they are there
  const isOfSubject = last.current?.subject === subject && !query.isPlaceholderData;
  const shown = isOfSubject ? (last.current?.rows ?? []) : [];
  const { rows, moved } =
    loaded === undefined || loaded.length === 0 || shown.length === 0
      ? { rows: loaded, moved: 0 }
      : steadyRows(shown, loaded, keyOf);
  useEffect(() => {
    last.current = query.isPlaceholderData || rows === undefined ? undefined : { subject, rows };
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

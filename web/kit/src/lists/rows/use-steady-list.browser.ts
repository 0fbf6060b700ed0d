import { useQueries } from '@tanstack/react-query';
import { useEffect, useReducer, useRef, useState } from 'react';
import type { QueryFacts } from '../../operations/query-options.js';
import { statusOf } from '../../service/refusal.js';
import type { useList } from '../pages/use-list.browser.js';
import { rowsToAsk } from './rows-to-ask.js';
import { steadyRows } from './steady-rows.js';

/** By what rows are the same, and what the list is about. */
export interface SteadyOptions<Row> {
  readonly keyOf: (row: Row) => string;
  /** Subject of the list, with its search, its order and the rights of the reader. */
  readonly subject: string;
  /**
   * Query of one row in the background, under a key of its own, which fails with 404 if the row is gone. Without it, a
   * row that is not among the loaded ones any more leaves the list.
   */
  readonly find?: (row: Row) => FindQuery<Row>;
  /**
   * Whether the filter of the list still finds a row, for filters by what changes. Such a list keeps a row that fits no
   * more in its place, and says how many there are.
   */
  readonly fits?: ((row: Row) => boolean) | undefined;
}

interface FindQuery<Row> {
  readonly queryKey: readonly unknown[];
  readonly meta: QueryFacts;
  readonly queryFn: (context: { readonly signal: AbortSignal }) => Promise<Row>;
}

/** Members of a query that count here, of one page or of many. */
interface RowsQuery {
  readonly dataUpdatedAt: number;
  readonly isFetching: boolean;
  readonly isPlaceholderData: boolean;
}

/** A list whose rows stay in their places: see `useSteadyRows`. */
export function useSteadyList<Row>(list: ReturnType<typeof useList<Row>>, options: SteadyOptions<Row>) {
  const { query, rows, more } = list;
  return { ...list, ...useSteadyRows(query, { rows, hasMore: more !== undefined }, options) };
}

/**
 * The rows in the places in which they are shown, whatever order a later load brings, until `sortAnew` is called or the
 * subject changes. A row that is loaded no more stays only if it may be on a later page or fit the filter no more, and the
 * service still has it.
 */
export function useSteadyRows<Row>(
  query: RowsQuery,
  { rows: loaded, hasMore }: { readonly rows: readonly Row[] | undefined; readonly hasMore: boolean },
  { keyOf, subject, find, fits }: SteadyOptions<Row>,
) {
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
  const keys = new Set(loaded?.map(keyOf));
  const missing = before.filter((row) => !keys.has(keyOf(row)));
  // of many rows that a filter may find no more, the others leave
  const sought = fits !== undefined ? missing.slice(0, maxAsked) : hasMore ? missing : [];
  const { found: elsewhere, pending } = useElsewhere(sought, keyOf, find);
  const shown = before.flatMap((row) => (keys.has(keyOf(row)) ? [row] : (elsewhere.get(keyOf(row)) ?? [])));
  const isNew = loaded === undefined || shown.length === 0 || (loaded.length === 0 && fits === undefined);
  const { rows, moved, unfit } = isNew
    ? { rows: loaded, moved: 0, unfit: none }
    : steadyRows(shown, loaded, keyOf, { fits, pending });
  useEffect(() => {
    const { current } = begun;
    current.isRead ||= query.dataUpdatedAt !== current.at || !query.isFetching;
    const isShown = current.isRead && !query.isPlaceholderData && rows !== undefined;
    last.current = isShown ? { subject, rows } : undefined;
  });
  return {
    rows,
    moved,
    unfit,
    sortAnew: () => {
      last.current = undefined;
      draw();
    },
  };
}

const none: ReadonlySet<string> = new Set();

// each takes a request
const maxAsked = 50;

const lookUpOptions = {
  // a change of the row asks again at once
  staleTime: 60_000,
  refetchOnWindowFocus: false,
  // no change is reported to a user who loses the right to see it
  refetchInterval: 300_000,
  // the list may have loaded the row again since
  gcTime: 0,
} as const;

/**
 * Of the rows that are loaded no more, those that the service still has, as it has them; the others are gone. One that
 * was not asked for yet counts as there, as does one that others have taken the place of. `pending` has the keys of those
 * without a first answer.
 */
function useElsewhere<Row>(
  missing: readonly Row[],
  keyOf: (row: Row) => string,
  find: SteadyOptions<Row>['find'],
): { readonly found: ReadonlyMap<string, Row>; readonly pending: ReadonlySet<string> } {
  const [answered, setAnswered] = useState<readonly string[]>([]);
  const asked = find === undefined ? [] : rowsToAsk(missing, answered, { keyOf, max: maxAsked });
  const answers = useQueries({
    queries: find === undefined ? [] : asked.map((row) => ({ ...find(row), ...lookUpOptions })),
  });
  const found = new Map(find === undefined ? [] : missing.map((row) => [keyOf(row), row]));
  for (const [index, row] of asked.entries()) {
    const { data, error } = answers[index] ?? {};
    if (statusOf(error) === 404 || statusOf(error) === 403) found.delete(keyOf(row));
    else if (data !== undefined) found.set(keyOf(row), { ...row, ...data });
  }
  const done = asked.filter((_, index) => answers[index]?.isPending === false).map(keyOf);
  const pending = new Set(found.keys());
  for (const key of [...answered, ...done]) pending.delete(key);
  useEffect(() => {
    const before = answered.filter((key) => missing.some((row) => keyOf(row) === key));
    const now = [...before, ...done.filter((key) => !before.includes(key))];
    if (now.join() !== answered.join()) setAnswered(now);
  });
  return { found, pending };
}

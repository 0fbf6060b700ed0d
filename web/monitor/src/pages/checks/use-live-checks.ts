import type { CheckState, ListedCheck } from '@certloop/contracts/browser';
import { useCalm, useList } from '@certloop/web-kit';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { type CheckSearch, checkList, type LiveCheck, statesQuery, withStates } from '../../lookups.js';

/** The checks of a project that match, with the newest states of those on the screen, and the counts of all. */
export function useLiveChecks(projectId: string, search: CheckSearch) {
  const [shown, setShown] = useCalm<readonly LiveCheck[]>([]);
  const states = useQuery(
    statesQuery(
      projectId,
      shown.map(({ id }) => id),
    ),
  );
  const list = useList(checkList(projectId, search));
  useRest(list, shown.at(-1)?.id);
  return {
    list,
    query: states.isError || states.isPaused ? withStatesOf(list.query, states) : list.query,
    rows: useLiveRows(list.rows, states.data?.checks),
    counts: states.data?.counts,
    onShown: setShown,
  };
}

/** Rows with their newest states; one that shows the same stays the same object, so that it is not drawn again. */
function useLiveRows(
  rows: readonly ListedCheck[] | undefined,
  states: readonly CheckState[] | undefined,
): readonly LiveCheck[] | undefined {
  const [drawn] = useState(() => new WeakMap<ListedCheck, { state: string; row: LiveCheck }>());
  return useMemo(() => {
    if (rows === undefined) return undefined;
    const stateTexts = new Map(states?.map((state) => [state.id, JSON.stringify(state)]));
    return withStates(rows, states ?? []).map((row, place) => {
      const source = rows[place] ?? row;
      const state = stateTexts.get(row.id) ?? '';
      const before = drawn.get(source);
      if (before?.state === state) return before.row;
      drawn.set(source, { state, row });
      return row;
    });
  }, [rows, states, drawn]);
}

/** Returns what is known about the list while its states cannot be loaded. */
function withStatesOf(
  { data, dataUpdatedAt, refetch }: ReturnType<typeof useList<ListedCheck>>['query'],
  states: UseQueryResult,
) {
  const { isError, isPaused, error, errorUpdatedAt } = states;
  const updatedAt = Math.max(dataUpdatedAt, states.dataUpdatedAt);
  return { data, dataUpdatedAt: updatedAt, refetch, isError, isPaused, error, errorUpdatedAt };
}

/** Rows below the last one on the screen that are loaded already. */
const spareRows = 60;

/** Loads the next page when the end of the loaded rows comes near; after a failure only by the button. */
function useRest(list: ReturnType<typeof useList<ListedCheck>>, lastShown: string | undefined) {
  const { rows, more, isLoadingMore, query } = list;
  const isNear = rows?.slice(-spareRows).some(({ id }) => id === lastShown) === true;
  const canLoad = isNear && !isLoadingMore && !query.isFetchNextPageError;
  useEffect(() => {
    if (canLoad) more?.();
  }, [canLoad, more]);
}

export type LiveChecks = ReturnType<typeof useLiveChecks>;

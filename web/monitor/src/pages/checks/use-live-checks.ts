import type { ListedCheck } from '@certloop/contracts/browser';
import { useList } from '@certloop/web-kit';
import { useQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useState } from 'react';
import { type CheckSearch, type LiveCheck, loadChecks, statesQuery, withStates } from '../../lookups.js';

/** The checks of a project that match, with the newest states of those on the screen, and the counts of all. */
export function useLiveChecks(projectId: string, search: CheckSearch) {
  const [shown, setShown] = useState<readonly LiveCheck[]>([]);
  const states = useQuery(
    statesQuery(
      projectId,
      shown.map(({ id }) => id),
    ),
  );
  const list = useList(['projects', projectId, 'checks', search], (cursor, signal) =>
    loadChecks(projectId, search, cursor, signal),
  );
  useRest(list, shown.at(-1)?.id);
  const onShown = useCallback((rows: readonly LiveCheck[]) => setShown(rows), []);
  return {
    list,
    rows: list.rows === undefined ? undefined : withStates(list.rows, states.data?.checks ?? []),
    counts: states.data?.counts,
    onShown,
  };
}

/** Rows below the last one on the screen that are loaded already. */
const spareRows = 30;

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

import { useList } from '@certloop/web-kit';
import { useQuery } from '@tanstack/react-query';
import { useCallback, useState } from 'react';
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
  const onShown = useCallback((rows: readonly LiveCheck[]) => setShown(rows), []);
  return {
    list,
    rows: list.rows === undefined ? undefined : withStates(list.rows, states.data?.checks ?? []),
    counts: states.data?.counts,
    onShown,
  };
}

export type LiveChecks = ReturnType<typeof useLiveChecks>;

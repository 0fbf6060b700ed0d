import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import type { Session } from '../session/session.js';
import type { Me } from '../session/session-state.js';
import { isPassing, statusOf } from './refusal.js';

/** What pages load, held in memory only. A 401 of any request ends the session of the page. */
export function createQueries<M extends Me>(session: Session<M>): QueryClient {
  const onError = (error: unknown) => {
    if (statusOf(error) === 401) session.end('idle');
  };
  const queries = new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      queries: {
        retry: (failures, error) => failures < 2 && isPassing(error) && statusOf(error) !== 429,
        staleTime: 5_000,
        refetchOnWindowFocus: true,
      },
      // what a user does is sent at once or fails; it is never sent later
      mutations: { networkMode: 'always' },
    },
  });
  let userId: string | undefined;
  session.subscribe(() => {
    const state = session.state();
    if (state.phase === 'out') queries.clear();
    if (state.phase !== 'in') return;
    // nothing that one user has loaded is shown to the next
    if (userId !== undefined && userId !== state.me.user.id) queries.clear();
    else if (userId === undefined) void queries.invalidateQueries();
    userId = state.me.user.id;
  });
  return queries;
}

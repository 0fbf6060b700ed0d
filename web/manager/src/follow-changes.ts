import { background } from '@certloop/web-kit';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { changedKeys } from './changed-keys.js';
import { api } from './service.js';

const everyMs = 5_000;
// more than come to light again within the ten seconds for which the service repeats them
const maxSeen = 2_000;

/** Loads again what others have changed, while the page is visible. */
export function useFollowChanges(): void {
  const queries = useQueryClient();
  const followed = useRef<{ since: number | undefined; readonly seen: Set<number> }>({
    since: undefined,
    seen: new Set(),
  });
  useQuery({
    queryKey: ['changes'],
    queryFn: async ({ signal }) => {
      const { since, seen } = followed.current;
      const query = since === undefined ? {} : { since: String(since) };
      const { body } = await api.listChanges({ query, headers: background, signal });
      followed.current.since = body.seq;
      if (body.reset === true) {
        void queries.invalidateQueries({ predicate: ({ queryKey: [first] }) => first !== 'changes' });
        return body.seq;
      }
      const news = body.changes.filter(({ id }) => !seen.has(id));
      for (const { id } of news) seen.add(id);
      if (seen.size > maxSeen) for (const id of [...seen].slice(0, seen.size - maxSeen)) seen.delete(id);
      for (const queryKey of changedKeys(news)) void queries.invalidateQueries({ queryKey });
      return body.seq;
    },
    refetchInterval: everyMs,
    staleTime: 0,
    retry: false,
  });
}

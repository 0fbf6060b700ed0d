import { background, invalidateChanged, isTemporary, pollMs } from '@certloop/web-kit';
import { onlineManager, type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { api } from '../service.js';
import { changedResources } from './changed-resources.js';

// more than come to light again within the ten seconds for which the service repeats them
const maxSeen = 2_000;
// what looks at all names is not loaded at each of many changes
const overviewPauseMs = 15_000;

/** State of the page about the changes so far. */
interface Followed {
  since: number | undefined;
  readonly seen: Set<number>;
  /** Polls in a row that failed. */
  failures: number;
  /** When what looks at all names was loaded because of a change. */
  overviewsAt: number;
  /** Changes since, as the paths of the resources. */
  readonly waiting: Set<string>;
}

/** Outage that a page shows while its service does not answer. */
export interface Outage {
  /** When the service answered last, in milliseconds. */
  readonly answeredAt: number;
  readonly nextTryAt: number;
}

/**
 * Loads again what others have changed. While the service does not answer, nothing else is asked, and the outage is
 * returned; when it answers again, everything shown is loaded again.
 */
export function useFollowChanges(): Outage | undefined {
  const queries = useQueryClient();
  const followed = useRef<Followed>({
    since: undefined,
    seen: new Set(),
    failures: 0,
    overviewsAt: 0,
    waiting: new Set(),
  });
  const [openedAt] = useState(() => Date.now());
  useEffect(() => () => onlineManager.setOnline(true), []);
  const pauseMs = () => pollMs({ isHidden: document.hidden, failures: followed.current.failures });
  const poll = useQuery({
    queryKey: ['changes'],
    meta: { isOfFrame: true },
    queryFn: async ({ signal }) => {
      const { current } = followed;
      try {
        await followOnce(queries, current, signal);
        current.failures = 0;
        onlineManager.setOnline(true);
        return current.since ?? 0;
      } catch (error) {
        if (signal.aborted || !isTemporary(error)) throw error;
        current.failures += 1;
        onlineManager.setOnline(false);
        throw error;
      }
    },
    networkMode: 'always',
    refetchInterval: pauseMs,
    refetchIntervalInBackground: true,
    refetchOnReconnect: false,
    staleTime: 0,
    retry: false,
  });
  if (!poll.isError || !isTemporary(poll.error)) return undefined;
  return { answeredAt: Math.max(openedAt, poll.dataUpdatedAt), nextTryAt: poll.errorUpdatedAt + pauseMs() };
}

async function followOnce(queries: QueryClient, followed: Followed, signal: AbortSignal): Promise<void> {
  const { since, seen } = followed;
  const query = since === undefined ? {} : { since: String(since) };
  const { body } = await api.listChanges({ query, headers: background, signal });
  followed.since = body.seq;
  if (body.reset === true) {
    void queries.invalidateQueries({ predicate: ({ queryKey: [first] }) => first !== 'changes' });
    return;
  }
  const news = body.changes.filter(({ id }) => !seen.has(id));
  for (const { id } of news) seen.add(id);
  if (seen.size > maxSeen) for (const id of [...seen].slice(0, seen.size - maxSeen)) seen.delete(id);
  const changed = changedResources(news);
  void invalidateChanged(
    queries,
    changed,
    ({ isOverview, isStill }) => isOverview !== true && isStill !== true,
  );
  for (const path of changed) followed.waiting.add(path);
  if (followed.waiting.size === 0 || Date.now() - followed.overviewsAt < overviewPauseMs) return;
  followed.overviewsAt = Date.now();
  void invalidateChanged(queries, [...followed.waiting], ({ isOverview }) => isOverview === true);
  followed.waiting.clear();
}

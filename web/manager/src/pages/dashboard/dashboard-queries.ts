import type { Fqdn, FqdnCounts, RenewalQueueEntry } from '@certloop/contracts/browser';
import { listPageOf } from '@certloop/web-kit';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../service.js';

// some states change with the clock alone, which no change in the log shows
const refetchInterval = 300_000;

/** How many names are in each state, of all that the user may read. */
export function useCounts() {
  return useQuery<FqdnCounts>({
    queryKey: ['ahead', 'counts'],
    queryFn: async ({ signal }) => (await api.countFqdnStates({ query: {}, signal })).body,
    refetchInterval,
  });
}

/** The names that need a person first. */
export function useNeediest(count: number, enabled: boolean) {
  return useQuery<readonly Fqdn[]>({
    queryKey: ['ahead', 'attention', count],
    queryFn: async ({ signal }) => {
      const query = { sort: 'attention', include: 'status', limit: String(count) } as const;
      return (await api.listAllFqdns({ query, signal })).body;
    },
    refetchInterval,
    enabled,
  });
}

/** Whether an issuance policy limits one of the spaces that the user may read. */
export function useHasPolicy(enabled: boolean) {
  return useQuery<boolean>({
    queryKey: ['spaces', 'policy'],
    queryFn: async ({ signal }) =>
      (await api.listSpaces({ query: { policy: 'set', limit: '1' }, signal })).body.length > 0,
    enabled,
  });
}

/** The renewals that run next, and how many are planned in all. */
export function useNextRenewals(count: number, enabled: boolean) {
  return useQuery<{ readonly rows: readonly RenewalQueueEntry[]; readonly total?: number | undefined }>({
    queryKey: ['ahead', 'renewals', count],
    queryFn: async ({ signal }) => {
      const query = { status: 'pending', include: 'fqdn', limit: String(count) } as const;
      const { body, headers } = await api.listRenewals({ query, signal });
      return listPageOf(body, headers);
    },
    refetchInterval,
    enabled,
  });
}

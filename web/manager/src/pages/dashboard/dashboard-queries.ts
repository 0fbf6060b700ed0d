import { pageOptions, queryOptions } from '@certloop/web-kit';
import { useQuery } from '@tanstack/react-query';
import { overview } from '../../changes/overview.js';
import { api } from '../../service.js';

// some states change with the clock alone, which no change in the log shows
const refetchInterval = 300_000;

/** How many names are in each state, of all that the user may read. */
export function useCounts() {
  return useQuery({ ...overview(queryOptions(api.countFqdnStates)), refetchInterval });
}

/** The names that need a person first. */
export function useNeediest(count: number, enabled: boolean) {
  const query = { sort: 'attention', include: 'status', limit: String(count) } as const;
  return useQuery({ ...overview(queryOptions(api.listAllFqdns, { query })), refetchInterval, enabled });
}

/** Whether an issuance policy limits one of the spaces that the user may read. */
export function useHasPolicy(enabled: boolean) {
  return useQuery({
    ...queryOptions(api.listSpaces, { query: { policy: 'set', limit: '1' } }),
    select: (spaces) => spaces.length > 0,
    enabled,
  });
}

/** The renewals that run next, and how many are planned in all. */
export function useNextRenewals(count: number, enabled: boolean) {
  const query = { status: 'pending', include: 'fqdn', limit: String(count) } as const;
  return useQuery({ ...overview(pageOptions(api.listRenewals, { query })), refetchInterval, enabled });
}

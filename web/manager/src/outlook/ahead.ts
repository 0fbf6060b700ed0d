// What the dashboard and the statistics both load: when certificates end, and how long a CA may be away.

import type { ExpiryTimeline, Outlook } from '@certloop/contracts/browser';
import { useQuery } from '@tanstack/react-query';
import { api } from '../service.js';

const refetchInterval = 300_000;

/** How many certificates end in each of the next 26 weeks. */
export function useTimeline(enabled: boolean) {
  return useQuery<ExpiryTimeline>({
    queryKey: ['ahead', 'timeline'],
    queryFn: async ({ signal }) => (await api.getExpiryTimeline({ query: {}, signal })).body,
    refetchInterval,
    enabled,
  });
}

/** How long each provider may be away before a certificate expires. */
export function useOutlook(enabled: boolean) {
  return useQuery<Outlook>({
    queryKey: ['ahead', 'outlook'],
    queryFn: async ({ signal }) => (await api.getOutlook({ query: {}, signal })).body,
    refetchInterval,
    enabled,
  });
}

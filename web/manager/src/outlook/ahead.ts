// What the dashboard and the statistics both load: when certificates end, and how long a CA may be away.

import { queryOptions } from '@certloop/web-kit';
import { useQuery } from '@tanstack/react-query';
import { overview } from '../changes/overview.js';
import { api } from '../service.js';

const refetchInterval = 300_000;

/** How many certificates end in each of the next 26 weeks. */
export function useTimeline(enabled: boolean) {
  return useQuery({ ...overview(queryOptions(api.getExpiryTimeline)), refetchInterval, enabled });
}

/** How long each provider may be away before a certificate expires. */
export function useOutlook(enabled: boolean) {
  return useQuery({ ...overview(queryOptions(api.getOutlook)), refetchInterval, enabled });
}

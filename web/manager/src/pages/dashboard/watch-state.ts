import { background } from '@certloop/web-kit';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../service.js';

/** Whether the monitor answers the service, asked once a minute; undefined without a monitor. */
export function useMonitorContact() {
  return useQuery({
    queryKey: ['watch-contact'],
    queryFn: async ({ signal }) =>
      (await api.getHealth({ headers: background, signal })).body.monitor ?? null,
    refetchInterval: 60_000,
  });
}

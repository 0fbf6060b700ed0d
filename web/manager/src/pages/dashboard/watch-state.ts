import type { Watch } from '@certloop/contracts/browser';
import { background, queryOptions } from '@certloop/web-kit';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../service.js';

/** Whether the monitor answers, and whether people are notified of what it sees; asked once a minute. */
export function useWatch() {
  return useQuery({ ...queryOptions(api.getWatch, { headers: background }), refetchInterval: 60_000 });
}

/** Whether it is known that alerts reach no one, or do not arrive. */
export function isSilent(watch: Watch | undefined): watch is Watch {
  return watch?.state === 'no_one' || watch?.state === 'failing';
}

/** Whether an integration can send, and a message or a test has arrived by one. */
export function hasDelivered(watch: Watch | undefined): boolean {
  return watch?.state === 'notified' && watch.alerts?.lastDeliveredAt !== undefined;
}

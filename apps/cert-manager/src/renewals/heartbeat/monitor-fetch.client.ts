import { type AddressFetch, boundedFetch, followingFetch, tracedFetch } from '@certloop/server';

/** Fetch for the monitor: bounded, as one that never ends its answer must not fill the memory. Its key stays with it. */
export function createMonitorFetch(): AddressFetch {
  const traced = tracedFetch(boundedFetch(globalThis.fetch), { isTrusted: true });
  return followingFetch(traced, { subject: 'check-monitor', mayLeaveOrigin: false });
}

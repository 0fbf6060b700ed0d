import type { Metrics } from '@certloop/server';
import type { HeldRequests } from './held-requests.store.js';

/** Declares how many requests of this process wait for newer certificates. */
export function watchHeld(metrics: Metrics, held: HeldRequests): void {
  metrics.gaugesOf({
    name: 'held_requests',
    gauges: {
      held: {
        name: 'cert_manager_held_requests',
        help: 'Requests of this process that wait for a newer certificate',
        labels: [],
      },
    },
    read: async () => ({ held: [{ labels: {}, value: held.count() }] }),
  });
}

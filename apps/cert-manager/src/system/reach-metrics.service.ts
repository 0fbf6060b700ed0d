import type { Metrics } from '@certloop/server';
import type { MonitorContact } from '../watch/monitor/monitor-contact.store.js';

/** Declares what the monitor says of its integrations; without values while it does not say. */
export function watchReach(metrics: Metrics, readContact: () => MonitorContact | undefined): void {
  metrics.gaugesOf({
    name: 'watch_reach',
    gauges: {
      canSend: {
        name: 'cert_manager_watch_integrations',
        help: 'Integrations of the project in the monitor that can send, as it said last; absent while it does not say',
        labels: [],
      },
      silent: {
        name: 'cert_manager_watch_silent_checks',
        help: 'Checks of the watch to which no integration that can send is assigned; absent while the monitor does not say',
        labels: [],
      },
    },
    read: async () => {
      const alerts = readContact()?.reach?.alerts;
      const alone = (value: number | undefined) => (value === undefined ? [] : [{ labels: {}, value }]);
      return { canSend: alone(alerts?.canSend), silent: alone(alerts?.checksWithoutIntegration) };
    },
  });
}

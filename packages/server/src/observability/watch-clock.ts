import type { SteadyClock } from '../process/steady-clock.js';
import type { Metrics } from './metrics.js';

/** Metrics of how the clocks of a service compare. */
export function watchClock(metrics: Metrics, clock: Pick<SteadyClock, 'read'>): void {
  metrics.counterOf({
    name: 'clock_jumps_total',
    help: 'Jumps of the clock of the host or of the database by a minute or more',
    labels: [],
    read: () => [{ labels: {}, value: clock.read().jumps }],
  });
  metrics.gaugesOf({
    name: 'clock',
    gauges: {
      apart: {
        name: 'clock_apart_seconds',
        help: 'How far the clock is ahead of the one of the database or of the last CA that said what time it is',
        labels: ['from'],
      },
      unsettled: {
        name: 'clock_unsettled',
        help: '1 while the clock has jumped and no new work is begun; else 0',
        labels: [],
      },
    },
    read: async () => {
      const { isSettled, databaseSeconds, caSeconds } = clock.read();
      const apart = Object.entries({ database: databaseSeconds, ca: caSeconds });
      return {
        apart: apart.flatMap(([from, value]) => (value === undefined ? [] : [{ labels: { from }, value }])),
        unsettled: [{ labels: {}, value: isSettled ? 0 : 1 }],
      };
    },
  });
}

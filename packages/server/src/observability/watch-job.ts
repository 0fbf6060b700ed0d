import type { Clock } from '../process/clock.js';
import type { Metrics } from './metrics.js';
import { inSpan } from './tracing.js';

/** Does a round of a recurring job, whose name is one of a short list; what it gives comes back. */
export type WatchJob = <T>(job: string, work: () => Promise<T>) => Promise<T>;

/**
 * Watches recurring jobs: their runs by outcome, how long they took, and when each succeeded last, here in this
 * process. Each run is a span.
 */
export function createJobWatch(metrics: Metrics, clock: Clock): WatchJob {
  // `job` is what Prometheus calls the place that it scrapes
  const count = metrics.counter({
    name: 'job_runs_total',
    help: 'Runs of recurring jobs that came to an end',
    labels: ['name', 'outcome'],
  });
  const observe = metrics.histogram({
    name: 'job_duration_seconds',
    help: 'Time that a run of a recurring job took',
    labels: ['name'],
    buckets: [0.005, 0.025, 0.1, 0.5, 1, 5, 15, 30, 60],
  });
  const succeededAt = new Map<string, number>();
  metrics.gaugesOf({
    name: 'jobs',
    gauges: {
      success: {
        name: 'job_last_success_timestamp_seconds',
        help: 'When a recurring job of this process last came to a good end, in seconds since 1970',
        labels: ['name'],
      },
    },
    read: async () => ({
      success: [...succeededAt].map(([job, value]) => ({ labels: { name: job }, value })),
    }),
  });

  return async (job, work) => {
    const began = performance.now();
    let outcome = 'failed';
    try {
      const result = await inSpan(`job ${job}`, {}, work);
      outcome = 'succeeded';
      succeededAt.set(job, clock.now().getTime() / 1000);
      return result;
    } finally {
      observe({ name: job }, (performance.now() - began) / 1000);
      count({ name: job, outcome });
    }
  };
}

import { expect, test } from 'vitest';
import { createMovableClock } from '../process/clock.js';
import { createLogger } from './logger.js';
import { createMetrics } from './metrics.js';
import { createJobWatch } from './watch-job.js';

test('counts runs of a job by outcome, and records its last success', async () => {
  const clock = createMovableClock(new Date('2026-03-01T12:00:00.000Z'));
  const metrics = createMetrics({ logger: createLogger({ service: 'test', level: 'silent' }), maxAgeMs: 0 });
  const watch = createJobWatch(metrics, clock);
  expect(await watch('sweep', async () => 7)).toBe(7);
  clock.advance(60_000);
  await expect(watch('sweep', async () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  const { text } = await metrics.scrape();
  expect(text.split('\n')).toEqual(
    expect.arrayContaining([
      'job_runs_total{name="sweep",outcome="succeeded"} 1',
      'job_runs_total{name="sweep",outcome="failed"} 1',
      'job_last_success_timestamp_seconds{name="sweep"} 1772366400',
      'job_duration_seconds_count{name="sweep"} 2',
    ]),
  );
});

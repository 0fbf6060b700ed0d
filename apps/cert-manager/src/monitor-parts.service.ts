import { type OneAtATime, oneAtATime, type Poller, startPoller } from '@certloop/server';
import type { AppOptions } from './app-options.js';
import type { Notices } from './events/notices.service.js';
import { monitorOf } from './heartbeat-parts.service.js';
import { createCanaryClient } from './watch/canary/canary.client.js';
import { createCanary, createCanaryRemoval } from './watch/canary/run-canary.service.js';
import { createAlertEvents } from './watch/monitor/monitor-events.service.js';

/**
 * Takes the next step of the canary if a destination of notices or a separate project is set; otherwise deletes the
 * canary. Undefined without a monitor.
 */
export function canaryJob(
  options: AppOptions & Pick<Required<AppOptions>, 'watchJob'>,
  notices: Notices | undefined,
): OneAtATime<void> | undefined {
  const { config, database: db, clock, logger, watchJob } = options;
  const monitor = monitorOf(options);
  if (monitor === undefined) return undefined;
  const { canaryApiKey, watchAwaySeconds: awaySeconds } = config;
  const mainClient = createCanaryClient(monitor);
  const ownClient =
    canaryApiKey === undefined ? undefined : createCanaryClient({ url: monitor.url, apiKey: canaryApiKey });
  const client = ownClient ?? mainClient;
  const formerClient = ownClient && mainClient;
  const onSight = createAlertEvents({ db, clock, logger, notices });
  const isWanted = notices !== undefined || canaryApiKey !== undefined;
  const step = isWanted
    ? createCanary({ db, clock, logger, client, formerClient, awaySeconds, onSight })
    : createCanaryRemoval({ db, client });
  return oneAtATime(() => watchJob('watch.canary', step));
}

/** Runs the job every ten seconds; it queries the database only when a step is due. */
export function canaryPollers({ logger }: AppOptions, job: OneAtATime<void> | undefined): Poller[] {
  if (job === undefined) return [];
  const poller = startPoller({ name: 'watch.canary', everyMs: 10_000, tick: job.run, logger });
  poller.trigger();
  return [poller];
}

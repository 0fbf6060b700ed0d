import type { AppOptions } from './app-options.js';
import {
  createHeartbeat,
  type Heartbeat,
  type HeartbeatCheck,
  type HeartbeatOptions,
} from './renewals/heartbeat/heartbeat.client.js';
import { createLostPings } from './watch/pings/lost-pings.service.js';

/** Seconds between two rounds of asking CAs. */
export const adviceSeconds = 60;

// CAs may take their time to answer
export const adviceMissedSeconds = 5 * adviceSeconds;

export const adviceCheck: HeartbeatCheck = {
  name: 'CertLoop cert-manager: renewal advice',
  slug: 'certloop-cert-manager-advice',
  desc: 'The certificate manager reports here whenever it has asked CAs when they want certificates renewed.',
};

export interface MonitorAddress {
  readonly url: string;
  readonly apiKey: string;
}

/** Where the monitor is; undefined if there is none. */
export function monitorOf({
  config: { checkMonitorUrl: url, checkMonitorApiKey: apiKey },
}: AppOptions): MonitorAddress | undefined {
  return url === undefined || apiKey === undefined ? undefined : { url, apiKey };
}

type HeartbeatMore = Pick<HeartbeatOptions, 'check' | 'onAnswer' | 'keyTriedMs'>;

/** Reports each run of a job to the monitor; undefined if there is none. */
export function heartbeatOf(
  options: AppOptions,
  job: string,
  periodSeconds: number,
  more: HeartbeatMore,
): Heartbeat | undefined {
  const { database: db, clock, logger } = options;
  const monitor = monitorOf(options);
  if (monitor === undefined) return undefined;
  const lost = createLostPings({ db, clock }, job);
  return createHeartbeat({
    monitor,
    periodSeconds,
    clock,
    logger,
    lost,
    ...more,
  });
}

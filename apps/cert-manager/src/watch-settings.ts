import { flag, httpAddress, setting, wholeNumber, wordList } from '@certloop/server';
import { z } from 'zod';

const pingAddresses = wordList.pipe(z.array(httpAddress).max(5, 'must be at most 5 addresses'));

/** Settings of what the monitor watches, and of who watches the monitor. */
export const watchSettings = {
  watchesExpiry: setting(
    'WATCH_EXPIRY',
    flag.default(true),
    'false: certificates of FQDNs with renewal off have no check in the monitor',
  ),
  canaryApiKey: setting(
    'CHECK_MONITOR_CANARY_API_KEY',
    z.string().min(1).optional(),
    'read-write key of the project in the monitor for the canary, a check that always goes down; when absent and notices are set, CHECK_MONITOR_API_KEY is used',
  ),
  heartbeatPingUrls: setting(
    'HEARTBEAT_PING_URLS',
    pingAddresses.default([]),
    'up to 5 ping addresses of external services, separated by commas; each is called after every run of the renewal queue without failures',
  ),
  watchAwaySeconds: setting(
    'WATCH_AWAY_SECONDS',
    wholeNumber(10, 86_400).default(600),
    'seconds without a response of the monitor after which a notice is sent',
  ),
} as const;

interface MonitorValues {
  readonly checkMonitorUrl?: string | undefined;
  readonly checkMonitorApiKey?: string | undefined;
}

/** Address and key of the monitor; undefined if there is none. */
export function monitorOf({ checkMonitorUrl: url, checkMonitorApiKey: apiKey }: MonitorValues) {
  return url === undefined || apiKey === undefined ? undefined : { url, apiKey };
}

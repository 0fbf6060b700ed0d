import { flag, httpAddress, setting, wholeNumber, wordList } from '@certloop/server';
import { z } from 'zod';

const pingAddresses = wordList.pipe(z.array(httpAddress).max(5, 'must be at most 5 addresses'));

/** What the monitor watches, and who watches the monitor. */
export const watchSettings = {
  watchesExpiry: setting(
    'WATCH_EXPIRY',
    flag.default(true),
    'false: certificates of FQDNs with renewal off have no check in the monitor',
  ),
  canaryApiKey: setting(
    'CHECK_MONITOR_CANARY_API_KEY',
    z.string().min(1).optional(),
    'read-write key of a project of the monitor for the check that is meant to fall; with notices, that of CHECK_MONITOR_API_KEY when absent',
  ),
  heartbeatPingUrls: setting(
    'HEARTBEAT_PING_URLS',
    pingAddresses.default([]),
    'up to 5 ping addresses of services elsewhere, separated by commas; each is called after every good run of the renewal queue',
  ),
  watchAwaySeconds: setting(
    'WATCH_AWAY_SECONDS',
    wholeNumber(10, 86_400).default(600),
    'seconds without an answer of the monitor after which a notice is sent; 600 when absent',
  ),
} as const;

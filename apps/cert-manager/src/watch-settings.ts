import { flag, setting, wholeNumber } from '@certloop/server';

/** What the monitor watches, and who watches the monitor. */
export const watchSettings = {
  watchesExpiry: setting(
    'WATCH_EXPIRY',
    flag.default(true),
    'false: certificates of FQDNs with renewal off have no check in the monitor',
  ),
  watchAwaySeconds: setting(
    'WATCH_AWAY_SECONDS',
    wholeNumber(10, 86_400).default(600),
    'seconds without an answer of the monitor after which a notice is sent; 600 when absent',
  ),
} as const;

import type { OpenTestDatabase } from '@certloop/db/testing';
import { clearInventory, issueForDays, type RenewalPlace, startRenewing } from '../renewals.js';
import { startWatchingMonitor, type WatchingMonitor } from './watching-monitor.js';

const day = 86_400_000;

/** The application, a CA, and the monitor that watches them. */
export interface WatchedPlace {
  readonly monitor: WatchingMonitor;
  readonly place: RenewalPlace;
  readonly close: () => Promise<void>;
}

export async function startWatched(
  open: OpenTestDatabase,
  more: Readonly<Record<string, string>> = {},
): Promise<WatchedPlace> {
  const monitor = await startWatchingMonitor();
  const place = await startRenewing(open, { environment: { ...monitor.environment, ...more } });
  return {
    monitor,
    place,
    close: async () => {
      await place.close();
      await monitor.close();
    },
  };
}

/** Deletes every FQDN and its check, and lets the CA and the monitor answer as at first. */
export async function clearWatched({ monitor, place }: Omit<WatchedPlace, 'close'>): Promise<void> {
  Object.assign(monitor, {
    failing: undefined,
    losing: undefined,
    limit: Number.POSITIVE_INFINITY,
    channels: 'a-channel',
  });
  place.ca.answer('normally');
  await issueForDays(place, 30);
  await clearInventory(place.app);
  place.app.clock.advance(2 * day);
  await place.app.watch();
}

import type { Database } from '@certloop/db';
import type { Clock, Logger } from '@certloop/server';
import { findIdSlice, lacksWatch, type WaitingMode, watchMissing } from './watched-fqdns.repository.js';

export interface SweepWatchDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Whether FQDNs with renewal off are watched, too. */
  readonly watchesExpiry: boolean;
}

const slice = 500;
// 50 checks a second: events that happen meanwhile are sent between them
const sliceMs = 10_000;

/**
 * Begins to watch what should be watched but is not, as after an upgrade, when the monitor was named to the service, or
 * when an expiry is accepted no longer: first what is renewed, then what no one renews. In slices, so that no one waits
 * for it long.
 */
export async function sweepWatch({ watchesExpiry, ...deps }: SweepWatchDeps): Promise<void> {
  let begun = await sweepMode(deps, 'renewal', 0);
  if (watchesExpiry) begun = await sweepMode(deps, 'expiry', begun);
  if (begun > 0) deps.logger.info({ begun }, 'watch.swept');
}

/** How many there are that it began to watch, with the `before` of the modes before. */
async function sweepMode(
  { db, clock }: Pick<SweepWatchDeps, 'db' | 'clock'>,
  mode: WaitingMode,
  before: number,
): Promise<number> {
  let begun = before;
  for (let last = ''; ; ) {
    const now = clock.now();
    const found = await db.longRead(async (tx) => {
      const ids = await findIdSlice(tx, last, slice);
      return ids && { ...ids, isLacking: await lacksWatch(tx, ids, mode, now) };
    });
    if (found === undefined) return begun;
    if (found.isLacking) {
      const dueAt = new Date(now.getTime() + Math.floor(begun / slice) * sliceMs);
      begun += await db.transaction((tx) => watchMissing(tx, found, { mode, now, dueAt }));
    }
    if (found.count < slice) return begun;
    last = found.last;
  }
}

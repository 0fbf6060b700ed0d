import type { Database } from '@certloop/db';
import type { Clock, Logger } from '@certloop/server';
import { listRenewedFqdnsAfter } from '../fqdns/fqdns.repository.js';
import { watchBetween } from './watched-fqdns.repository.js';

export interface SweepWatchDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly logger: Logger;
}

const slice = 500;
// 50 checks a second: what happens meanwhile is told between them
const sliceMs = 10_000;

/**
 * Begins to watch what should be watched but is not, as after an upgrade or when the monitor was named to the service.
 * In slices, so that nobody waits for it long.
 */
export async function sweepWatch({ db, clock, logger }: SweepWatchDeps): Promise<void> {
  let begun = 0;
  for (let last = ''; ; ) {
    const fqdns = await db.read((tx) => listRenewedFqdnsAfter(tx, last, slice));
    const [first, end] = [fqdns.at(0), fqdns.at(-1)];
    if (first !== undefined && end !== undefined) {
      const dueAt = new Date(clock.now().getTime() + Math.floor(begun / slice) * sliceMs);
      begun += await db.transaction((tx) => watchBetween(tx, { first: first.id, last: end.id }, dueAt));
    }
    if (fqdns.length < slice) break;
    last = end?.id ?? '';
  }
  if (begun > 0) logger.info({ begun }, 'watch.swept');
}

import { yieldBetween } from '@certloop/db';
import type { Logger } from '@certloop/server';
import type { DbDeps } from '../db-deps.js';
import { findIdSlice, lacksWatch, watchMissing } from './missing-watch.repository.js';
import type { WaitingMode } from './watched-fqdns.repository.js';

export interface SweepWatchDeps extends DbDeps {
  readonly logger: Logger;
  /** Whether FQDNs with renewal off have a check too. */
  readonly watchesExpiry: boolean;
}

const slice = 500;
// 50 checks a second, so that new events are sent in between
const sliceMs = 10_000;

/**
 * Adds missing rows of watched FQDNs, such as after an upgrade, when a monitor is set for the first time, or when the
 * acceptance of an expiry ends: first FQDNs with renewal on, then the others. Works in batches, so that other work does
 * not wait for long.
 */
export async function sweepWatch({ watchesExpiry, ...deps }: SweepWatchDeps): Promise<void> {
  let begun = await sweepMode(deps, 'renewal', 0);
  if (watchesExpiry) begun = await sweepMode(deps, 'expiry', begun);
  if (begun > 0) deps.logger.info({ begun }, 'watch.missing_checks_found');
}

/** Number of added FQDNs; `before` is the number that earlier modes added. */
async function sweepMode({ db, clock }: DbDeps, mode: WaitingMode, before: number): Promise<number> {
  let begun = before;
  let last = '';
  for await (const _round of yieldBetween()) {
    const now = clock.now();
    const found = await db.longRead(async (tx) => {
      const ids = await findIdSlice(tx, last, slice);
      return ids && { ...ids, isLacking: await lacksWatch(tx, ids, mode, now) };
    });
    if (found === undefined) break;
    if (found.isLacking) {
      const dueAt = new Date(now.getTime() + Math.floor(begun / slice) * sliceMs);
      begun += await db.transaction((tx) => watchMissing(tx, found, { mode, now, dueAt }));
    }
    if (found.count < slice) break;
    last = found.last;
  }
  return begun;
}

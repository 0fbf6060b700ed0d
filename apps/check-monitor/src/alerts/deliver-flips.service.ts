import type { Database } from '@certloop/db';
import type { Logger } from '@certloop/server';
import { claimFlip, type FlipRow } from '../flips/flips.repository.js';
import type { Micros } from '../instants.js';

export interface DeliverFlipsDeps {
  readonly database: Database;
  readonly now: () => Micros;
  readonly logger: Logger;
}

/** Takes every flip that waits, oldest first, and tells of it; returns how many there were. */
export async function deliverFlips(deps: DeliverFlipsDeps): Promise<number> {
  for (let delivered = 0; ; delivered += 1) {
    const flip = await deps.database.transaction((tx) => claimFlip(tx, deps.now()));
    if (flip === undefined) return delivered;
    const { id, oldStatus, newStatus, reason } = flip;
    deps.logger.info({ flip: id, oldStatus, newStatus, reason, isTold: isTold(flip) }, 'check.flipped');
  }
}

/** The first success of a check, or the one that ends its pause, is no news. */
function isTold({ oldStatus, newStatus }: FlipRow): boolean {
  return newStatus === 'down' || (newStatus === 'up' && oldStatus === 'down');
}

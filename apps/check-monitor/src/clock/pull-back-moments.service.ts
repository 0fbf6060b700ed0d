import { pullBackMoments, slicesOf, yieldBetween } from '@certloop/db';
import type { Logger } from '@certloop/server';
import { listChecksAhead, setBackChecks } from '../checks/rows/overdue-checks.repository.js';
import type { DbDeps } from '../db-deps.js';
import { microsPerSecond, wholeMs } from '../instants.js';
import { futureMoments } from './future-moments.repository.js';

export interface PullBackDeps extends DbDeps {
  readonly logger: Logger;
  /** Called for each check that was changed. */
  readonly noteChange?: (uuid: string) => void;
}

const checksAtOnce = 50;
// the column has no index, so it is searched once for so many
const readAtOnce = 500;
// clocks of several processes differ by less
const tolerance = 60 * microsPerSecond;

/** Pulls back stored moments that lie further ahead than the rules allow, as a wrong clock wrote them. */
export async function pullBackStored(deps: PullBackDeps): Promise<void> {
  const { db, clock, logger } = deps;
  const now = clock.now();
  const stored = (ms: number) => ms * 1000;
  const counts = await pullBackMoments(db, futureMoments, { now: wholeMs(now), stored });
  const checks = await setBackPings(deps);
  if (checks + Object.keys(counts).length > 0)
    logger.warn({ counts, ...(checks > 0 && { checks }) }, 'clock.moments_pulled_back');
}

/** Checks that were pinged in the future would not go down before that: they count as pinged now. */
async function setBackPings({ db, clock, noteChange }: PullBackDeps): Promise<number> {
  let total = 0;
  for await (const _round of yieldBetween()) {
    const after = clock.now() + tolerance;
    const ahead = await db.longRead((tx) => listChecksAhead(tx, after, readAtOnce));
    let changed = 0;
    for await (const some of yieldBetween(slicesOf(ahead, checksAtOnce))) {
      changed += await db.transaction((tx) => setBackChecks(tx, some, clock.now()));
      for (const { uuid } of some) noteChange?.(uuid);
    }
    total += changed;
    // those that were pinged in the meantime are right, or come next time
    if (ahead.length < readAtOnce || changed === 0) break;
  }
  return total;
}

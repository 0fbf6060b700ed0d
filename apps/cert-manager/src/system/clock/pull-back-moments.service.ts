import { pullBackMoments } from '@certloop/db';
import type { Logger } from '@certloop/server';
import type { DbDeps } from '../../db-deps.js';
import { futureMoments, type LeaseTimes } from './future-moments.repository.js';

export interface PullBackDeps extends DbDeps, LeaseTimes {
  readonly logger: Logger;
}

/** Pulls back stored moments that lie further ahead than the rules allow, as a wrong clock wrote them. */
export async function pullBackStored({ db, clock, logger, ...times }: PullBackDeps): Promise<void> {
  const terms = { now: clock.now().getTime(), stored: (ms: number) => new Date(ms) };
  const counts = await pullBackMoments(db, futureMoments(times), terms);
  if (Object.keys(counts).length > 0) logger.warn({ counts }, 'clock.moments_pulled_back');
}

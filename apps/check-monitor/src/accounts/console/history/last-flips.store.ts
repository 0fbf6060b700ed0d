import type { Database } from '@certloop/db';
import { findLastFlipAt } from '../../../flips/flips.repository.js';
import { type Clock, type Micros, microsPerSecond } from '../../../instants.js';

/** When the status of a check of a project changed last. */
export interface LastFlips {
  /** The moment, as it was at most 5 s ago; undefined where none has changed. */
  of(projectId: string): Promise<Micros | undefined>;
}

const maxAge = 5 * microsPerSecond;
const maxProjects = 10_000;

export function createLastFlips({ db, clock }: { readonly db: Database; readonly clock: Clock }): LastFlips {
  const readings = new Map<string, { readonly at: Micros; readonly last: Promise<Micros | undefined> }>();
  return {
    of: (projectId) => {
      const now = clock.now();
      const known = readings.get(projectId);
      if (known !== undefined && now >= known.at && now - known.at < maxAge) return known.last;
      if (readings.size >= maxProjects) readings.clear();
      const last = db.longRead((tx) => findLastFlipAt(tx, projectId));
      readings.set(projectId, { at: now, last });
      last.catch(() => readings.delete(projectId));
      return last;
    },
  };
}

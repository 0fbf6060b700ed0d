import type { Tx } from '@certloop/db';
import type { Standing } from '../../checks/standing.js';
import { listMisses } from '../../flips/flips.repository.js';
import { listLatestOutcomes } from '../../pings/pings.repository.js';
import { maxRecentRuns, recentRuns } from './recent-runs.js';

/** Letters of the latest runs of checks, read anew only after a ping or a change of status. */
export interface RunsStore {
  /** The letters of a check, of which `pingLimit` pings count. */
  of(tx: Tx, check: Standing, pingLimit: number): Promise<string>;
}

// some 200 bytes each
const maxChecks = 20_000;

export function createRunsStore(): RunsStore {
  const known = new Map<number, { readonly state: string; readonly runs: string }>();
  return {
    of: async (tx, { id, pingCount, storedStatus, lastPing }, pingLimit) => {
      const state = `${pingCount} ${storedStatus} ${lastPing} ${pingLimit}`;
      const found = known.get(id);
      if (found?.state === state) return found.runs;
      const pings = await listLatestOutcomes(tx, id, Math.min(pingLimit, maxRecentRuns));
      const runs = recentRuns(pings, await listMisses(tx, id, maxRecentRuns));
      if (known.size >= maxChecks) known.clear();
      known.set(id, { state, runs });
      return runs;
    },
  };
}

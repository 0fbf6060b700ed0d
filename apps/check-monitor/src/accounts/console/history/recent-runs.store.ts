import type { Tx } from '@certloop/db';
import type { CheckSummary } from '../../../checks/check-summary.js';
import { listMisses } from '../../../flips/flips.repository.js';
import { listLatestOutcomes } from '../../../pings/pings.repository.js';
import { maxRecentRuns, recentRuns } from './recent-runs.js';

/** Letters of the latest runs of checks, read again only after a ping or a change of status. */
export interface RunsStore {
  /** The letters of each check by its id; `pingLimit` pings of a check count. */
  of(tx: Tx, checks: readonly CheckSummary[], pingLimit: number): Promise<ReadonlyMap<number, string>>;
}

// some 200 bytes each
const maxChecks = 20_000;

export function createRunsStore(): RunsStore {
  const known = new Map<number, { readonly state: string; readonly runs: string }>();
  return {
    of: async (tx, checks, pingLimit) => {
      const letters = new Map<number, string>();
      const changed = checks.filter((check) => {
        const found = known.get(check.id);
        if (found?.state !== stateOf(check, pingLimit)) return true;
        letters.set(check.id, found.runs);
        return false;
      });
      const ids = changed.map(({ id }) => id);
      const pings = await listLatestOutcomes(tx, ids, Math.min(pingLimit, maxRecentRuns));
      const misses = await listMisses(tx, ids, maxRecentRuns);
      if (known.size + ids.length > maxChecks) known.clear();
      for (const check of changed) {
        const runs = recentRuns(pings.get(check.id) ?? [], misses.get(check.id) ?? []);
        known.set(check.id, { state: stateOf(check, pingLimit), runs });
        letters.set(check.id, runs);
      }
      return letters;
    },
  };
}

/** Returns the state from which the letters follow. */
function stateOf({ pingCount, storedStatus, lastPing }: CheckSummary, pingLimit: number): string {
  return `${pingCount} ${storedStatus} ${lastPing} ${pingLimit}`;
}

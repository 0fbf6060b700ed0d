import { createCheckSummaries } from './check-summaries.store.js';
import { createTrialLimit } from './console-channels.service.js';
import { createLastFlips } from './history/last-flips.store.js';
import { createRunsStore } from './history/recent-runs.store.js';

type StoresDeps = Parameters<typeof createCheckSummaries>[0] & Parameters<typeof createLastFlips>[0];

/** Creates the memory of one process for the pages of the console. */
export function createConsoleStores(deps: StoresDeps) {
  return {
    summaries: createCheckSummaries(deps),
    lastFlips: createLastFlips(deps),
    recentRuns: createRunsStore(),
    trialLimit: createTrialLimit(deps.clock),
  };
}

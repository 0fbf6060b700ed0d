import { createCheckMonitorClient } from '@certloop/contracts';
import { createMonitorFetch } from '../../renewals/heartbeat/monitor-fetch.client.js';
import type { ProjectReach } from './alert-state.js';

/** Tag of all checks of the watch and of the jobs of this service. */
const tag = 'certloop';

/** Asks the monitor whether its alerts reach people. Never throws: undefined where it does not say. */
export function createReachReader({
  url: baseUrl,
  apiKey,
}: {
  readonly url: string;
  readonly apiKey: string;
}): () => Promise<ProjectReach | undefined> {
  const client = createCheckMonitorClient({ baseUrl, apiKey, timeoutMs: 5000, fetch: createMonitorFetch() });
  return async () => {
    try {
      const { project, alerts } = (await client.getOwnKey({ query: { include: 'alerts', tag } })).body;
      return alerts && { projectId: project.id, alerts };
    } catch {
      // an older monitor has no such path; whether it is away is what the heartbeat finds out
      return undefined;
    }
  };
}

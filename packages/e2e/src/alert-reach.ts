import { type AlertReach, measureAlertReach, withChannels } from '@certloop/contracts';
import type { Credentials } from './credentials.js';
import { clientsOf } from './main-job.js';

/** Whom the monitor would alert. Rejects when it does not answer. */
export async function readAlertReach(credentials: Credentials): Promise<AlertReach> {
  const { monitor } = clientsOf(credentials);
  const { channels } = (await monitor.listChannels()).body;
  const { checks } = (await monitor.listChecks()).body;
  return measureAlertReach(withChannels(checks) ?? [], channels);
}

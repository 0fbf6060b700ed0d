import { type AlertReach, measureAlertReach } from '@certloop/contracts';
import { yieldBetween } from '@certloop/db';
import type { DbDeps } from '../db-deps.js';
import { judgeGroups } from '../integrations/kinds/group/group-members.js';
import { listedWithState } from './channel-view.js';
import { listChannelsOfProjects } from './channels.repository.js';
import type { ChannelNotifier } from './channels.service.js';
import { countAssignments } from './check-channels.repository.js';

export interface AlertReachDeps extends DbDeps {
  readonly notifier: Pick<ChannelNotifier, 'obstacle'>;
}

/** Whether the alerts of each of these projects reach people, or those of checks with a tag. Reads all in two statements. */
export async function readAlertReach(
  { db, clock, notifier }: AlertReachDeps,
  projectIds: readonly string[],
  tag?: string,
): Promise<ReadonlyMap<string, AlertReach>> {
  const { channels, assignments } = await db.longRead(async (tx) => ({
    channels: await listChannelsOfProjects(tx, projectIds),
    assignments: await countAssignments(tx, projectIds, tag),
  }));
  const now = clock.now();
  const reaches = new Map<string, AlertReach>();
  for await (const projectId of yieldBetween(projectIds)) {
    const found = channels.get(projectId) ?? [];
    const obstacle = judgeGroups(found, notifier.obstacle);
    const integrations = found.map((one) => listedWithState(one, now, obstacle(one)));
    const uuids = new Map(found.map(({ id, uuid }) => [String(id), uuid]));
    const checks = (assignments.get(projectId) ?? []).map(({ channelIds, count }) => ({
      channels: channelIds.flatMap((id) => uuids.get(id) ?? []).join(','),
      count,
    }));
    reaches.set(projectId, measureAlertReach(checks, integrations));
  }
  return reaches;
}

import type { AccountProject, AlertReach, CheckCounts } from '@certloop/contracts';
import { yieldBetween } from '@certloop/db';
import { type AlertReachDeps, readAlertReach } from '../../channels/alert-reach.service.js';
import { countProjectChannels } from '../../channels/channels.repository.js';
import { statusOf } from '../../checks/check-summary.js';
import { isoSeconds } from '../../instants.js';
import type { AccountDeps } from '../../projects/create-user.service.js';
import { listOwnProjects, readOwnProject } from '../account-projects.service.js';
import { countsOf } from './check-states.service.js';
import type { CheckSummaries } from './check-summaries.store.js';
import type { LastFlips } from './history/last-flips.store.js';

export interface ProjectCountsDeps extends AlertReachDeps {
  readonly summaries: CheckSummaries;
  readonly lastFlips: LastFlips;
}

/** A project with the counts of its checks and integrations. */
export type CountedProject = AccountProject & {
  readonly counts: CheckCounts;
  readonly channels: number;
  readonly failingChannels: number;
  readonly lastFlipAt?: string;
  readonly alerts?: AlertReach;
};

/** The projects of a user, with their counts where these are included. */
export async function listProjects(
  deps: ProjectCountsDeps & AccountDeps,
  user: Parameters<typeof listOwnProjects>[1],
  { include }: { readonly include?: 'counts' | undefined },
): Promise<(AccountProject | CountedProject)[]> {
  const projects = await listOwnProjects(deps, user);
  return include === 'counts' ? countEach(deps, projects) : projects;
}

/** A project of the user, with its counts where these are included. Throws NotFound. */
export async function showProject(
  deps: ProjectCountsDeps & AccountDeps,
  user: Parameters<typeof listOwnProjects>[1],
  { projectId, include }: { readonly projectId: string; readonly include?: 'counts' | undefined },
): Promise<AccountProject | CountedProject> {
  const project = await readOwnProject(deps, user, projectId);
  return include === 'counts' ? ((await countEach(deps, [project]))[0] ?? project) : project;
}

/** Adds to each project the counts of its checks and integrations, and when one of the checks changed last. */
async function countEach(
  deps: ProjectCountsDeps,
  projects: readonly AccountProject[],
): Promise<CountedProject[]> {
  const ids = projects.map(({ id }) => id);
  const channels = await deps.db.read((tx) => countProjectChannels(tx, ids));
  const reaches = await readAlertReach(deps, ids);
  const counted: CountedProject[] = [];
  for await (const project of yieldBetween(projects)) {
    const summaries = await deps.summaries.list(project.id);
    const now = deps.clock.now();
    const counts = countsOf(summaries.map((check) => ({ check, status: statusOf(check, now) })));
    const { all = 0, failing = 0 } = channels.get(project.id) ?? {};
    const lastFlip = await deps.lastFlips.of(project.id);
    const alerts = reaches.get(project.id);
    counted.push({
      ...project,
      counts,
      channels: all,
      failingChannels: failing,
      ...(lastFlip !== undefined && { lastFlipAt: isoSeconds(lastFlip) }),
      ...(alerts !== undefined && { alerts }),
    });
  }
  return counted;
}

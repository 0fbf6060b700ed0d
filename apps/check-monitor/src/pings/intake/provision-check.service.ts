import { Forbidden, NotFound } from '@certloop/contracts';
import type { Tx } from '@certloop/db';
import { assignAllChannels } from '../../channels/channels.service.js';
import { defaultSettings } from '../../checks/check.js';
import { findChecksBySlug } from '../../checks/rows/checks.repository.js';
import { addCheck, requireRoom, type WriteCheckDeps } from '../../checks/write-check.service.js';
import { findProjectByPingKey, findProjectForShare } from '../../projects/projects.repository.js';
import { lockOwner, type User } from '../../projects/users.repository.js';
import { wrongUrl } from '../incoming-ping.js';
import type { SlugTarget } from '../ping-address.js';

export type ProvisionDeps = Pick<WriteCheckDeps, 'newUuid' | 'clock' | 'checkLimit'>;

const maxSlugLength = 100;

/**
 * Makes the check that a ping asks for, with all channels of its project, unless someone else was quicker; returns
 * its uuid. Throws NotFound beyond twice the limit of the account, InvalidInput for a slug that is too long.
 */
export async function provisionCheck(
  deps: ProvisionDeps,
  tx: Tx,
  { pingKey, slug }: SlugTarget,
): Promise<{ readonly uuid: string; readonly isNew: boolean }> {
  const project = await findProjectByPingKey(tx, pingKey);
  if (project === undefined) throw new NotFound('not found');
  if (slug.length > maxSlugLength) throw wrongUrl();
  const owner = await lockOwner(tx, project.ownerId);
  if ((await findProjectForShare(tx, project.id)) === undefined) throw new NotFound('not found');
  const [existing] = await findChecksBySlug(tx, project.id, slug);
  if (existing !== undefined) return { uuid: existing.uuid, isNew: false };
  requireTwiceTheRoom(deps, owner);
  const check = await addCheck(deps, tx, owner, project.id, { ...defaultSettings, name: slug, slug });
  await assignAllChannels(tx, project.id, check.id);
  return { uuid: check.uuid, isNew: true };
}

function requireTwiceTheRoom(deps: ProvisionDeps, owner: User): void {
  try {
    requireRoom(deps, owner, 2);
  } catch (error) {
    // jobs that ping learn nothing of limits
    throw error instanceof Forbidden ? new NotFound('not found', { cause: error }) : error;
  }
}

import { Forbidden, NotFound } from '@certloop/contracts';
import type { Tx } from '@certloop/db';
import { assignAllChannels } from '../channels/channels.service.js';
import { defaultSettings } from '../checks/check.js';
import { findChecksBySlug } from '../checks/checks.repository.js';
import { addCheck, requireRoom, type WriteCheckDeps } from '../checks/write-check.service.js';
import { findProjectByPingKey, holdOwner, type User } from '../projects/projects.repository.js';
import { wrongUrl } from './incoming-ping.js';
import type { PingTarget } from './ping-address.js';

export type ProvisionDeps = Pick<WriteCheckDeps, 'newUuid' | 'now' | 'checkLimit'>;

const longestSlug = 100;

/**
 * Makes the check that a ping asks for, with all channels of its project; false when somebody else was quicker.
 * Throws NotFound beyond twice the limit of the account, InvalidInput for a slug that is too long.
 */
export async function provisionCheck(deps: ProvisionDeps, tx: Tx, target: PingTarget): Promise<boolean> {
  const project = target.kind === 'slug' ? await findProjectByPingKey(tx, target.pingKey) : undefined;
  if (target.kind === 'uuid' || project === undefined) throw new NotFound('not found');
  const { slug } = target;
  if (slug.length > longestSlug) throw wrongUrl();
  const owner = await holdOwner(tx, project.ownerId);
  const [existing] = await findChecksBySlug(tx, project.id, slug);
  if (existing !== undefined) return false;
  requireTwiceTheRoom(deps, owner);
  const check = await addCheck(deps, tx, owner, project.id, { ...defaultSettings, name: slug, slug });
  await assignAllChannels(tx, project.id, check.id);
  return true;
}

function requireTwiceTheRoom(deps: ProvisionDeps, owner: User): void {
  try {
    requireRoom(deps, owner, 2);
  } catch (error) {
    // jobs that ping are not told of limits
    throw error instanceof Forbidden ? new NotFound('not found', { cause: error }) : error;
  }
}

import { Conflict, Forbidden, NotFound } from '@certloop/contracts';
import type { Database, Tx } from '@certloop/db';
import { assignAllChannels } from '../../channels/channels.service.js';
import { defaultSettings } from '../../checks/check.js';
import { findChecksBySlug, findUuidsBySlug } from '../../checks/rows/checks.repository.js';
import { addCheck, requireRoom, type WriteCheckDeps } from '../../checks/write-check.service.js';
import { findProjectByPingKey, findProjectForShare } from '../../projects/projects.repository.js';
import { lockOwner, type User } from '../../projects/users.repository.js';
import { createPingBatcher, type PingBatcherDeps } from '../batches/batch-pings.service.js';
import { findKnownChecks } from '../batches/known-checks.repository.js';
import type { PingRefusal } from '../batches/ping-batch.service.js';
import { insertPingsLocked } from '../batches/store-pings.service.js';
import { type IncomingPing, readExitStatus, readRunId, wrongUrl } from '../incoming-ping.js';
import type { PingTarget, SlugTarget } from '../ping-address.js';
import { pruneAfter } from '../prune-alerts.service.js';

export type ReceivePingDeps = PingBatcherDeps & ProvisionDeps;

/** Accepts pings. */
export interface PingIntake {
  /**
   * Resolves when the ping and its effects are on disk; `isNew` if the ping created its check. Rejects
   * with NotFound, Conflict for a slug of several checks, or InvalidInput for a wrong address.
   */
  receive(ping: IncomingPing): Promise<{ readonly isNew: boolean }>;
  /** Uuid of the check of a target, for a ping whose body is read only where there is one. Rejects as `receive` does. */
  find(target: PingTarget): Promise<string>;
}

/** Creates an intake that stores concurrent pings in batches, which grow with the load; a single ping does not wait. */
export function createPingIntake(deps: ReceivePingDeps): PingIntake {
  const store = createPingBatcher(deps);
  return {
    receive: async (ping) => {
      const { target } = ping.address;
      const uuid = target.kind === 'uuid' ? target.uuid : await findTarget(deps, target);
      if (uuid === undefined) return provisionAndStore(deps, ping, target as SlugTarget);
      const refusal = await store({ uuid, ping });
      // deleted since its slug was looked up
      if (refusal instanceof NotFound && target.kind === 'slug' && target.create)
        return provisionAndStore(deps, ping, target);
      requireStored(refusal);
      return { isNew: false };
    },
    find: async (target) => {
      const uuid = target.kind === 'uuid' ? target.uuid : await findTarget(deps, target);
      const [check] = uuid === undefined ? [] : await findKnownChecks(deps.db, [uuid]);
      if (check === undefined) throw new NotFound('not found');
      return check.uuid;
    },
  };
}

async function provisionAndStore(
  deps: ReceivePingDeps,
  ping: IncomingPing,
  target: SlugTarget,
): Promise<{ readonly isNew: boolean }> {
  // an invalid address must not create a check
  readExitStatus(ping.address);
  readRunId(ping.address);
  const { uuid, isNew, stored } = await deps.db.transaction(async (tx) => {
    const provisioned = await provisionCheck(deps, tx, target);
    const { refusals, stored } = await insertPingsLocked(deps, tx, [{ uuid: provisioned.uuid, ping }]);
    requireStored(refusals[0]);
    return { ...provisioned, stored };
  });
  deps.noteChange?.(uuid, isNew);
  await pruneAfter(deps, stored);
  return { isNew };
}

function requireStored(refusal: PingRefusal): void {
  if (refusal !== undefined) throw refusal;
}

/**
 * Uuid of the check of a slug; undefined if there is none and it is to be made. Throws InvalidInput for what is no
 * slug, Conflict for one of several checks, NotFound.
 */
async function findTarget(
  { db }: { readonly db: Database },
  { pingKey, slug, create }: SlugTarget,
): Promise<string | undefined> {
  if (slug !== slug.toLowerCase()) throw wrongUrl();
  const [found, another] = await db.read((tx) => findUuidsBySlug(tx, pingKey, slug));
  if (another !== undefined) throw new Conflict('ambiguous slug');
  if (found === undefined && !create) throw new NotFound('not found');
  return found;
}

type ProvisionDeps = Pick<WriteCheckDeps, 'newUuid' | 'clock' | 'checkLimit'>;

const maxSlugLength = 100;

/**
 * Makes the check that a ping asks for, with all channels of its project, unless someone else was quicker; returns
 * its uuid. Throws NotFound beyond twice the limit of the account, InvalidInput for a slug that is too long.
 */
async function provisionCheck(
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

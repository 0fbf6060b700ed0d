import { NotFound } from '@certloop/contracts';
import { createPingBatcher, type PingBatcherDeps } from '../batches/batch-pings.service.js';
import { findKnownChecks } from '../batches/known-checks.repository.js';
import type { PingRefusal } from '../batches/ping-batch.service.js';
import { insertPingsLocked } from '../batches/store-pings.service.js';
import { type IncomingPing, readExitStatus, readRunId } from '../incoming-ping.js';
import type { PingTarget, SlugTarget } from '../ping-address.js';
import { pruneAfter } from '../prune-alerts.service.js';
import { findTarget } from './find-target.service.js';
import { type ProvisionDeps, provisionCheck } from './provision-check.service.js';

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

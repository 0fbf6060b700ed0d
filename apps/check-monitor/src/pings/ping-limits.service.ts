import type { Tx } from '@certloop/db';
import { getProject } from '../projects/projects.repository.js';
import { findPingLimit } from '../projects/users.repository.js';

/** How many pings are stored. */
export interface PingLimits {
  /** Pings stored of each check where the account has no limit of its own. */
  readonly pingLimit: number;
}

/** Pings stored of each check of a project. */
export async function pingLimitOf({ pingLimit }: PingLimits, tx: Tx, projectId: string): Promise<number> {
  const { ownerId } = await getProject(tx, projectId);
  return (await findPingLimit(tx, ownerId)) ?? pingLimit;
}

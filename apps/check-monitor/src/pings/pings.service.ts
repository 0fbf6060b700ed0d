import { NotFound } from '@certloop/contracts';
import type { Database, Tx } from '@certloop/db';
import { readCheck } from '../checks/checks.service.js';
import type { Caller } from '../projects/caller.js';
import { maxRunDuration, pairRuns, type RunEvent } from './durations.js';
import { type PingLimits, pingLimitOf } from './ping-limits.service.js';
import { findEarlierRunEvent, findPing, listLatestPings, type PingSummary } from './pings.repository.js';

export interface PingsDeps extends PingLimits {
  readonly db: Database;
}

export interface PingPage {
  /** Uuid of the check, for addresses. */
  readonly uuid: string;
  /** Newest first. */
  readonly pings: readonly PingSummary[];
  /** Microseconds that the run took which a ping ended, by the number of the ping. */
  readonly durations: ReadonlyMap<number, number>;
}

const maxListed = 1000;

/** Latest pings of a check. Throws NotFound, or Forbidden when it is another project's. */
export async function listPings(deps: PingsDeps, caller: Caller, uuid: string): Promise<PingPage> {
  return deps.db.read(async (tx) => {
    const check = await readCheck(tx, caller, uuid);
    const limit = await pingLimitOf(deps, tx, check.projectId);
    const found = await listLatestPings(tx, check.id, Math.min(limit, maxListed));
    const { durations, lookups } = pairRuns(found.toReversed());
    const all = new Map(durations);
    for (const end of lookups) {
      const duration = await findDuration(tx, check.id, end);
      if (duration !== undefined) all.set(end.n, duration);
    }
    return { uuid: check.uuid, pings: found, durations: all };
  });
}

/** Body of a ping. Throws NotFound also when it has none, or the ping is no longer stored. */
export async function readPingBody(
  deps: PingsDeps,
  caller: Caller,
  uuid: string,
  n: number,
): Promise<Uint8Array> {
  return deps.db.read(async (tx) => {
    const check = await readCheck(tx, caller, uuid);
    const limit = await pingLimitOf(deps, tx, check.projectId);
    const isStored = Number.isSafeInteger(n) && n > check.pingCount - limit;
    const ping = isStored ? await findPing(tx, check.id, n) : undefined;
    if (ping?.body == null) throw new NotFound('the ping is not stored, or has no body');
    return ping.body;
  });
}

/** Duration of the run that a ping ended, where its start lies before the page. */
async function findDuration(tx: Tx, checkId: number, end: RunEvent): Promise<number | undefined> {
  const begin = await findEarlierRunEvent(tx, checkId, end, end.at - maxRunDuration);
  return begin?.signal === 'start' ? Math.max(0, end.at - begin.at) : undefined;
}

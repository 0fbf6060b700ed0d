import { setImmediate as nextRound } from 'node:timers/promises';
import type { Database } from '@certloop/db';
import type { IncomingPing } from './incoming-ping.js';
import { type ProvisionDeps, provisionCheck } from './provision-check.service.js';
import { type PingOutcome, type StorePingsDeps, storePings } from './store-pings.service.js';

export interface ReceivePingDeps extends StorePingsDeps, ProvisionDeps {
  readonly database: Database;
}

/** Takes pings in. */
export interface PingIntake {
  /**
   * Resolves when the ping is on disk with all that it changed; `isNew` tells that the check was made for it. Rejects
   * with NotFound, Conflict for a slug of several checks, or InvalidInput for a wrong address.
   */
  receive(ping: IncomingPing): Promise<{ readonly isNew: boolean }>;
}

interface Waiting {
  readonly ping: IncomingPing;
  readonly settle: (outcome: PingOutcome) => void;
  readonly fail: (error: unknown) => void;
}

const mostAtOnce = 200;

/**
 * Intake that stores together what arrives together: while one transaction is on its way to the disk, pings gather
 * for the next. A lone ping does not wait, and throughput grows with the load.
 */
export function createPingIntake(deps: ReceivePingDeps): PingIntake {
  // a server of its own works on one batch while another one is made ready here
  const mostBatches = deps.database.dialect.name === 'postgres' ? 2 : 1;
  let waiting: Waiting[] = [];
  const underWay = new Set<readonly Waiting[]>();
  let isGathering = false;

  const mayBegin = (): boolean => {
    if (waiting.length === 0 || isGathering || underWay.size >= mostBatches) return false;
    // a batch that begins too early is too small to be worth its way to the disk
    return [...underWay].every((batch) => waiting.length * 2 >= batch.length);
  };

  const begin = async (): Promise<void> => {
    isGathering = true;
    // what else has arrived is read first: SQLite answers without ever letting the process look at its sockets
    await nextRound();
    isGathering = false;
    const batch = waiting.slice(0, mostAtOnce);
    waiting = waiting.slice(mostAtOnce);
    underWay.add(batch);
    if (mayBegin()) void begin();
    await storeBatch(deps, batch);
    underWay.delete(batch);
    if (mayBegin()) void begin();
  };

  const store = (ping: IncomingPing): Promise<PingOutcome> =>
    new Promise((settle, fail) => {
      waiting.push({ ping, settle, fail });
      if (mayBegin()) void begin();
    });

  return {
    receive: async (ping) => {
      const outcome = await store(ping);
      if (outcome.kind === 'unprovisioned') return provisionAndStore(deps, ping);
      return settled(outcome, false);
    },
  };
}

/** One transaction for all; when it fails, one for each, so that a ping that breaks it takes no other along. */
async function storeBatch(deps: ReceivePingDeps, batch: readonly Waiting[]): Promise<void> {
  try {
    const pings = batch.map(({ ping }) => ping);
    const outcomes = await deps.database.transaction((tx) => storePings(deps, tx, pings));
    batch.forEach(({ settle, fail }, index) => {
      const outcome = outcomes[index];
      if (outcome === undefined) fail(new Error('a ping has no outcome'));
      else settle(outcome);
    });
  } catch (error) {
    const [only, ...others] = batch;
    if (others.length === 0) only?.fail(error);
    else for (const one of batch) await storeBatch(deps, [one]);
  }
}

async function provisionAndStore(
  deps: ReceivePingDeps,
  ping: IncomingPing,
): Promise<{ readonly isNew: boolean }> {
  return deps.database.transaction(async (tx) => {
    const isNew = await provisionCheck(deps, tx, ping.address.target);
    const [outcome] = await storePings(deps, tx, [ping]);
    return settled(outcome, isNew);
  });
}

function settled(outcome: PingOutcome | undefined, isNew: boolean): { readonly isNew: boolean } {
  if (outcome?.kind === 'refused') throw outcome.refusal;
  if (outcome?.kind !== 'stored') throw new Error('the check is gone within its own transaction');
  return { isNew };
}

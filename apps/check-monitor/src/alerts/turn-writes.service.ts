import { setTimeout as pause } from 'node:timers/promises';
import type { Tx } from '@certloop/db';
import type { Logger } from '@certloop/server';
import type { DbDeps } from '../db-deps.js';
import type { Micros } from '../instants.js';
import { settleNotifications } from '../notifications/notifications.repository.js';
import { leadOf } from './batches.js';
import type { QueuedBatch } from './turn-rows.repository.js';

/** Returns what `work` returns, once it and what has arrived before it are stored. */
export type Persist = <Value>(work: (tx: Tx) => Promise<Value>) => Promise<Value>;

/** Writes of a turn, which are repeated until the database is back. */
export interface TurnWrites {
  /** Batches that have arrived; the next write records it. */
  readonly arrived: QueuedBatch[];
  readonly persist: Persist;
  /** Records what has arrived, if anything has. */
  recordArrived(): Promise<void>;
}

interface TurnWritesDeps extends DbDeps {
  readonly logger: Logger;
}

export function createTurnWrites(
  { db, clock, logger }: TurnWritesDeps,
  isStopping: () => boolean,
): TurnWrites {
  const arrived: QueuedBatch[] = [];
  const persist: Persist = (work) => {
    const settled = arrived.splice(0);
    const write = async (tx: Tx) => {
      await settleArrived(tx, settled, clock.now());
      return work(tx);
    };
    return retryUntilStored(() => db.transaction(write), { logger, isStopping });
  };
  return {
    arrived,
    persist,
    recordArrived: async () => {
      if (arrived.length > 0) await persist(async () => undefined);
    },
  };
}

/** Settles batches that have arrived; the rows of most in one statement. */
async function settleArrived(tx: Tx, batches: readonly QueuedBatch[], settledAt: Micros): Promise<void> {
  const single = batches.flatMap(({ rows }) => (rows.length === 1 ? rows : []));
  await settleNotifications(tx, single, { error: null, settledAt });
  for (const batch of batches) {
    if (batch.rows.length === 1) continue;
    const carriedBy = leadOf(batch).deliveryId;
    await settleNotifications(tx, batch.rows, { error: null, settledAt, carriedBy });
  }
}

const persistPauseMs = 1000;
const maxPersistTries = 300;

/** Retries until the database is back: a sent message that is not recorded would be sent twice. */
async function retryUntilStored<Value>(
  work: () => Promise<Value>,
  { logger, isStopping }: { readonly logger: Logger; readonly isStopping: () => boolean },
): Promise<Value> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (isStopping() || tries === maxPersistTries) throw error;
      if (tries === 1) logger.warn({ error }, 'alert.result_not_recorded_yet');
      await pause(persistPauseMs, undefined, { ref: false });
    }
  }
}

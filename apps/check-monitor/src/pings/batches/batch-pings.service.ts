import { setImmediate as nextRound } from 'node:timers/promises';
import { type Database, DatabaseUnavailable } from '@certloop/db';
import { createKnownChecks } from './known-checks.store.js';
import { type AddressedPing, outdated, type PingRefusal, type StorePingsDeps } from './ping-batch.service.js';
import { storePings, storePingsLocked } from './store-pings.service.js';

export interface PingBatcherDeps extends StorePingsDeps {
  /** Called with the number of pings that are stored together. */
  readonly onBatch?: (size: number) => void;
  /** Called for the check of each stored ping; `isNew` if the ping created the check. */
  readonly noteChange?: (uuid: string, isNew?: boolean) => void;
}

interface WaitingPing extends AddressedPing {
  readonly settle: (outcome: PingRefusal) => void;
  readonly fail: (error: unknown) => void;
}

const maxConcurrent = 100;

/**
 * A function that stores pings in batches; it resolves when the ping is on disk, or with why it is not stored.
 *
 * While one batch is being written, pings wait for the next one. A check is in one batch at a time only, since the next
 * batch starts from the state that this one writes.
 */
export function createPingBatcher(deps: PingBatcherDeps): (ping: AddressedPing) => Promise<PingRefusal> {
  // PostgreSQL writes one batch while this process prepares another
  const maxBatches = deps.db.autocommit === undefined ? 1 : 2;
  const checks = createKnownChecks();
  const underWay = new Set<readonly WaitingPing[]>();
  const busy = new Set<string>();
  let waiting: WaitingPing[] = [];
  let isCollecting = false;

  const mayBegin = (): boolean => {
    if (waiting.length === 0 || isCollecting || underWay.size >= maxBatches) return false;
    // a batch that begins too early is too small to be worth a commit
    return [...underWay].every((batch) => waiting.length >= batch.length);
  };

  /** Takes batches of equal size: while the server writes one, clients of the other get responses and ping again. */
  const takeBatch = (): WaitingPing[] => {
    const all = [...underWay].reduce((sum, batch) => sum + batch.length, waiting.length);
    const max = Math.min(maxConcurrent, Math.ceil(all / maxBatches));
    const batch: WaitingPing[] = [];
    const left: WaitingPing[] = [];
    for (const one of waiting) (batch.length < max && !busy.has(one.uuid) ? batch : left).push(one);
    waiting = left;
    return batch;
  };

  const begin = async (): Promise<void> => {
    isCollecting = true;
    // reads further pings first: a write on SQLite never lets the process read its sockets
    await nextRound();
    isCollecting = false;
    const batch = takeBatch();
    if (batch.length === 0) return;
    deps.onBatch?.(batch.length);
    underWay.add(batch);
    for (const { uuid } of batch) busy.add(uuid);
    if (mayBegin()) void begin();
    await storeBatch(batch);
    underWay.delete(batch);
    for (const { uuid } of batch) busy.delete(uuid);
    if (mayBegin()) void begin();
  };

  const storeBatch = async (batch: readonly WaitingPing[]): Promise<void> => {
    const { db } = deps;
    const left = await storeTogether(db, batch, (pings) => storePings(deps, checks, pings));
    await storeTogether(db, left, (pings) => storePingsLocked(deps, pings));
  };

  return (ping) =>
    new Promise((settle, fail) => {
      const noted = (outcome: PingRefusal) => {
        if (outcome === undefined) deps.noteChange?.(ping.uuid);
        settle(outcome);
      };
      waiting.push({ ...ping, settle: noted, fail });
      if (mayBegin()) void begin();
    });
}

/**
 * Stores the batch; if this fails, stores each ping alone, so that a faulty ping does not fail the others. If the
 * database is down, all fail at once instead of waiting in turn. Returns the pings whose check another process changed.
 */
async function storeTogether(
  db: Database,
  batch: readonly WaitingPing[],
  store: (pings: readonly WaitingPing[]) => Promise<(PingRefusal | typeof outdated)[]>,
): Promise<WaitingPing[]> {
  const [only, ...others] = batch;
  if (only === undefined) return [];
  try {
    const outcomes = await store(batch);
    const isOutdated = batch.map(({ settle }, place) => {
      const outcome = outcomes[place];
      if (outcome !== outdated) settle(outcome);
      return outcome === outdated;
    });
    return batch.filter((_, place) => isOutdated[place]);
  } catch (error) {
    const left: WaitingPing[] = [];
    if (others.length === 0 || (await isAway(db, error))) for (const { fail } of batch) fail(error);
    else for (const one of batch) left.push(...(await storeTogether(db, [one], store)));
    return left;
  }
}

function isAway(db: Database, error: unknown): Promise<boolean> {
  if (error instanceof DatabaseUnavailable) return Promise.resolve(true);
  return db.ping().then(
    () => false,
    () => true,
  );
}

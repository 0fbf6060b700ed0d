import { createHash, randomBytes } from 'node:crypto';
import { createGrowingCache } from '../concurrency/growing-cache.js';
import { forgetStrikesMs, newTally, type Tally } from './failure-tally.js';

/** Tallies by key in bounded memory. */
export interface FailureTallies {
  /** Tally of the key; a new one if there is none. */
  get(key: string, now: number): Tally;
  /** Makes sure that a tally that was blocked is not replaced by those of other keys. */
  storeBlocked(key: string, tally: Tally): void;
  /** Forgets all failures of the key. */
  forgive(key: string): void;
}

const maxTallies = 20_000;
const sharedTallies = 1024;
const sweepEveryMs = 1000;

/**
 * At most 20,000 tallies that have no block, of which the least recently used one makes room for another, and as many
 * that were blocked, which stay until their block is over. While all of these are blocked, keys that have none share
 * 1,024 tallies: guessing from new networks stays limited, and no client is blocked by a full memory alone.
 */
export function createFailureTallies(): FailureTallies {
  const open = createGrowingCache<Tally>(maxTallies);
  const blocked = new Map<string, Tally>();
  const shared = Array.from({ length: sharedTallies }, newTally);
  // else a stranger could choose keys that share the tally of another
  const salt = randomBytes(16);
  let sweptAt = Number.NEGATIVE_INFINITY;

  const hasRoom = (now: number): boolean => {
    if (blocked.size < maxTallies) return true;
    if (Math.abs(now - sweptAt) >= sweepEveryMs) {
      sweptAt = now;
      for (const [key, tally] of blocked) {
        if (tally.blockedUntil <= now && tally.pending === 0) blocked.delete(key);
      }
    }
    return blocked.size < maxTallies;
  };

  return {
    get: (key, now) => {
      const found = blocked.get(key);
      if (found !== undefined) {
        if (now - found.blockedUntil <= forgetStrikesMs || found.pending > 0) return found;
        blocked.delete(key);
      }
      if (!hasRoom(now)) return shared[sharedIndex(salt, key)] ?? newTally();
      const tally = open.get(key) ?? newTally();
      open.set(key, tally);
      return tally;
    },
    storeBlocked: (key, tally) => {
      if (shared.includes(tally)) return;
      open.delete(key);
      blocked.set(key, tally);
    },
    forgive: (key) => {
      for (const tally of [open.get(key), blocked.get(key)]) {
        if (tally !== undefined) Object.assign(tally, { failures: [], strikes: 0 });
      }
      blocked.delete(key);
    },
  };
}

function sharedIndex(salt: Buffer, key: string): number {
  return createHash('sha256').update(salt).update(key).digest().readUInt16BE(0) % sharedTallies;
}

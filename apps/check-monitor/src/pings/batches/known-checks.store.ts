import { createGrowingCache } from '@certloop/server';
import type { CheckState } from '../../checks/check.js';
import type { CheckTiming } from '../../checks/check-timing.js';
import type { PingRing } from '../ping-ring.js';
import type { PingFilter } from '../signal.js';

/** Columns of a check that its pings need. */
export interface KnownCheck extends CheckTiming, PingFilter, CheckState, PingRing {
  readonly id: number;
  readonly uuid: string;
  /** Rises with every change, so that a write based on an outdated row is refused. */
  readonly revision: number;
  /** Pings stored of each check of its account; null where the account has no limit of its own. */
  readonly pingLimit: number | null;
}

/**
 * Checks as the last ping left them, by uuid. Others change checks too, here and in other processes: what is known
 * counts only as long as its revision does.
 */
export interface KnownChecks {
  get(uuid: string): KnownCheck | undefined;
  /** Stores the check, unless there are too many. */
  add(check: KnownCheck): void;
  forget(uuid: string): void;
}

// some 500 bytes each
const maxStored = 50_000;
// Jobs ping in turn: if each check that is not known replaced another one, then of a few checks too many each
// would be forgotten just before its next ping.
const addedOf = 8;

export function createKnownChecks(max = maxStored): KnownChecks {
  // the one whose latest ping is the longest ago goes first
  const stored = createGrowingCache<KnownCheck>(max);
  let refused = 0;
  return {
    get: (uuid) => stored.get(uuid),
    add: (check) => {
      if (stored.size >= max && !stored.has(check.uuid)) {
        refused = (refused + 1) % addedOf;
        if (refused !== 0) return;
      }
      stored.set(check.uuid, check);
    },
    forget: (uuid) => void stored.delete(uuid),
  };
}

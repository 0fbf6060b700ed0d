import type { CheckState } from '../checks/check.js';
import type { CheckTiming } from '../checks/check-state.js';
import type { PingFilter } from './signal.js';

/** What pings need to know of their check. */
export interface KnownCheck extends CheckTiming, PingFilter, CheckState {
  readonly id: number;
  readonly uuid: string;
  /** Rises with every change, so that what is written on an outdated knowledge can be told. */
  readonly revision: number;
}

/**
 * Checks as the last ping left them, by uuid. Others change checks too, here and in other processes: what is known
 * counts only as long as its revision does.
 */
export interface KnownChecks {
  get(uuid: string): KnownCheck | undefined;
  keep(check: KnownCheck): void;
  forget(uuid: string): void;
}

// some 500 bytes each
const mostKept = 50_000;

export function createKnownChecks(): KnownChecks {
  const kept = new Map<string, KnownCheck>();
  return {
    get: (uuid) => kept.get(uuid),
    keep: (check) => {
      kept.set(check.uuid, check);
      if (kept.size <= mostKept) return;
      const [oldest] = kept.keys();
      if (oldest !== undefined) kept.delete(oldest);
    },
    forget: (uuid) => void kept.delete(uuid),
  };
}

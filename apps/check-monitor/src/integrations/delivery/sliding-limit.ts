import type { Micros } from '../../instants.js';

/** Limits how often each key has a turn within any window of time. Each process counts for itself. */
export interface SlidingLimit {
  /** How long the next turn of the key is away; 0 where it may be taken now. */
  wait(key: string, now: Micros): Micros;
  /** Counts a turn of the key. */
  count(key: string, now: Micros): void;
  /** Counts a turn if it may be taken now and returns 0, or how long it is away. */
  take(key: string, now: Micros): Micros;
}

export function createSlidingLimit(max: number, window: Micros): SlidingLimit {
  // from the key that was quiet for longest
  const turns = new Map<string, readonly Micros[]>();
  const recent = (key: string, now: Micros) => (turns.get(key) ?? []).filter((turn) => now - turn < window);
  const wait = (key: string, now: Micros) => {
    const [oldest, ...others] = recent(key, now);
    return oldest === undefined || others.length + 1 < max ? 0 : oldest + window - now;
  };
  const count = (key: string, now: Micros) => {
    const counted = [...recent(key, now), now];
    turns.delete(key);
    turns.set(key, counted);
    for (const [quiet, times] of turns) {
      if (now - (times.at(-1) ?? 0) < window) return;
      turns.delete(quiet);
    }
  };
  return {
    wait,
    count,
    take: (key, now) => {
      const away = wait(key, now);
      if (away === 0) count(key, now);
      return away;
    },
  };
}

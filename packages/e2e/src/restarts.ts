const windowMs = 60_000;
const maxRestarts = 5;

/** Counts restarts of one service: `take` returns false for the sixth within a minute. */
export function createRestartLimit(now: () => number): { take(): boolean } {
  let times: readonly number[] = [];
  return {
    take: () => {
      times = times.filter((time) => now() - time < windowMs);
      if (times.length >= maxRestarts) return false;
      times = [...times, now()];
      return true;
    },
  };
}

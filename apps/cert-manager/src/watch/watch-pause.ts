const second = 1000;
const hour = 3600 * second;

/** When a check that could not be brought in line is tried again; `attempts` counts this failure, from 1. */
export function retryAt(attempts: number, now: Date): Date {
  return new Date(now.getTime() + growing(attempts, 10 * second, hour));
}

/** Until when nothing is asked of a monitor that did not answer `count` times in a row. */
export function awayUntil(count: number, now: Date): Date {
  return new Date(now.getTime() + growing(count, 10 * second, 300 * second));
}

/** Until when no check is asked for after the monitor said that there are too many. */
export function roomAskedAt(now: Date): Date {
  return new Date(now.getTime() + 300 * second);
}

function growing(count: number, first: number, limit: number): number {
  return Math.min(limit, first * 2 ** Math.min(count - 1, 20));
}

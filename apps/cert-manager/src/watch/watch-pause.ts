const second = 1000;
const hour = 3600 * second;

/** When a check whose sync failed is retried; `attempts` counts this failure, from 1. */
export function retryAt(attempts: number, now: Date): Date {
  return new Date(now.getTime() + growing(attempts, 10 * second, hour));
}

/** Until when a monitor that did not respond `count` times in a row is not called. */
export function awayUntil(count: number, now: Date): Date {
  return new Date(now.getTime() + growing(count, 10 * second, 300 * second));
}

/** Until when no check is created after the monitor had no room. */
export function roomAskedAt(now: Date): Date {
  return new Date(now.getTime() + 300 * second);
}

/** Whether a pause lasts; one that is longer than any rule allows was begun by a wrong clock. */
export function isPaused(until: Date | undefined, now: Date): boolean {
  const leftMs = (until?.getTime() ?? 0) - now.getTime();
  return leftMs > 0 && leftMs <= hour;
}

function growing(count: number, first: number, limit: number): number {
  return Math.min(limit, first * 2 ** Math.min(count - 1, 20));
}

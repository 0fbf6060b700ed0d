const hour = 3_600_000;
const day = 24 * hour;

/** Periods in which orders and accounts are counted, in milliseconds. */
export const limitPeriods = { day, week: 7 * day, quarter: 90 * day } as const;

/**
 * When an order is possible again if the period has as many as it may have; `oldest` is when the first of the newest so many
 * was placed, undefined if there are fewer. Undefined for at once.
 */
export function endOfLimit(oldest: Date | undefined, periodMs: number, now: Date): Date | undefined {
  if (oldest === undefined) return undefined;
  const end = new Date(oldest.getTime() + periodMs);
  // one from the future was stored by a clock that was wrong
  return end > now && oldest <= now ? end : undefined;
}

/** Whole seconds until the moment, at least one. */
export function secondsUntil(moment: Date, now: Date): number {
  return Math.max(1, Math.ceil((moment.getTime() - now.getTime()) / 1000));
}

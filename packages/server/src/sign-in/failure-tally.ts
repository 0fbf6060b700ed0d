/** Failures of one account, network or pair of both. */
export interface Tally {
  /** Moments of the failures within the window of the rule, in milliseconds. */
  failures: number[];
  /** Attempts under way: they count as failures until they end, or many at once would slip through. */
  pending: number;
  /** How many times in a row the limit was met. */
  strikes: number;
  /** In milliseconds. */
  blockedUntil: number;
}

/** How many failures are allowed, and how long to wait after them. */
export interface TallyRule {
  readonly maxFailures: number;
  readonly windowMs: number;
  readonly firstDelayMs: number;
  readonly maxDelayMs: number;
}

/** Strikes are forgotten this long after the last block. */
export const forgetStrikesMs = 15 * 60_000;

export function newTally(): Tally {
  return { failures: [], pending: 0, strikes: 0, blockedUntil: 0 };
}

/** Milliseconds to wait before the next attempt; 0 when it may begin. */
export function waitOf(tally: Tally, rule: TallyRule, now: number): number {
  // a clock that was set back makes no wait longer than the rule's
  tally.blockedUntil = Math.min(tally.blockedUntil, now + rule.maxDelayMs);
  if (now < tally.blockedUntil) return tally.blockedUntil - now;
  if (now - tally.blockedUntil > forgetStrikesMs) tally.strikes = 0;
  tally.failures = tally.failures.filter((at) => Math.abs(now - at) < rule.windowMs);
  // after a strike, one at a time until one succeeds
  const places = tally.strikes > 0 ? 1 : rule.maxFailures - tally.failures.length;
  return tally.pending < places ? 0 : 1000;
}

/** Counts a failure; true when it blocks the tally. */
export function noteFailure(tally: Tally, rule: TallyRule, now: number): boolean {
  if (tally.failures.length < rule.maxFailures) tally.failures.push(now);
  if (tally.strikes === 0 && tally.failures.length < rule.maxFailures) return false;
  tally.blockedUntil = now + Math.min(rule.maxDelayMs, rule.firstDelayMs * 2 ** tally.strikes);
  // beyond that the delay is at its maximum anyway
  tally.strikes = Math.min(tally.strikes + 1, 30);
  return true;
}

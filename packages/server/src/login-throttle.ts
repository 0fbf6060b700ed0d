import { AppError } from '@certloop/contracts';
import type { Clock } from './clock.js';

/** Slows down who guesses passwords, without locking anybody else out. */
export interface LoginThrottle {
  /**
   * What `work` returns; undefined counts as a failed attempt, what it throws as none at all. Throws a
   * too_many_requests refusal with Retry-After, without doing the work, after too many failures of the account
   * from the address, or of the address alone.
   */
  attempt<T>(account: string, address: string, work: () => Promise<T | undefined>): Promise<T | undefined>;
}

interface Tally {
  /** Moments of the failures of the last minute, in milliseconds. */
  failures: number[];
  /** Attempts under way: they count as failures until they end, or many at once would slip through. */
  pending: number;
  /** How many times in a row the limit was met. */
  strikes: number;
  blockedUntil: number;
}

const windowMs = 60_000;
const firstDelayMs = 15_000;
const longestDelayMs = 15 * 60_000;
const perAccountAndAddress = 10;
const perAddress = 60;
const mostKept = 20_000;

/** Throttle of one service; `onThrottled` is told of each attempt that is turned away. */
export function createLoginThrottle(clock: Clock, onThrottled = (): void => undefined): LoginThrottle {
  const tallies = new Map<string, Tally>();

  const tallyOf = (key: string): Tally => {
    const tally = tallies.get(key) ?? { failures: [], pending: 0, strikes: 0, blockedUntil: 0 };
    // the least lately used one goes when there are too many
    tallies.delete(key);
    tallies.set(key, tally);
    const [oldest] = tallies.keys();
    if (tallies.size > mostKept && oldest !== undefined) tallies.delete(oldest);
    return tally;
  };

  return {
    attempt: async (account, address, work) => {
      const now = clock.now().getTime();
      const own = tallyOf(JSON.stringify([account, address]));
      const wide = tallyOf(address);
      const waitMs = Math.max(waitOf(own, perAccountAndAddress, now), waitOf(wide, perAddress, now));
      if (waitMs > 0) {
        onThrottled();
        throw tooMany(waitMs);
      }
      const result = await counted([own, wide], work);
      if (result !== undefined) Object.assign(own, { failures: [], strikes: 0 });
      else {
        noteFailure(own, perAccountAndAddress, clock.now().getTime());
        noteFailure(wide, perAddress, clock.now().getTime());
      }
      return result;
    },
  };
}

async function counted<T>(tallies: readonly Tally[], work: () => Promise<T>): Promise<T> {
  for (const tally of tallies) tally.pending += 1;
  try {
    return await work();
  } finally {
    for (const tally of tallies) tally.pending -= 1;
  }
}

/** Milliseconds to wait before the next attempt; 0 when it may begin. */
function waitOf(tally: Tally, limit: number, now: number): number {
  if (now < tally.blockedUntil) return tally.blockedUntil - now;
  if (now - tally.blockedUntil > longestDelayMs) tally.strikes = 0;
  tally.failures = tally.failures.filter((at) => now - at < windowMs);
  // once struck, one at a time until one succeeds
  const places = tally.strikes > 0 ? 1 : limit - tally.failures.length;
  return tally.pending < places ? 0 : 1000;
}

function noteFailure(tally: Tally, limit: number, now: number): void {
  tally.failures.push(now);
  if (tally.strikes === 0 && tally.failures.length < limit) return;
  tally.blockedUntil = now + Math.min(longestDelayMs, firstDelayMs * 2 ** tally.strikes);
  tally.strikes += 1;
}

function tooMany(waitMs: number): AppError {
  const seconds = Math.ceil(waitMs / 1000);
  return new AppError('too_many_requests', `too many failed attempts; try again in ${seconds} s`, {
    code: 'login_throttled',
    title: 'Too many failed attempts',
    headers: { 'Retry-After': String(seconds) },
  });
}

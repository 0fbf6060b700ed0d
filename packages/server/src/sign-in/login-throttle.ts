import { AppError } from '@certloop/contracts';
import type { Clock } from '../process/clock.js';
import { createFailureTallies, type FailureTallies } from './failure-tallies.store.js';
import { noteFailure, type Tally, waitOf } from './failure-tally.js';
import { type LimitKind, type LoginLimit, limitsOf, type SignInAttempt } from './login-limits.js';
import type { PasswordTurn } from './password.js';

/** Slows down who guesses passwords, without locking anybody else out. */
export interface LoginThrottle {
  /**
   * Returns what `work` returns; undefined counts as a failed attempt, what it throws as none at all. Throws a
   * too_many_requests refusal with Retry-After, without doing the work, after too many failures as `limitsOf` has them.
   */
  attempt<T>(
    attempt: SignInAttempt,
    work: (turn: PasswordTurn) => Promise<T | undefined>,
  ): Promise<T | undefined>;
}

interface Counted extends LoginLimit {
  readonly tally: Tally;
}

/** Throttle of one service; `onThrottled` is called for each attempt that is turned away. */
export function createLoginThrottle(clock: Clock, onThrottled = (): void => undefined): LoginThrottle {
  const tallies: Readonly<Record<LimitKind, FailureTallies>> = {
    known: createFailureTallies(),
    pair: createFailureTallies(),
    network: createFailureTallies(),
    account: createFailureTallies(),
  };

  return {
    attempt: async (attempt, work) => {
      const now = clock.now().getTime();
      const counted: Counted[] = [];
      for (const limit of limitsOf(attempt)) {
        const tally = tallies[limit.kind].get(limit.key, now);
        const waitMs = limit.isBlocking ? waitOf(tally, limit.rule, now) : 0;
        if (waitMs > 0) {
          onThrottled();
          throw tooMany(waitMs);
        }
        counted.push({ ...limit, tally });
      }
      const turn = turnOf(counted);
      const result = await pending(counted, () => work(turn));
      const endedAt = clock.now().getTime();
      for (const { kind, key, tally, rule } of counted) {
        if (result === undefined) {
          if (noteFailure(tally, rule, endedAt)) tallies[kind].storeBlocked(key, tally);
        } else if (kind === 'pair' || kind === 'known') tallies[kind].forgive(key);
      }
      return result;
    },
  };
}

function turnOf(counted: readonly Counted[]): PasswordTurn {
  const known = counted.find(({ kind }) => kind === 'known');
  return known === undefined ? 'stranger' : known.tally.failures.length + known.tally.pending;
}

async function pending<T>(counted: readonly Counted[], work: () => Promise<T>): Promise<T> {
  // others must not wait for an attempt that does not wait for them
  const places = counted.filter(({ isBlocking }) => isBlocking);
  for (const { tally } of places) tally.pending += 1;
  try {
    return await work();
  } finally {
    for (const { tally } of places) tally.pending -= 1;
  }
}

function tooMany(waitMs: number): AppError {
  const seconds = Math.ceil(waitMs / 1000);
  const way = `try again in ${seconds} s, or in a browser where you signed in within the last 30 days`;
  return new AppError('too_many_requests', `too many failed attempts; ${way}`, {
    code: 'login_throttled',
    title: 'Too many failed attempts',
    headers: { 'Retry-After': String(seconds) },
  });
}

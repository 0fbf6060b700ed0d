import { AppError } from '@certloop/contracts';
import type { Clock } from '../process/clock.js';
import { networkOf } from './client-network.js';
import { createFailureTallies, type FailureTallies } from './failure-tallies.store.js';
import { noteFailure, type Tally, type TallyRule, waitOf } from './failure-tally.js';
import { createKnownNetworks } from './known-networks.store.js';

/** Slows down who guesses passwords, without locking anybody else out. */
export interface LoginThrottle {
  /**
   * What `work` returns; undefined counts as a failed attempt, what it throws as none at all. Throws a
   * too_many_requests refusal with Retry-After, without doing the work, after too many failures of the account
   * from the network of the address, of the network or its site alone, or of the account from networks that it was
   * not signed in from lately.
   */
  attempt<T>(account: string, address: string, work: () => Promise<T | undefined>): Promise<T | undefined>;
}

const minuteMs = 60_000;
const growing = { windowMs: minuteMs, firstDelayMs: 15_000, maxDelayMs: 15 * minuteMs };
const perAccountAndNetwork: TallyRule = { ...growing, maxFailures: 10 };
const perNetwork: TallyRule = { ...growing, maxFailures: 60 };
/** For all networks of an IPv6 site together. */
const perSite: TallyRule = { ...growing, maxFailures: 120 };
/** After 50 failures one attempt each 15 s, 5,760 a day: the wait does not grow, or a stranger could lock an account. */
const perAccount: TallyRule = {
  maxFailures: 50,
  windowMs: 15 * minuteMs,
  firstDelayMs: 15_000,
  maxDelayMs: 15_000,
};

interface Limit {
  readonly tallies: FailureTallies;
  readonly key: string;
  readonly rule: TallyRule;
}

/** A tally that an attempt counts in. */
interface Place extends Limit {
  readonly tally: Tally;
}

/** Throttle of one service; `onThrottled` is called for each attempt that is turned away. */
export function createLoginThrottle(clock: Clock, onThrottled = (): void => undefined): LoginThrottle {
  const pairs = createFailureTallies();
  const networks = createFailureTallies();
  const accounts = createFailureTallies();
  const known = createKnownNetworks();

  return {
    attempt: async (account, address, work) => {
      const now = clock.now().getTime();
      const network = networkOf(address);
      const site = networkOf(address, 48);
      const pair = JSON.stringify([account, network]);
      // widest first: a blocked site must not fill the memory with tallies of its networks
      const limits: readonly Limit[] = [
        ...(site === network ? [] : [{ tallies: networks, key: site, rule: perSite }]),
        { tallies: networks, key: network, rule: perNetwork },
        { tallies: pairs, key: pair, rule: perAccountAndNetwork },
        ...(known.has(account, network, now) ? [] : [{ tallies: accounts, key: account, rule: perAccount }]),
      ];
      const places: Place[] = [];
      for (const limit of limits) {
        const tally = limit.tallies.get(limit.key, now);
        const waitMs = waitOf(tally, limit.rule, now);
        if (waitMs > 0) {
          onThrottled();
          throw tooMany(waitMs);
        }
        places.push({ ...limit, tally });
      }
      const result = await counted(places, work);
      const endedAt = clock.now().getTime();
      if (result === undefined) for (const one of places) noteFailureAt(one, endedAt);
      else {
        pairs.forgive(pair);
        known.note(account, network, endedAt);
      }
      return result;
    },
  };
}

function noteFailureAt({ tallies, key, tally, rule }: Place, now: number): void {
  if (noteFailure(tally, rule, now)) tallies.storeBlocked(key, tally);
}

async function counted<T>(places: readonly Place[], work: () => Promise<T>): Promise<T> {
  for (const { tally } of places) tally.pending += 1;
  try {
    return await work();
  } finally {
    for (const { tally } of places) tally.pending -= 1;
  }
}

function tooMany(waitMs: number): AppError {
  const seconds = Math.ceil(waitMs / 1000);
  return new AppError('too_many_requests', `too many failed attempts; try again in ${seconds} s`, {
    code: 'login_throttled',
    title: 'Too many failed attempts',
    headers: { 'Retry-After': String(seconds) },
  });
}

import { networkOf } from './client-network.js';
import type { TallyRule } from './failure-tally.js';

/** Who tries to sign in. */
export interface SignInAttempt {
  /** Key of the account, of a bounded length. */
  readonly account: string;
  /** Address of the client; empty when unknown. */
  readonly address: string;
  /** Key of the place from which the account was signed in within the last 30 days, a device before a network. */
  readonly knownPlace?: string | undefined;
}

/** Whose failures a limit counts. Tallies of one kind make room only for each other. */
export type LimitKind = 'known' | 'pair' | 'network' | 'account';

/** A tally that an attempt counts in. */
export interface LoginLimit {
  readonly kind: LimitKind;
  readonly key: string;
  readonly rule: TallyRule;
  /** False: the attempt is counted, and never has to wait. */
  readonly isBlocking: boolean;
}

const minuteMs = 60_000;
const growing = { firstDelayMs: 15_000, maxDelayMs: minuteMs };
/** The window is that of an account, else nine failures a minute would be 12,960 a day. */
const perKnownPlace: TallyRule = { ...growing, windowMs: 15 * minuteMs, maxFailures: 10 };
const perPair: TallyRule = { ...growing, windowMs: minuteMs, maxFailures: 10 };
const perNetwork: TallyRule = { ...growing, windowMs: minuteMs, maxFailures: 60 };
/** For all networks of an IPv6 site together. */
const perSite: TallyRule = { ...growing, windowMs: minuteMs, maxFailures: 120 };
/** After 50 failures one attempt each 24 s: the wait does not grow, or a stranger could lock an account */
const perAccount: TallyRule = {
  windowMs: 15 * minuteMs,
  maxFailures: 50,
  firstDelayMs: 24_000,
  maxDelayMs: 24_000,
};

/**
 * Limits of an attempt, the widest first, so that a blocked site does not fill the memory with its networks. From a
 * known place, an attempt is judged by the failures of this account there alone. The account counts them too: who
 * guesses from one known place and from elsewhere gets at most 5,760 tries a day together.
 */
export function limitsOf({ account, address, knownPlace }: SignInAttempt): LoginLimit[] {
  const ofAccount = { kind: 'account', key: account, rule: perAccount } as const;
  if (knownPlace !== undefined) {
    const known = { kind: 'known', key: JSON.stringify([account, knownPlace]), rule: perKnownPlace } as const;
    return [
      { ...known, isBlocking: true },
      { ...ofAccount, isBlocking: false },
    ];
  }
  const network = networkOf(address);
  const site = networkOf(address, 48);
  const limits = [
    ...(site === network ? [] : [{ kind: 'network', key: site, rule: perSite } as const]),
    { kind: 'network', key: network, rule: perNetwork } as const,
    { kind: 'pair', key: JSON.stringify([account, network]), rule: perPair } as const,
    ofAccount,
  ];
  return limits.map((limit) => ({ ...limit, isBlocking: true }));
}

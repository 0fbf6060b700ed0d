import { TooManyRequests } from '@certloop/contracts';
import { type Clock, createGrowingCache } from '@certloop/server';
import { type Draw, drawRequest } from './request-allowance.js';

/** Requests that may be made in a minute; 0 for as many as anybody likes. */
export interface RequestRates {
  /** By one user, whatever they sign in with. */
  readonly perPrincipal: number;
  /** On one space, by whomever. */
  readonly perSpace: number;
}

/** Policy by which a request was counted: a policy with what is left of it. */
export interface Counted extends Draw {
  readonly policy: 'principal' | 'space';
  readonly perMinute: number;
}

/** Counts requests in memory: of this process, since its start. */
export interface RequestLimits {
  /** Counts a request, or one that is as much as several; undefined where there is no limit. */
  count(policy: Counted['policy'], id: string, requests?: number): Counted | undefined;
}

const maxStored = 20_000;

export function createRequestLimits(clock: Clock, rates: RequestRates): RequestLimits {
  const perMinute = { principal: rates.perPrincipal, space: rates.perSpace };
  // the one used least recently goes when there are too many
  const wholeAt = createGrowingCache<number>(maxStored);
  return {
    count: (policy, id, requests) => {
      const rate = perMinute[policy];
      if (rate === 0) return undefined;
      const key = `${policy} ${id}`;
      const draw = drawRequest(wholeAt.get(key), rate, clock.now().getTime(), requests);
      wholeAt.set(key, draw.wholeAt);
      return { ...draw, policy, perMinute: rate };
    },
  };
}

/** Headers with the client's limits (draft-ietf-httpapi-ratelimit-headers); none without limits. */
export function rateHeaders(counted: readonly Counted[]): Readonly<Record<string, string>> {
  if (counted.length === 0) return {};
  const list = (item: (one: Counted) => string) => counted.map(item).join(', ');
  return {
    'RateLimit-Policy': list(({ policy, perMinute }) => `"${policy}";q=${perMinute};w=60`),
    RateLimit: list(({ policy, remaining, resetSeconds }) => `"${policy}";r=${remaining};t=${resetSeconds}`),
  };
}

/** Throws a too_many_requests refusal with Retry-After unless the request was allowed. */
export function requireWithinLimit({ isAllowed, policy, perMinute, waitSeconds }: Counted): void {
  if (isAllowed) return;
  const whose = policy === 'space' ? 'on this space' : 'by you';
  throw new TooManyRequests(`more than ${perMinute} requests a minute ${whose}`, waitSeconds, {
    code: 'rate_limited',
    title: 'Too many requests',
  });
}

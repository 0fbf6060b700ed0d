const windowMs = 60_000;

/** Result of one counted request. */
export interface Draw {
  readonly isAllowed: boolean;
  /** Moment, in milliseconds, from which the allowance is whole again; the caller must store it until then. */
  readonly wholeAt: number;
  /** Requests that may follow at once. */
  readonly remaining: number;
  /** Whole seconds until the allowance is whole again. */
  readonly resetSeconds: number;
  /** Whole seconds after which the same request is allowed again, 0 when it is now. */
  readonly waitSeconds: number;
}

/**
 * Counts a request at `now`, or one that is as much as several, against an allowance of `perMinute`, which fills evenly: after a minute without
 * requests it is whole. `wholeAt` is what the last draw left, undefined before the first. A request that is not
 * allowed costs nothing.
 */
export function drawRequest(wholeAt: number | undefined, perMinute: number, now: number, requests = 1): Draw {
  const costOfOne = windowMs / perMinute;
  const cost = costOfOne * requests;
  // a clock that was set back makes no wait longer than a minute
  const before = Math.min(Math.max(wholeAt ?? now, now), now + windowMs);
  const after = before + cost;
  // milliseconds are not a whole part of every allowance: a thousandth is no one's request
  const isAllowed = after - now <= windowMs + 0.001;
  const nextWholeAt = isAllowed ? after : before;
  const free = Math.floor((windowMs - (nextWholeAt - now)) / costOfOne + 0.000_001);
  return {
    isAllowed,
    wholeAt: nextWholeAt,
    remaining: Math.max(0, free),
    resetSeconds: Math.ceil((nextWholeAt - now) / 1000),
    waitSeconds: free >= requests ? 0 : Math.max(1, Math.ceil((nextWholeAt + cost - windowMs - now) / 1000)),
  };
}

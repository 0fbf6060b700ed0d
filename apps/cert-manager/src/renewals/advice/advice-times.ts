const minute = 60_000;
const hour = 60 * minute;

/**
 * When to ask a CA again about a certificate: when it wants to be asked, but a minute from now at the earliest, and
 * twice a day at least (RFC 9773 §4.3 leaves the bounds to the client).
 */
export function nextAdvice(now: Date, wantedAt: Date | undefined): Date {
  const wanted = wantedAt?.getTime() ?? now.getTime() + 6 * hour;
  return new Date(Math.min(Math.max(wanted, now.getTime() + minute), now.getTime() + 12 * hour));
}

/** When to ask again a CA that did not answer; in the meantime what it said last holds, or the rule. */
export function nextAdviceAfterFault(now: Date): Date {
  return new Date(now.getTime() + hour);
}

/** Until when a worker that asks may be silent before another worker asks. */
export function adviceLeaseUntil(now: Date): Date {
  return new Date(now.getTime() + 10 * minute);
}

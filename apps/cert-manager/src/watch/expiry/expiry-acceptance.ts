export interface ExpiryRequest {
  readonly accepted: boolean;
  /** The end of the newest certificate when absent, but at most a year from now. */
  readonly until?: Date | undefined;
}

/** Until when the expiry is accepted, null for no longer; or what is wrong with which field. */
export type ExpiryVerdict =
  | { readonly until: Date | null }
  | { readonly path: 'accepted' | 'until'; readonly message: string };

/** Validates what is asked for an FQDN whose newest certificate ends at `endsAt`. */
export function validateExpiryRequest(
  { accepted, until }: ExpiryRequest,
  { renewalEnabled, endsAt, now }: { renewalEnabled: boolean; endsAt: Date | undefined; now: Date },
): ExpiryVerdict {
  if (renewalEnabled)
    return { path: 'accepted', message: 'renewal is on for this FQDN; switch it off first' };
  if (!accepted) {
    if (until === undefined) return { until: null };
    return { path: 'until', message: 'is only allowed with accepted true; leave it out' };
  }
  const latest = aYearAfter(now);
  if (until === undefined) {
    if (endsAt === undefined) return { path: 'until', message: noEnd('has no certificate') };
    if (endsAt <= now) return { path: 'until', message: noEnd('has no certificate that is valid') };
    return { until: endsAt < latest ? endsAt : latest };
  }
  if (until <= now) return { path: 'until', message: 'must be in the future' };
  if (until > latest)
    return { path: 'until', message: `must be at most a year ahead: ${latest.toISOString()}` };
  return { until };
}

const noEnd = (state: string) => `is required, as the FQDN ${state}: name a date at most a year ahead`;

function aYearAfter(now: Date): Date {
  const later = new Date(now);
  later.setUTCFullYear(later.getUTCFullYear() + 1);
  return later;
}

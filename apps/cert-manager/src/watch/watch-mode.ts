const day = 86_400_000;
// an older one is out of use
const watchedAfterEndMs = 30 * day;

/**
 * Event that the monitor waits for: a renewal, a new certificate of any origin, or nothing as people accept the expiry.
 */
export type WatchMode = 'renewal' | 'expiry' | 'accepted' | 'no';

export interface WatchFacts {
  readonly renewalEnabled: boolean;
  /** People accept until then that nothing replaces the certificate. */
  readonly expiryAcceptedUntil: Date | null;
  /** The certificate that a server presents becomes the newest one. */
  readonly isAdopting?: boolean;
}

/**
 * How an FQDN is watched. With renewal on: its renewal. With renewal off: the expiry of its newest certificate, revoked
 * or not, until 30 days after its end, unless people accept that for now; and that there is one, if it is to be adopted.
 */
export function watchModeOf(
  { renewalEnabled, expiryAcceptedUntil, isAdopting = false }: WatchFacts,
  newest: { readonly expiresAt: Date } | undefined,
  now: Date,
): WatchMode {
  if (renewalEnabled) return 'renewal';
  if (newest === undefined) return isAdopting ? 'expiry' : 'no';
  if (newest.expiresAt < outOfUseBefore(now)) return 'no';
  return expiryAcceptedUntil !== null && now < expiryAcceptedUntil ? 'accepted' : 'expiry';
}

/** A certificate that ended before this moment is out of use. */
export function outOfUseBefore(now: Date): Date {
  return new Date(now.getTime() - watchedAfterEndMs);
}

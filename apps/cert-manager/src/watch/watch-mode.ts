import type { ClientPart } from '../statuses/computed-status.js';

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
  /** Whether ACME clients are expected to renew a certificate. */
  readonly hasLineages?: boolean;
  /** Whether an ACME client renews the newest certificate, or the one that did is gone. */
  readonly client?: ClientPart | null;
}

/**
 * How an FQDN is watched. With renewal on, or where an ACME client renews: its renewal. With renewal off, or after such a
 * client is gone: the expiry of its newest certificate, revoked
 * or not, until 30 days after its end, unless people accept that for now; and that there is one, if it is to be adopted.
 */
export function watchModeOf(
  { renewalEnabled, expiryAcceptedUntil, isAdopting = false, hasLineages = false, client = null }: WatchFacts,
  newest: { readonly expiresAt: Date } | undefined,
  now: Date,
): WatchMode {
  const isAccepted = !renewalEnabled && expiryAcceptedUntil !== null && now < expiryAcceptedUntil;
  if (hasLineages && !isAccepted) return 'renewal';
  if (renewalEnabled && client === null) return 'renewal';
  if (newest === undefined) return isAdopting ? 'expiry' : 'no';
  if (newest.expiresAt < outOfUseBefore(now)) return 'no';
  return isAccepted ? 'accepted' : 'expiry';
}

/** A certificate that ended before this moment is out of use. */
export function outOfUseBefore(now: Date): Date {
  return new Date(now.getTime() - watchedAfterEndMs);
}

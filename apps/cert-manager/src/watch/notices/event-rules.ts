import { type ExpectedFacts, expectedOfFacts, type StatusFacts } from '../../statuses/computed-status.js';

// tries that fail temporarily: after 1, 10 and 100 minutes the fourth
const noticedTry = 4;

/** Whether people should know of a renewal that failed: it is hopeless, or tries have failed for two hours. */
export function isFailureNews({
  attempt,
  isPermanent,
  isLongExpired,
  isLast,
}: {
  /** Number of the try, from 1. */
  readonly attempt: number;
  /** Further tries change nothing until an owner acts. */
  readonly isPermanent: boolean;
  readonly isLongExpired: boolean;
  /** No try follows. */
  readonly isLast: boolean;
}): boolean {
  return isPermanent || isLongExpired || isLast || attempt >= noticedTry;
}

/**
 * Whether people should know that a certificate expires: it is in use, nothing has replaced it by the time from which its
 * check fails, and its expiry is not accepted.
 */
export function isExpiryNews(facts: DatedFacts, now: Date): boolean {
  const { certificate, renewalEnabled, expiryAcceptedUntil } = facts;
  if (certificate === undefined || certificate.revokedAt !== null || certificate.expiresAt <= now)
    return false;
  const isAccepted = !renewalEnabled && expiryAcceptedUntil !== null && now < expiryAcceptedUntil;
  const expected = expectedOfFacts(facts);
  return !isAccepted && expected !== undefined && expected.attentionAt <= now;
}

type DatedFacts = ExpectedFacts & Pick<StatusFacts, 'expiryAcceptedUntil'>;

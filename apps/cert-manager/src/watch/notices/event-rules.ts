import { maxNoticeMs, noticeAt } from '../../standings/attention.js';

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
 * Whether a certificate that has not expired is to be noticed: 30 days before its end or a third of its lifetime, the
 * shorter; with renewal on, which should have happened by then, a twelfth.
 */
export function isExpiryNews(
  {
    notBefore,
    expiresAt,
    renewalEnabled,
  }: { readonly notBefore: Date; readonly expiresAt: Date; readonly renewalEnabled: boolean },
  now: Date,
): boolean {
  if (now >= expiresAt) return false;
  if (!renewalEnabled) return now >= noticeAt({ notBefore, expiresAt });
  const lifetime = expiresAt.getTime() - notBefore.getTime();
  return expiresAt.getTime() - now.getTime() <= Math.min(maxNoticeMs, lifetime / 12);
}

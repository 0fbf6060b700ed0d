/** A try to renew that failed. */
export interface FailedTry {
  /** Number of the try, from 1. */
  readonly attempt: number;
  readonly now: Date;
  /** Validity of the certificate that is to be renewed. */
  readonly notBefore: Date;
  readonly notAfter: Date;
  /** Further tries change nothing until an owner acts. */
  readonly isPermanent?: boolean;
  /** The CA could not validate a name; CAs bound how often that may fail. */
  readonly isValidation?: boolean;
  /** The CA does not want to be asked before. */
  readonly retryAt?: Date | undefined;
  /** The CA says so because of its rate limits (429). */
  readonly isRateLimited?: boolean;
}

const second = 1000;
const minute = 60 * second;
const day = 24 * 60 * minute;
const firstDelays = [1, 10, 100].map((minutes) => minutes * minute);

/** Of the time that is left, no wait takes more: so at least eight tries follow, whatever the CA answers. */
const shareOfRemaining = 1 / 8;
const shareOfLifetime = 1 / 10;
// at most three an hour; public CAs allow five
const validationDelay = 20 * minute;
const longExpired = 30 * day;

/**
 * When to try again. Before the expiry: after 1, 10 and 100 minutes, then daily, a permanent fault daily, later if the
 * CA asks for it, but never after more than an eighth of the time that is left. A rate limit counts as long as the CA asks
 * for, until the last tenth of the lifetime. After the expiry: each tenth of the lifetime, a minute at least and a day at most; for a permanent
 * fault, pauses double from that tenth to a day; daily after 30 days. A name that could not be validated waits 20
 * minutes at least.
 */
export function nextTry(failed: FailedTry): Date {
  const { now, isValidation, isRateLimited, retryAt } = failed;
  const asked = (retryAt?.getTime() ?? 0) - now.getTime();
  // a CA that says how long to wait for its rate limit knows it better than the own delays
  const isTimed = isRateLimited === true && asked > 0;
  const wanted = Math.max(isTimed ? minDelay(failed) : ownDelay(failed), asked);
  const bounded = Math.min(wanted, isTimed ? rateLimitDelay(failed) : maxDelay(failed));
  return new Date(now.getTime() + (isValidation === true ? Math.max(bounded, validationDelay) : bounded));
}

/** Whether the certificate expired so long ago that its owner may have forgotten it. */
export function isLongExpired({ now, notAfter }: Pick<FailedTry, 'now' | 'notAfter'>): boolean {
  return now.getTime() - notAfter.getTime() > longExpired;
}

function ownDelay({ attempt, isPermanent }: FailedTry): number {
  return isPermanent === true ? day : (firstDelays[attempt - 1] ?? day);
}

/** The longest wait that the certificate bears, in milliseconds. */
function maxDelay(failed: FailedTry): number {
  const { now, notAfter } = failed;
  const remaining = notAfter.getTime() - now.getTime();
  if (remaining > 0) return Math.max(minDelay(failed), remaining * shareOfRemaining);
  return delayAfterExpiry(failed, -remaining);
}

// a lifetime of ten minutes leaves no minute to wait
function minDelay(failed: FailedTry): number {
  return Math.min(minute, Math.max(second, lifetimeOf(failed) / 120));
}

function delayAfterExpiry(failed: FailedTry, expiredFor: number): number {
  if (isLongExpired(failed)) return day;
  const tenth = Math.min(day, Math.max(minute, lifetimeOf(failed) * shareOfLifetime));
  // waiting as long again as since the expiry doubles each pause
  return failed.isPermanent === true ? Math.min(day, Math.max(tenth, expiredFor)) : tenth;
}

function rateLimitDelay(failed: FailedTry): number {
  const lastTenth = failed.notAfter.getTime() - lifetimeOf(failed) * shareOfLifetime;
  return Math.max(maxDelay(failed), lastTenth - failed.now.getTime());
}

/** No failed try is repeated later than this; a later moment was written by a wrong clock. */
export function latestRetry(failed: Pick<FailedTry, 'now' | 'notBefore' | 'notAfter'>): Date {
  const delay = rateLimitDelay({ ...failed, attempt: 1, isPermanent: true });
  return new Date(failed.now.getTime() + Math.max(validationDelay, delay));
}

const lifetimeOf = ({ notBefore, notAfter }: FailedTry): number =>
  Math.max(0, notAfter.getTime() - notBefore.getTime());

/**
 * When an entry whose worker vanished is due again: at once, as the next worker goes on where that one stopped, but
 * ever later when one worker after the other vanishes over it, within the bounds of `nextTry`. `attempt` is the number
 * of the lost try.
 */
export function dueAfterLapse({ attempt, now, notBefore, notAfter }: LostTry): Date {
  const delay = attempt === 1 ? 0 : (firstDelays[attempt - 2] ?? 100 * minute);
  const bound = maxDelay({ attempt, now, notBefore, notAfter });
  return new Date(now.getTime() + Math.min(delay, bound));
}

export type LostTry = Pick<FailedTry, 'attempt' | 'now' | 'notBefore' | 'notAfter'>;

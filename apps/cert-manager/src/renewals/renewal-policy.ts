import { createHash } from 'node:crypto';

/** Window in which a CA wants a certificate renewed (RFC 9773 §4.2). */
export interface RenewalWindow {
  readonly start: Date;
  readonly end: Date;
}

/** What decides when a certificate is renewed. */
export interface RenewalTerms {
  readonly notBefore: Date;
  readonly notAfter: Date;
  readonly window?: RenewalWindow | undefined;
  /** Share of the lifetime, 0.1 to 0.9, after which this FQDN is renewed. */
  readonly fraction?: number | undefined;
  /** Tells certificates apart, so that they are spread: the same one always gets the same moment. */
  readonly seed: string;
}

/** What a renewal follows: the CA's window, the FQDN's own share, two thirds, or half of a short lifetime. */
export type RenewalRule = 'window' | 'fraction' | 'two_thirds' | 'half';

export interface RenewalPlan {
  readonly rule: RenewalRule;
  /** Share of the lifetime that the rule lets pass; absent for a window. */
  readonly fraction?: number;
  /** Bounds of the spread, and the moment that was picked between them. */
  readonly earliest: Date;
  readonly latest: Date;
  readonly renewAt: Date;
  /** The moment is later than the rule says, since the certificate was renewed just before. */
  readonly isResting?: true;
}

const minute = 60_000;
const day = 24 * 60 * minute;
const shortLifetime = 10 * day;
const jitter = 0.05;

/**
 * When a certificate is to be renewed: within its CA's window if there is a sound one, else after a share of its
 * lifetime, spread by 5 % of what is left of it then. The moment may lie in the past.
 */
export function planRenewal(terms: RenewalTerms): RenewalPlan {
  const { window, notAfter, seed } = terms;
  if (window !== undefined && isSound(window, notAfter)) {
    const { start: earliest, end } = window;
    const latest = new Date(Math.min(end.getTime(), notAfter.getTime()));
    // the window is part of the seed: a new one is a new draw, the same one never is
    const renewAt = pick(earliest, latest, `${seed} ${earliest.getTime()} ${end.getTime()}`);
    return { rule: 'window', earliest, latest, renewAt };
  }
  const lifetime = Math.max(0, notAfter.getTime() - terms.notBefore.getTime());
  const { rule, fraction } = shareOf(lifetime, terms.fraction);
  const left = lifetime * (1 - fraction);
  const earliest = new Date(notAfter.getTime() - left * (1 + jitter));
  const latest = new Date(notAfter.getTime() - left * (1 - jitter));
  return { rule, fraction, earliest, latest, renewAt: pick(earliest, latest, seed) };
}

/** RFC 9773 §4.2: a window that ends before it starts is no window; what lies after the expiry would be of no use. */
function isSound({ start, end }: RenewalWindow, notAfter: Date): boolean {
  return start < end && start < notAfter;
}

function shareOf(
  lifetime: number,
  fraction: number | undefined,
): { readonly rule: RenewalRule; readonly fraction: number } {
  if (fraction !== undefined) return { rule: 'fraction', fraction };
  return lifetime <= shortLifetime
    ? { rule: 'half', fraction: 1 / 2 }
    : { rule: 'two_thirds', fraction: 2 / 3 };
}

/** A whole number of seconds after the earliest moment, evenly spread, the same for the same seed. */
function pick(earliest: Date, latest: Date, seed: string): Date {
  const share = createHash('sha256').update(seed).digest().readUIntBE(0, 6) / 2 ** 48;
  const seconds = (latest.getTime() - earliest.getTime()) / 1000;
  return new Date(earliest.getTime() + Math.floor(share * seconds) * 1000);
}

/** A certificate that a renewal brought, and when. */
export interface RenewedTerms {
  readonly renewedAt: Date;
  readonly notAfter: Date;
}

const longestRest = 60 * minute;

/**
 * Moment before which a certificate that a renewal brought is not renewed again, whatever rule or window says: a
 * twentieth of its time after that renewal, a minute at least and an hour at most. Else a CA whose certificates are
 * due as soon as they are issued would be asked without end.
 */
export function restUntil({ renewedAt, notAfter }: RenewedTerms): Date {
  const share = (notAfter.getTime() - renewedAt.getTime()) / 20;
  return new Date(renewedAt.getTime() + Math.min(longestRest, Math.max(minute, share)));
}

/** The plan with that rest kept. */
export function withRest(plan: RenewalPlan, renewed: RenewedTerms): RenewalPlan {
  const rest = restUntil(renewed);
  return rest <= plan.renewAt ? plan : { ...plan, renewAt: rest, isResting: true };
}

/** A try to renew that failed. */
export interface FailedTry {
  /** Number of the try, from 1. */
  readonly attempt: number;
  readonly now: Date;
  /** Expiry of the certificate that is to be renewed. */
  readonly notAfter: Date;
  /** Asking again changes nothing until somebody does something about it. */
  readonly isPermanent?: boolean;
  /** Not before this moment, says the CA. */
  readonly notBefore?: Date | undefined;
}

const firstDelays = [1, 10, 100].map((minutes) => minutes * minute);
const graceAfterExpiry = 30 * day;

/**
 * When to try again: after 1, 10 and 100 minutes, then daily, and more often before the expiry, so that four more
 * tries come before it if it is four minutes away; a permanent fault daily from the start. Undefined when the
 * certificate expired 30 days ago, from the fourth try on: then somebody has to look.
 */
export function nextTry(failed: FailedTry): Date | undefined {
  const { attempt, now, notAfter } = failed;
  const own = now.getTime() + delayOf(failed);
  const wanted = failed.notBefore?.getTime() ?? own;
  // a CA that asks for more than a month is not believed
  const at = Math.min(Math.max(own, wanted), now.getTime() + graceAfterExpiry);
  const isGivenUp = attempt > firstDelays.length && at > notAfter.getTime() + graceAfterExpiry;
  return isGivenUp ? undefined : new Date(at);
}

function delayOf({ attempt, now, notAfter, isPermanent }: FailedTry): number {
  if (isPermanent === true) return day;
  const delay = firstDelays[attempt - 1] ?? day;
  const remaining = notAfter.getTime() - now.getTime();
  return remaining <= 0 ? delay : Math.min(delay, Math.max(minute, remaining / 4));
}

/**
 * When an entry whose worker vanished is due again: at once, as the next worker goes on where that one stopped,
 * but ever later when one worker after the other vanishes over it. `attempt` is the number of the lost try.
 */
export function dueAfterLapse(attempt: number, now: Date): Date {
  const delay = attempt === 1 ? 0 : (firstDelays[attempt - 2] ?? 100 * minute);
  return new Date(now.getTime() + delay);
}

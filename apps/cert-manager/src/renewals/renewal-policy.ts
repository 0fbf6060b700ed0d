import { createHash } from 'node:crypto';

/** Window in which a CA wants a certificate renewed (RFC 9773 §4.2). */
export interface RenewalWindow {
  readonly start: Date;
  readonly end: Date;
}

/** Terms that decide when a certificate is renewed. */
export interface RenewalTerms {
  readonly notBefore: Date;
  readonly notAfter: Date;
  readonly window?: RenewalWindow | undefined;
  /** Share of the lifetime, 0.1 to 0.9, after which this FQDN is renewed. */
  readonly fraction?: number | undefined;
  /** Identifies the certificate, so that moments are spread: the same one always gets the same moment. */
  readonly seed: string;
}

/**
 * Rule that a renewal follows: the CA's window, the FQDN's own share, two thirds, half of a short lifetime, a
 * revocation.
 */
export type RenewalRule = 'window' | 'fraction' | 'two_thirds' | 'half' | 'revoked';

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
/** Share of the lifetime that a window leaves for further tries, however late it is. */
const minShareLeft = 1 / 6;

/**
 * When a certificate is to be renewed: within its CA's window if there is a usable one, as far as that leaves a sixth of
 * the lifetime for further tries, else after a share of its lifetime, spread by 5 % of what is left of it then. The moment may lie in the past.
 */
export function planRenewal(terms: RenewalTerms): RenewalPlan {
  const { window, notAfter, seed } = terms;
  const lifetime = Math.max(0, notAfter.getTime() - terms.notBefore.getTime());
  if (window !== undefined && isUsable(window, notAfter)) {
    const { start, end } = window;
    const bound = notAfter.getTime() - lifetime * minShareLeft;
    const latest = new Date(Math.min(end.getTime(), bound));
    const earliest = new Date(Math.min(start.getTime(), latest.getTime()));
    // the window is part of the seed: a new one is a new draw, the same one never is
    const renewAt = pick(earliest, latest, `${seed} ${start.getTime()} ${end.getTime()}`);
    return { rule: 'window', earliest, latest, renewAt };
  }
  const { rule, fraction } = shareOf(lifetime, terms.fraction);
  const left = lifetime * (1 - fraction);
  const earliest = new Date(notAfter.getTime() - left * (1 + jitter));
  const latest = new Date(notAfter.getTime() - left * (1 - jitter));
  return { rule, fraction, earliest, latest, renewAt: pick(earliest, latest, seed) };
}

/** A revoked certificate is renewed at once, whatever its dates and its CA say. */
export function planAfterRevocation(revokedAt: Date): RenewalPlan {
  return { rule: 'revoked', earliest: revokedAt, latest: revokedAt, renewAt: revokedAt };
}

/** RFC 9773 §4.2: a window that ends before it starts is not a window; what lies after the expiry would be useless. */
function isUsable({ start, end }: RenewalWindow, notAfter: Date): boolean {
  return start < end && start < notAfter;
}

/** Share of a lifetime in milliseconds after which a certificate is renewed, unless its CA names a window. */
export function renewalShare(lifetimeMs: number, permille: number | null): number {
  return shareOf(lifetimeMs, permille === null ? undefined : permille / 1000).fraction;
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
  /** How many renewals there were within its lifetime, itself among them; 1 when absent. */
  readonly renewals?: number;
}

const maxRestMs = 60 * minute;
const usualRenewals = 3;

/**
 * Moment before which a certificate that a renewal brought is not renewed again, whatever rule or window says: a
 * twentieth of its time after that renewal, a minute at least and an hour at most. Else a CA whose certificates are
 * due as soon as they are issued would be asked without end. From the fourth renewal within a lifetime on, each rest is
 * twice as long as the one before, up to a third of the time that is left.
 */
export function restUntil({ renewedAt, notAfter, renewals = 1 }: RenewedTerms): Date {
  const left = notAfter.getTime() - renewedAt.getTime();
  const rest = Math.min(maxRestMs, Math.max(minute, left / 20));
  const doubled = rest * 2 ** Math.min(40, Math.max(0, renewals - usualRenewals));
  return new Date(renewedAt.getTime() + Math.max(rest, Math.min(doubled, left / 3)));
}

/** The plan, postponed until that rest is over. */
export function withRest(plan: RenewalPlan, renewed: RenewedTerms): RenewalPlan {
  const rest = restUntil(renewed);
  return rest <= plan.renewAt ? plan : { ...plan, renewAt: rest, isResting: true };
}

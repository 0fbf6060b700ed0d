import { planRenewal, type RenewalWindow, restUntil } from '../renewal-policy.js';
import { latestRetry } from './retry-policy.js';

/** Facts that decide until when a waiting entry may wait. */
export interface WaitingEntry {
  readonly attempt: number;
  readonly scheduledAt: Date;
  /** When the entry was stored. */
  readonly createdAt: Date;
  /** Advice of the CA on the newest certificate. */
  readonly window: RenewalWindow | undefined;
  readonly fraction: number | undefined;
  /** The newest certificate. */
  readonly certificate: {
    readonly id: string;
    readonly notBefore: Date;
    readonly notAfter: Date;
    readonly storedAt: Date;
    readonly revokedAt: Date | null;
  };
}

const minute = 60_000;
const hour = 60 * minute;
// clocks of several processes differ by less
const toleranceMs = minute;

/** Whether an entry waits longer than the rules allow at this moment, so that a wrong clock has written it. */
export function waitsTooLong(entry: WaitingEntry, now: Date): boolean {
  if (entry.scheduledAt <= now) return false;
  return (
    entry.createdAt.getTime() > now.getTime() + toleranceMs || entry.scheduledAt > latestMoment(entry, now)
  );
}

function latestMoment({ attempt, certificate, window, fraction }: WaitingEntry, now: Date): Date {
  const { id: seed, notBefore, notAfter, storedAt, revokedAt } = certificate;
  if (attempt > 1) return latestRetry({ now, notBefore, notAfter: revokedAt ?? notAfter });
  if (revokedAt !== null) return now;
  const { renewAt } = planRenewal({ notBefore, notAfter, window, fraction, seed });
  const rest = restUntil({ renewedAt: storedAt, notAfter, renewals: Number.POSITIVE_INFINITY });
  return new Date(Math.max(renewAt.getTime(), storedAt < notAfter ? rest.getTime() : 0));
}

/**
 * When an entry that waited too long is due, if its plan has passed: within the next hour, or an eighth of the time that
 * is left. `random` from 0 to 1 spreads the entries.
 */
export function dueAfterWrongClock(notAfter: Date, now: Date, random: number): Date {
  const left = notAfter.getTime() - now.getTime();
  return new Date(now.getTime() + Math.floor(random * Math.min(hour, Math.max(minute, left / 8))));
}

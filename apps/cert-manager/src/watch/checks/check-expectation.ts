import { graceOf } from '../../standings/attention.js';

// The check API document, Limits.
const minTimeoutSeconds = 60;
const maxTimeoutSeconds = 31_536_000;

const minute = 60_000;
const day = 1440 * minute;
// where the language of schedules ends
const lastMoment = new Date('2199-12-31T00:00:00.000Z');

/** When the next success is expected of a certificate, and when it would be too late. */
export interface WatchedDates {
  readonly expectedAt: Date;
  readonly notAfter: Date;
}

/** When the monitor expects the next success, in its own words. */
export type CheckExpectation = { readonly grace: number } & (
  | { readonly timeout: number }
  | { readonly schedule: string; readonly tz: 'UTC' }
);

/**
 * What the monitor is to expect after a ping at `from`: the next at its moment. One further off than
 * the largest timeout becomes a schedule that comes once. Without a certificate there is nothing to wait for yet,
 * and a check that was never pinged does not fall.
 */
export function expectationAfter(from: Date, dates: WatchedDates | undefined): CheckExpectation {
  if (dates === undefined) return { timeout: maxTimeoutSeconds, grace: day / 1000 };
  const grace = graceOf(dates);
  const seconds = Math.ceil((dates.expectedAt.getTime() - from.getTime()) / 1000);
  if (seconds > maxTimeoutSeconds) return { schedule: onceAt(dates.expectedAt), tz: 'UTC', grace };
  return { timeout: Math.max(minTimeoutSeconds, seconds), grace };
}

/** OnCalendar text of one moment (systemd.time(7)), rounded up to the second. */
function onceAt(moment: Date): string {
  const at = moment > lastMoment ? lastMoment : new Date(Math.ceil(moment.getTime() / 1000) * 1000);
  return at.toISOString().slice(0, 19).replace('T', ' ');
}

/** What was last sent to the monitor about a check. */
export interface SyncedState {
  readonly toldDeadline: Date | null;
  /** The ping, or the making of the check, that the period was counted from. */
  readonly toldFrom: Date | null;
  readonly toldAt: Date | null;
  /** The ping that the monitor counts from. */
  readonly pingedAt: Date | null;
}

/** How long the monitor is trusted to hold what was sent. */
export const resyncMs = day;
// the ping follows the making of its check by some milliseconds
const toleranceMs = 60_000;

/** Whether the monitor still expects the next ping at the deadline; null is none. */
export function isInSync(synced: SyncedState, deadline: Date | null, now: Date): boolean {
  const { toldDeadline, toldFrom, toldAt, pingedAt } = synced;
  if (toldAt === null || now.getTime() - toldAt.getTime() >= resyncMs) return false;
  if (toldDeadline?.getTime() !== deadline?.getTime()) return false;
  if (pingedAt === null || toldFrom === null) return true;
  return Math.abs(pingedAt.getTime() - toldFrom.getTime()) <= toleranceMs;
}

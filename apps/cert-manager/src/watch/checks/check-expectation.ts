import type { Expected } from '../../statuses/attention.js';

// The check API document, Limits.
const minTimeoutSeconds = 60;
const minGraceSeconds = 60;
const maxTimeoutSeconds = 31_536_000;

const day = 86_400_000;
// where the language of schedules ends
const lastMoment = new Date('2199-12-31T00:00:00.000Z');

/** When the monitor expects the next success, in its own words. */
export type CheckExpectation = { readonly grace: number } & (
  | { readonly timeout: number }
  | { readonly schedule: string; readonly tz: 'UTC' }
);

/**
 * Returns what the monitor is to expect after a ping at `from`, in whole seconds: the next at its moment, and the check
 * falls when people must act, as far as a minute and a minute of grace allow that. A moment further off than the
 * largest timeout becomes a schedule that comes once. Without a certificate there is nothing to wait for yet, and a
 * check that was never pinged does not fall.
 */
export function expectationAfter(from: Date, dates: Expected | undefined): CheckExpectation {
  if (dates === undefined) return { timeout: maxTimeoutSeconds, grace: day / 1000 };
  const secondsTo = (moment: Date) => Math.ceil((moment.getTime() - from.getTime()) / 1000);
  // earlier where the grace would be too short for the monitor
  const startMs = Math.min(dates.expectedAt.getTime(), dates.attentionAt.getTime() - minGraceSeconds * 1000);
  const start = new Date(startMs);
  const seconds = secondsTo(start);
  const total = secondsTo(dates.attentionAt);
  const graceAfter = (passed: number) => Math.max(minGraceSeconds, total - passed);
  if (seconds > maxTimeoutSeconds) return { schedule: onceAt(start), tz: 'UTC', grace: graceAfter(seconds) };
  const timeout = Math.max(minTimeoutSeconds, seconds);
  return { timeout, grace: graceAfter(timeout) };
}

/** OnCalendar text of one moment (systemd.time(7)), rounded up to the second. */
function onceAt(moment: Date): string {
  const at = moment > lastMoment ? lastMoment : new Date(Math.ceil(moment.getTime() / 1000) * 1000);
  return at.toISOString().slice(0, 19).replace('T', ' ');
}

/** State of a check as it was last sent to the monitor. */
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

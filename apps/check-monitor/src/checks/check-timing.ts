import type { CheckStatus } from '@certloop/contracts';
import { type Micros, microsPerSecond } from '../instants.js';
import { parseSchedule } from './schedules/schedule.js';

/** Status as stored. Grace is derived, and so is `down` until the alert loop has evaluated the check. */
export type StoredStatus = Exclude<CheckStatus, 'grace'>;

export type CheckKind = 'simple' | 'cron' | 'oncalendar';

/** Settings of a check that decide when its pings are expected. */
export interface PeriodSettings {
  readonly kind: CheckKind;
  readonly timeoutSeconds: number;
  readonly graceSeconds: number;
  readonly schedule: string;
  readonly tz: string;
}

/** Columns of a check that decide its status. */
export interface CheckTiming extends PeriodSettings {
  readonly storedStatus: StoredStatus;
  readonly lastPing: Micros | null;
  readonly lastStart: Micros | null;
  readonly lastStartRunId: string | null;
  /** Microseconds that the last finished run took. */
  readonly lastDuration: number | null;
  /** When the alert loop must evaluate the check again, since it may be down by then. */
  readonly alertAfter: Micros | null;
}

/** The part that decides the status at a moment, and when the next ping is expected. */
export type StatusTiming = Omit<CheckTiming, 'lastStartRunId' | 'lastDuration' | 'alertAfter'>;

export type StateChange = Pick<
  CheckTiming,
  'storedStatus' | 'lastPing' | 'lastStart' | 'lastStartRunId' | 'lastDuration' | 'alertAfter'
>;

/** Status of a check at a moment. */
export interface TimingNow {
  /** Moment at which the next ping is expected and grace begins; null when none is. */
  readonly expectedAt: Micros | null;
  readonly status: CheckStatus;
}

/** Both at once, as either asks the schedule for its next occurrence. */
export function timingAt(check: StatusTiming, now: Micros): TimingNow {
  const due = dueAfterLastPing(check);
  return { expectedAt: expectedBy(check, due), status: statusBy(check, due, now) };
}

/** When the check goes down unless a ping arrives; null when it cannot go down. */
export function deadlineOf(check: StatusTiming): Micros | null {
  return deadlineBy(check, expectedBy(check, dueAfterLastPing(check)));
}

/** Status at the moment `now`. A running job affects it only after its grace has passed. */
export function statusAt(check: StatusTiming, now: Micros): CheckStatus {
  return statusBy(check, dueAfterLastPing(check), now);
}

/** Changed fields of the state alone, the rest as it is. */
export function stateOf(check: CheckTiming): StateChange {
  const { storedStatus, lastPing, lastStart, lastStartRunId, lastDuration, alertAfter } = check;
  return { storedStatus, lastPing, lastStart, lastStartRunId, lastDuration, alertAfter };
}

export const stoppedTiming = { lastStart: null, lastStartRunId: null, alertAfter: null };

function graceOf(check: StatusTiming): number {
  return check.graceSeconds * microsPerSecond;
}

function expectedBy(check: StatusTiming, due: Micros | null): Micros | null {
  if (check.lastStart === null || check.storedStatus === 'down') return due;
  return due === null ? check.lastStart : Math.min(due, check.lastStart);
}

export function deadlineBy(check: StatusTiming, expectedAt: Micros | null): Micros | null {
  return expectedAt === null ? null : expectedAt + graceOf(check);
}

function statusBy(check: StatusTiming, due: Micros | null, now: Micros): CheckStatus {
  if (check.lastStart !== null && now >= check.lastStart + graceOf(check)) return 'down';
  if (check.storedStatus !== 'up') return check.storedStatus;
  if (due === null) return 'up';
  if (now >= due + graceOf(check)) return 'down';
  return now >= due ? 'grace' : 'up';
}

function dueAfterLastPing(check: StatusTiming): Micros | null {
  if (check.storedStatus !== 'up' || check.lastPing === null) return null;
  if (check.kind === 'simple') return check.lastPing + check.timeoutSeconds * microsPerSecond;
  return parseSchedule(check.schedule)?.next(check.lastPing, check.tz) ?? null;
}

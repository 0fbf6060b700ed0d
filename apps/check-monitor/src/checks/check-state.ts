import type { CheckStatus, PingType } from '@certloop/contracts';
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

/** What of a check decides its status. */
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

/** What a ping means, after the filters of its check. */
export type Signal = PingType;

/** A change of the stored status. `isSilent` ones are history only: no one is notified. */
export interface Flip {
  readonly at: Micros;
  readonly from: StoredStatus;
  readonly to: StoredStatus;
  readonly reason: '' | 'fail' | 'timeout';
  readonly isSilent: boolean;
}

export type StateChange = Pick<
  CheckTiming,
  'storedStatus' | 'lastPing' | 'lastStart' | 'lastStartRunId' | 'lastDuration' | 'alertAfter'
>;

export interface Outcome {
  readonly state: StateChange;
  readonly flip: Flip | undefined;
}

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

/** State after a signal that arrived at `now`, and the flip that it caused. */
export function applySignal(check: CheckTiming, signal: Signal, runId: string | null, now: Micros): Outcome {
  const state = withDeadline(check, signalChanges(check, signal, runId, now));
  if (state.storedStatus === check.storedStatus) return { state, flip: undefined };
  const reason = signal === 'fail' ? 'fail' : '';
  return { state, flip: flipTo(check, state.storedStatus, reason, now) };
}

/** State after a pause: the clock stops, an outstanding start is forgotten. */
export function outcomeOfPause(check: CheckTiming, now: Micros): Outcome {
  const state: StateChange = { ...stateOf(check), ...stopped, storedStatus: 'paused' };
  if (check.storedStatus === 'paused') return { state, flip: undefined };
  return { state, flip: { ...flipTo(check, 'paused', '', now), isSilent: true } };
}

/** State after a resume: as if it had never been pinged. Only for paused checks. */
export function outcomeOfResume(check: CheckTiming, now: Micros): Outcome {
  const state: StateChange = { ...stateOf(check), ...stopped, storedStatus: 'new', lastPing: null };
  return { state, flip: { ...flipTo(check, 'new', '', now), isSilent: true } };
}

/** What to do with a check whose `alertAfter` has passed: evaluate it again later, or mark it as down. */
export type Overdue =
  | { readonly isDown: false; readonly alertAfter: Micros | null }
  | { readonly isDown: true; readonly flip: Flip };

/** The flip has the time at which the check went down, not the time of the evaluation. */
export function judgeOverdue(check: CheckTiming, now: Micros): Overdue {
  const { expectedAt, status } = timingAt(check, now);
  const deadline = deadlineBy(check, expectedAt);
  if (deadline === null || status !== 'down') return { isDown: false, alertAfter: deadline };
  return { isDown: true, flip: flipTo(check, 'down', 'timeout', deadline) };
}

/** Changed fields of the state alone, the rest as it is. */
function stateOf(check: CheckTiming): StateChange {
  const { storedStatus, lastPing, lastStart, lastStartRunId, lastDuration, alertAfter } = check;
  return { storedStatus, lastPing, lastStart, lastStartRunId, lastDuration, alertAfter };
}

const stopped = { lastStart: null, lastStartRunId: null, alertAfter: null };

function graceOf(check: StatusTiming): number {
  return check.graceSeconds * microsPerSecond;
}

function expectedBy(check: StatusTiming, due: Micros | null): Micros | null {
  if (check.lastStart === null || check.storedStatus === 'down') return due;
  return due === null ? check.lastStart : Math.min(due, check.lastStart);
}

function deadlineBy(check: StatusTiming, expectedAt: Micros | null): Micros | null {
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

function signalChanges(
  check: CheckTiming,
  signal: Signal,
  runId: string | null,
  now: Micros,
): Partial<StateChange> {
  switch (signal) {
    case 'start':
      return { lastStart: now, lastStartRunId: runId };
    case 'success':
      return { ...finishRun(check, signal, runId, now), lastPing: now, storedStatus: 'up' };
    case 'fail':
      return { ...finishRun(check, signal, runId, now), lastPing: now, storedStatus: 'down' };
    case 'log':
    case 'ign':
      return {};
  }
}

/** A success of another run leaves the outstanding one running; a failure, or a success of no run, ends it. */
function finishRun(
  check: CheckTiming,
  signal: 'success' | 'fail',
  runId: string | null,
  now: Micros,
): Partial<StateChange> {
  const isSameRun = check.lastStart !== null && check.lastStartRunId === runId;
  const lastDuration = isSameRun && check.lastStart !== null ? now - check.lastStart : null;
  const ends = isSameRun || signal === 'fail' || runId === null;
  return ends ? { lastDuration, lastStart: null, lastStartRunId: null } : { lastDuration };
}

function withDeadline(check: CheckTiming, changes: Partial<StateChange>): StateChange {
  // assigned, since spreading another object over one of this size takes 50 times as long
  const changed = Object.assign({ ...check }, changes);
  return { ...stateOf(changed), alertAfter: deadlineOf(changed) };
}

function flipTo(check: CheckTiming, to: StoredStatus, reason: Flip['reason'], at: Micros): Flip {
  return { at, from: check.storedStatus, to, reason, isSilent: false };
}

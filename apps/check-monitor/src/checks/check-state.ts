import type { PingType } from '@certloop/contracts';
import type { Micros } from '../instants.js';
import {
  type CheckTiming,
  deadlineBy,
  deadlineOf,
  type StateChange,
  type StoredStatus,
  stateOf,
  stoppedTiming,
  timingAt,
} from './check-timing.js';

/** Meaning of a ping, after the filters of its check. */
export type Signal = PingType;

/** A change of the stored status. `isSilent` ones are history only: no one is notified. */
export interface Flip {
  readonly at: Micros;
  readonly from: StoredStatus;
  readonly to: StoredStatus;
  readonly reason: '' | 'fail' | 'timeout';
  readonly isSilent: boolean;
}

export interface Outcome {
  readonly state: StateChange;
  readonly flip: Flip | undefined;
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
  const state: StateChange = { ...stateOf(check), ...stoppedTiming, storedStatus: 'paused' };
  if (check.storedStatus === 'paused') return { state, flip: undefined };
  return { state, flip: { ...flipTo(check, 'paused', '', now), isSilent: true } };
}

/** State after a resume: as if it had never been pinged. Only for paused checks. */
export function outcomeOfResume(check: CheckTiming, now: Micros): Outcome {
  const state: StateChange = { ...stateOf(check), ...stoppedTiming, storedStatus: 'new', lastPing: null };
  return { state, flip: { ...flipTo(check, 'new', '', now), isSilent: true } };
}

/** Action on a check whose `alertAfter` has passed: evaluate it again later, or mark it as down. */
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
  const lastDuration = isSameRun && check.lastStart !== null ? Math.max(0, now - check.lastStart) : null;
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

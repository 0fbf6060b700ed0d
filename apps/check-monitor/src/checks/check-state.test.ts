import { describe, expect, test } from 'vitest';
import { type Micros, microsPerSecond } from '../instants.js';
import { applySignal, judgeOverdue, outcomeOfPause, outcomeOfResume, type Signal } from './check-state.js';
import { type CheckTiming, deadlineOf, type StoredStatus, statusAt, timingAt } from './check-timing.js';

const start = Date.UTC(2026, 0, 1, 12) * 1000;

function at(seconds: number): Micros {
  return start + seconds * microsPerSecond;
}

function seconds(instant: Micros | null): number | null {
  return instant === null ? null : (instant - start) / microsPerSecond;
}

function check(overrides: Partial<CheckTiming> = {}): CheckTiming {
  return {
    kind: 'simple',
    timeoutSeconds: 600,
    graceSeconds: 120,
    schedule: '* * * * *',
    tz: 'UTC',
    storedStatus: 'new',
    lastPing: null,
    lastStart: null,
    lastStartRunId: null,
    lastDuration: null,
    alertAfter: null,
    ...overrides,
  };
}

const up = check({ storedStatus: 'up', lastPing: at(0), alertAfter: at(720) });

describe('status at a moment', () => {
  test.each([
    ['new', check(), 10_000, 'new'],
    ['just pinged', up, 0, 'up'],
    ['last microsecond of the period', up, 599.999999, 'up'],
    ['exactly at the period', up, 600, 'grace'],
    ['last microsecond of grace', up, 719.999999, 'grace'],
    ['exactly at the end of grace', up, 720, 'down'],
    ['stored down', check({ storedStatus: 'down', lastPing: at(0) }), 1, 'down'],
    ['paused', check({ storedStatus: 'paused', lastPing: at(0) }), 10_000, 'paused'],
    ['up and running, within grace', { ...up, lastStart: at(60) }, 179.999999, 'up'],
    ['up and running, grace outrun', { ...up, lastStart: at(60) }, 180, 'down'],
    ['in grace and running', { ...up, lastStart: at(590) }, 605, 'grace'],
    ['new and running too long', check({ lastStart: at(0) }), 120, 'down'],
    ['paused and running too long', check({ storedStatus: 'paused', lastStart: at(0) }), 120, 'down'],
    ['cron, before the minute', { ...up, kind: 'cron', schedule: '0 13 * * *' }, 3599, 'up'],
    ['cron, at the minute', { ...up, kind: 'cron', schedule: '0 13 * * *' }, 3600, 'grace'],
    ['cron, after its grace', { ...up, kind: 'cron', schedule: '0 13 * * *' }, 3720, 'down'],
    ['an exhausted one-shot stays up', { ...up, kind: 'oncalendar', schedule: '2020-01-01' }, 1e9, 'up'],
  ] as const)('%s', (_situation, row: CheckTiming, now, status) => {
    expect(statusAt(row, at(now))).toBe(status);
  });
});

describe('expected and deadline', () => {
  test.each([
    ['new', check(), null, null],
    ['up', up, 600, 720],
    ['up and running', { ...up, lastStart: at(60) }, 60, 180],
    ['running, but due before', { ...up, lastStart: at(700) }, 600, 720],
    ['new and running', check({ lastStart: at(5) }), 5, 125],
    ['down and running', check({ storedStatus: 'down', lastStart: at(5) }), null, null],
    ['in another zone', { ...up, kind: 'cron', schedule: '0 15 * * *', tz: 'Europe/Riga' }, 3600, 3720],
  ] as const)('%s', (_situation, row: CheckTiming, expected, deadline) => {
    expect([seconds(timingAt(row, at(0)).expectedAt), seconds(deadlineOf(row))]).toEqual([
      expected,
      deadline,
    ]);
  });
});

describe('effect of a ping', () => {
  test.each([
    ['new', 'success', 'up', 'new→up'],
    ['new', 'fail', 'down', 'new→down fail'],
    ['new', 'start', 'new', ''],
    ['new', 'log', 'new', ''],
    ['up', 'success', 'up', ''],
    ['up', 'fail', 'down', 'up→down fail'],
    ['up', 'start', 'up', ''],
    ['down', 'success', 'up', 'down→up'],
    ['down', 'fail', 'down', ''],
    ['down', 'start', 'down', ''],
    ['down', 'ign', 'down', ''],
    ['paused', 'success', 'up', 'paused→up'],
    ['paused', 'fail', 'down', 'paused→down fail'],
    ['paused', 'start', 'paused', ''],
    ['paused', 'ign', 'paused', ''],
  ] as [StoredStatus, Signal, StoredStatus, string][])('%s, %s → %s %s', (from, signal, to, flip) => {
    const found = applySignal(check({ storedStatus: from }), signal, null, at(0));
    const shown = found.flip && `${found.flip.from}→${found.flip.to} ${found.flip.reason}`.trim();
    expect([found.state.storedStatus, shown ?? '']).toEqual([to, flip]);
  });

  test.each([
    ['a success after its start', 'success', null, null, 30, false],
    ['a failure after its start', 'fail', null, null, 30, false],
    ['the same run', 'success', 'a', 'a', 30, false],
    ['a success of another run', 'success', 'a', 'b', null, true],
    ['a failure of another run', 'fail', 'a', 'b', null, false],
    ['a success without a run id', 'success', 'a', null, null, false],
    ['a success of a run while a nameless one goes on', 'success', null, 'b', null, true],
  ] as [string, Signal, string | null, string | null, number | null, boolean][])(
    '%s',
    (_situation, signal, startedAs, endedAs, duration, stillRuns) => {
      const running = { ...up, lastStart: at(10), lastStartRunId: startedAs, lastDuration: 5 };
      const { state } = applySignal(running, signal, endedAs, at(40));
      const took = state.lastDuration === null ? null : state.lastDuration / microsPerSecond;
      expect([took, state.lastStart !== null]).toEqual([duration, stillRuns]);
    },
  );

  test('a success sets the deadline', () => {
    expect(seconds(applySignal(check(), 'success', null, at(50)).state.alertAfter)).toBe(770);
  });

  test('a success after the deadline records no outage', () => {
    expect(applySignal(up, 'success', null, at(5000)).flip).toBeUndefined();
  });

  test('a start of a paused check sets a deadline', () => {
    const paused = check({ storedStatus: 'paused' });
    expect(seconds(applySignal(paused, 'start', null, at(50)).state.alertAfter)).toBe(170);
  });
});

describe('pause and resume', () => {
  test('a pause clears the start and the deadline, keeps the last ping, and sends no notification', () => {
    const { state, flip } = outcomeOfPause({ ...up, lastStart: at(5) }, at(9));
    expect(state).toMatchObject({
      storedStatus: 'paused',
      lastPing: at(0),
      lastStart: null,
      alertAfter: null,
    });
    expect(flip).toEqual({ at: at(9), from: 'up', to: 'paused', reason: '', isSilent: true });
  });

  test('a second pause creates no flip', () => {
    expect(outcomeOfPause(check({ storedStatus: 'paused' }), at(9)).flip).toBeUndefined();
  });

  test('a resume clears the last ping', () => {
    const { state, flip } = outcomeOfResume(check({ storedStatus: 'paused', lastPing: at(0) }), at(9));
    expect(state).toMatchObject({ storedStatus: 'new', lastPing: null, alertAfter: null });
    expect(flip).toMatchObject({ from: 'paused', to: 'new', isSilent: true });
  });
});

describe('overdue', () => {
  test.each([
    ['at the deadline', up, 720, 720, 'up'],
    ['long after it', up, 9999, 720, 'up'],
    ['a run that outran its grace', { ...up, lastStart: at(60) }, 9999, 180, 'up'],
    ['a paused check with a start', check({ storedStatus: 'paused', lastStart: at(0) }), 500, 120, 'paused'],
  ] as const)('%s: goes down at its deadline', (_situation, row: CheckTiming, now, fellAt, from) => {
    const found = judgeOverdue(row, at(now));
    expect(found).toMatchObject({
      isDown: true,
      flip: { at: at(fellAt), from, to: 'down', reason: 'timeout' },
    });
  });

  test('pinged in the meantime: is evaluated again at the new deadline', () => {
    const pinged = { ...up, lastPing: at(500) };
    expect(judgeOverdue(pinged, at(721))).toEqual({ isDown: false, alertAfter: at(1220) });
  });
});

describe('the next occurrence of a schedule', () => {
  test('is computed once for the status and the expected moment together', () => {
    let computed = 0;
    const counted: CheckTiming = {
      ...up,
      kind: 'cron',
      get schedule() {
        computed += 1;
        return '0 13 * * *';
      },
    };
    expect(timingAt(counted, at(3600))).toEqual({ expectedAt: at(3600), status: 'grace' });
    expect(judgeOverdue(counted, at(3720))).toMatchObject({ isDown: true });
    expect(computed).toBe(2);
  });
});

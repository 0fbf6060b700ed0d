import { describe, expect, test } from 'vitest';
import {
  canaryStepOf,
  isCanaryOverdue,
  nextRoundAt,
  readAfterMs,
  readAt,
  readBackMs,
} from './canary-step.js';

const minute = 60_000;
const now = new Date('2026-03-01T12:00:00.000Z');
const before = (minutes: number) => new Date(now.getTime() - minutes * minute);

describe('the canary', () => {
  test.each<[string, number | undefined, string]>([
    ['begins with a ping', undefined, 'ping'],
    ['is read ten minutes after it', 10, 'read'],
    ['is read three minutes later at the latest', 13, 'read'],
    ['is pinged again after that', 13.01, 'ping'],
    ['is pinged again a day later', 1440, 'ping'],
    ['is pinged again when the clock was set back', -1, 'ping'],
  ])('%s', (_, minutes, step) => {
    expect(canaryStepOf({ pingedAt: minutes === undefined ? null : before(minutes) }, now)).toBe(step);
  });

  test('shows within 70 minutes that the alert loop has stopped', () => {
    // it stops just after it made the fall of a round, and the next round finds none
    expect(nextRoundAt(now).getTime() + readAfterMs - now.getTime()).toBe(70 * minute);
    expect(readAt(now).getTime() - now.getTime()).toBe(readAfterMs);
    // so that no fall of the round before is read
    expect(readBackMs).toBeLessThan(60 * minute);
  });

  test.each([
    [9, false],
    [10, false],
    [11, true],
  ])('is overdue after ten minutes: %d', (minutes, isOverdue) => {
    expect(isCanaryOverdue(before(minutes), now)).toBe(isOverdue);
  });
});

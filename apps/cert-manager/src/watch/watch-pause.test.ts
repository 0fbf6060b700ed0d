import { describe, expect, test } from 'vitest';
import { awayUntil, retryAt } from './watch-pause.js';

const now = new Date('2026-03-01T12:00:00.000Z');
const secondsAfter = (moment: Date) => (moment.getTime() - now.getTime()) / 1000;

describe('pauses', () => {
  test.each([
    [1, 10],
    [2, 20],
    [6, 320],
    [9, 2560],
    [10, 3600],
    [1000, 3600],
  ])('a check that failed %i times waits for %i s', (attempts, seconds) => {
    expect(secondsAfter(retryAt(attempts, now))).toBe(seconds);
  });

  test.each([
    [1, 10],
    [5, 160],
    [6, 300],
    [1000, 300],
  ])('a monitor that was away %i times is asked after %i s', (count, seconds) => {
    expect(secondsAfter(awayUntil(count, now))).toBe(seconds);
  });
});

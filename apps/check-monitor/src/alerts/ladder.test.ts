import { describe, expect, test } from 'vitest';
import {
  goesAlone,
  maxMessageAge,
  maxPause,
  maxRejections,
  nextTryAt,
  pauseAfterCrash,
  pauseAfterTimeout,
  pauseAfterTry,
} from './ladder.js';

const second = 1_000_000;
const minute = 60 * second;
const hour = 60 * minute;
const seconds = (pause: (count: number) => number) =>
  [1, 2, 3, 4, 5, 6, 7, 8, 9, 100].map((n) => pause(n) / second);

describe('the retry schedule', () => {
  test('waits 5 s, 30 s, four times 2 min, 10 and 30 min, then an hour after each try', () => {
    expect(seconds(pauseAfterTry)).toEqual([5, 30, 120, 120, 120, 120, 600, 1800, 3600, 3600]);
  });

  test('waits 30 s, 1, 5 and 15 min, then an hour after each crash', () => {
    expect(seconds(pauseAfterCrash)).toEqual([30, 60, 300, 900, 3600, 3600, 3600, 3600, 3600, 3600]);
  });

  test('pauses a channel that times out for 5 s, 30 s, 2 min, then 10 min', () => {
    expect(seconds(pauseAfterTimeout)).toEqual([5, 30, 120, 600, 600, 600, 600, 600, 600, 600]);
  });

  test('never exceeds the maximum pause', () => {
    const maxPauses = [pauseAfterTry, pauseAfterCrash, pauseAfterTimeout].flatMap(seconds);
    expect(Math.max(...maxPauses) * second).toBe(maxPause);
  });

  test('delivers a message alone from its second crash on', () => {
    expect([0, 1, 2, 3].map(goesAlone)).toEqual([false, false, true, true]);
  });

  test.each([
    ['after the first try', 0, 1, 5 * second],
    ['after the third try', 40 * second, 3, 160 * second],
    ['if a pause would end after 24 hours, at 24 hours', 23.5 * hour, 27, 24 * hour],
    ['an instant before 24 hours, at 24 hours', 24 * hour - 1, 28, 24 * hour],
    ['at 24 hours, not at all', 24 * hour, 28, undefined],
    ['after a day without answers, not at all', 49 * hour, 1, undefined],
    ['when the clock was set back, after the pause', -2 * hour, 1, -2 * hour + 5 * second],
  ])('retries %s', (_situation, now, tries, at) => {
    expect(nextTryAt({ createdAt: 0, tries, now })).toBe(at);
  });

  test('tries a message that the target rejects again after 30 s and 2 min', () => {
    const pauses = [1, 2].map((tries) => nextTryAt({ createdAt: 0, tries, now: 0, isRejected: true }));
    expect(pauses).toEqual([30 * second, 2 * minute]);
    expect(maxRejections).toBe(3);
  });

  test('waits two minutes at most for a target that was away for eight', () => {
    let now = 0;
    for (let tries = 1; now < 8 * minute; tries += 1) {
      const at = nextTryAt({ createdAt: 0, tries, now }) ?? 0;
      expect(at - now).toBeLessThanOrEqual(2 * minute);
      now = at;
    }
  });

  test('ends after 24 hours and 33 attempts', () => {
    let tries = 1;
    let now = 0;
    for (let at = nextTryAt({ createdAt: 0, tries, now }); at !== undefined; tries += 1) {
      now = at;
      at = nextTryAt({ createdAt: 0, tries: tries + 1, now });
    }
    expect({ tries, now }).toEqual({ tries: 33, now: maxMessageAge });
  });
});

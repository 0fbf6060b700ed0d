import { describe, expect, test } from 'vitest';
import { boundedRetry, isReceiverLost, nextWebhookTry, webhookPauseUntil } from './notice-waits.js';

const now = new Date('2026-03-01T12:00:00Z');
const secondsUntil = (moment: Date | undefined) => moment && (moment.getTime() - now.getTime()) / 1000;
const inSeconds = (seconds: number) => new Date(now.getTime() + seconds * 1000);

describe('the next attempt of a webhook', () => {
  test.each([
    [1, undefined, 60],
    [1, -30, 60],
    [1, 1, 60],
    [1, 600, 600],
    [2, 600, 600],
    [3, 600, 1500],
    [1, 3600, 3600],
    [1, 86_400, 3600],
    [7, 86_400, 36_000],
    [8, undefined, undefined],
    [8, 600, undefined],
  ])('after attempt %p with Retry-After %p s, follows after %p s', (attempts, asked, wait) => {
    const retryAt = asked === undefined ? undefined : inSeconds(asked);
    expect(secondsUntil(nextWebhookTry(attempts, now, retryAt))).toBe(wait);
  });
});

test.each([
  [undefined, undefined],
  [-1, undefined],
  [0, undefined],
  [1, 1],
  [3600, 3600],
  [3601, 3600],
])('a receiver that asks for %p s is paused for %p s', (asked, pause) => {
  const retryAt = asked === undefined ? undefined : inSeconds(asked);
  expect(secondsUntil(boundedRetry(retryAt, now))).toBe(pause);
});

test.each([
  [1, 10],
  [2, 20],
  [5, 160],
  [6, 300],
  [1_000_000, 300],
])('after %p batches without a delivery, the pause is %p s', (count, pause) => {
  expect(secondsUntil(webhookPauseUntil(count, now))).toBe(pause);
});

test.each([
  [null, false],
  [inSeconds(60), false],
  [inSeconds(-5 * 86_400 + 1), false],
  [inSeconds(-5 * 86_400), true],
])('a receiver that has failed since %p counts as lost: %p', (failingSince, isLost) => {
  expect(isReceiverLost(failingSince, now)).toBe(isLost);
});

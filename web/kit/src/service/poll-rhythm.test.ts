import { expect, test } from 'vitest';
import { liveMs, pollMs } from './poll-rhythm.js';

test.each([
  ['every 5 s while it is seen', false, 0, 5_000],
  ['every minute while it is hidden', true, 0, 60_000],
  ['every minute while it is hidden and nothing answers', true, 3, 60_000],
  ['after 5 s when the service did not answer once', false, 1, 5_000],
  ['after 10 s when it did not answer twice', false, 2, 10_000],
  ['after 20 s from then on', false, 3, 20_000],
  ['after 20 s when it has been down for an hour', false, 180, 20_000],
])('a page asks %s', (_, isHidden, failures, expected) => {
  expect(pollMs({ isHidden, failures })).toBe(expected);
});

test.each([
  ['every 5 s while someone uses it', false, 0, undefined, 5_000],
  ['every 15 s when no one has used it for a minute', false, 60_000, undefined, 15_000],
  ['every minute while it is hidden', true, 0, undefined, 60_000],
  ['every minute while it is hidden and nothing answers', true, 0, 3_600_000, 60_000],
  ['after 5 s when requests began to fail', false, 0, 100, 5_000],
  ['after 15 s when requests have failed for 15 s', false, 0, 15_000, 15_000],
  ['after 20 s when requests have failed for an hour', false, 60_000, 3_600_000, 20_000],
])('a page of the monitor asks %s', (_, isHidden, unusedMs, failingMs, expected) => {
  expect(liveMs({ isHidden, unusedMs, failingMs })).toBe(expected);
});

test('a page sends at most 12 requests in a minute without an answer', () => {
  let at = 0;
  let requests = 0;
  while (at < 60_000) {
    requests += 1;
    at += pollMs({ isHidden: false, failures: requests });
  }
  expect(requests).toBeLessThanOrEqual(6);
});

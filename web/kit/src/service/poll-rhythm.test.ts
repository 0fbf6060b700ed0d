import { expect, test } from '@jest/globals';
import { pollMs } from './poll-rhythm.js';

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

test('a page sends at most 12 requests in a minute without an answer', () => {
  let at = 0;
  let requests = 0;
  while (at < 60_000) {
    requests += 1;
    at += pollMs({ isHidden: false, failures: requests });
  }
  expect(requests).toBeLessThanOrEqual(6);
});

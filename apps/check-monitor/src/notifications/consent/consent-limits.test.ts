import { expect, test } from 'vitest';
import { day, nextRequestAt } from './consent-limits.js';

test.each([
  ['after an answer, a day later', 0, null, 1],
  ['after the first mail, a day later', 1, null, 1],
  ['after two without an answer, two days later', 2, null, 2],
  ['after five without an answer, sixteen days later', 5, null, 16],
  ['after very many without an answer, 128 days later', 1_000_000, null, 128],
  ['after a refusal, a year later', 1, 0, 365],
])('the holder of an address is asked again: %s', (_, unanswered, declinedAt, days) => {
  expect(nextRequestAt({ sentAt: 0, unanswered, declinedAt })).toBe(days * day);
});

import { describe, expect, test } from 'vitest';
import { expectationOf } from './heartbeat-expectation.js';

describe('the schedule that the monitor expects', () => {
  test.each([
    ['every second → the least that a monitor takes', 1, { timeout: 60, grace: 60 }],
    ['every minute', 60, { timeout: 90, grace: 60 }],
    ['every 41 s: rounded up', 41, { timeout: 62, grace: 60 }],
    ['every day', 86_400, { timeout: 129_600, grace: 86_400 }],
    ['every year → the most that a monitor takes', 31_536_000, { timeout: 31_536_000, grace: 31_536_000 }],
  ])('%s', (_, periodSeconds, expectation) => {
    expect(expectationOf(periodSeconds)).toEqual(expectation);
  });
});

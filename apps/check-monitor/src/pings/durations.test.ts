import { describe, expect, test } from 'vitest';
import type { Signal } from '../checks/check-state.js';
import { maxRunDuration, pairRuns, type RunEvent, roundedSeconds } from './durations.js';

type Short = [Signal, number, (string | null)?];

function page(...pings: Short[]): RunEvent[] {
  return pings.map(([signal, at, runId = null], index) => ({ n: index + 5, at, signal, runId }));
}

describe('runs on a page', () => {
  test.each([
    ['start and success', page(['start', 1], ['success', 4]), [[6, 3]]],
    ['start and failure', page(['start', 1], ['fail', 4]), [[6, 3]]],
    ['log and ignored pings between', page(['start', 1], ['log', 2], ['ign', 3], ['success', 4]), [[8, 3]]],
    ['the latest of two starts', page(['start', 1], ['start', 2], ['success', 4]), [[7, 2]]],
    ['a second success has no duration', page(['start', 1], ['success', 4], ['success', 5]), [[6, 3]]],
    ['a start by a process whose clock is ahead', page(['start', 4], ['success', 1]), [[6, 0]]],
    ['another run', page(['start', 1, 'a'], ['success', 4, 'b']), []],
    [
      'two runs at once',
      page(['start', 1, 'a'], ['start', 2, 'b'], ['success', 5, 'a'], ['fail', 9, 'b']),
      [
        [7, 4],
        [8, 7],
      ],
    ],
    ['just under 72 h', page(['start', 0], ['success', maxRunDuration - 1]), [[6, maxRunDuration - 1]]],
    ['72 h', page(['start', 0], ['success', maxRunDuration]), []],
  ])('%s', (_situation, pings, durations) => {
    expect([...pairRuns(pings).durations]).toEqual(durations);
  });

  test.each([
    ['an end without a start on the page', page(['success', 5]), [5]],
    ['a start on the page', page(['start', 1], ['success', 5]), []],
    ['the second end of a run', page(['success', 5], ['fail', 6]), [5]],
    ['72 h after the begin of the page', page(['log', 0], ['success', maxRunDuration]), []],
  ])('needs a query: %s', (_situation, pings, numbers) => {
    expect(pairRuns(pings).lookups.map(({ n }) => n)).toEqual(numbers);
  });

  test('the first ping of a check needs no query', () => {
    expect(pairRuns([{ n: 1, at: 5, signal: 'success', runId: null }]).lookups).toEqual([]);
  });

  test.each([
    [10, 10, 1],
    [11, 0, 0],
  ])('with %d queries: %d are made and %d durations shown', (ends, lookups, durations) => {
    const runs = Array.from({ length: ends }, (_, index): Short => ['success', index + 9, `r${index}`]);
    const found = pairRuns(page(['start', 1], ['success', 2], ...runs));
    expect([found.lookups.length, found.durations.size]).toEqual([lookups, durations]);
  });
});

test.each([
  [1_234_567, 1.23],
  [1_235_001, 1.24],
  [125_000, 0.12],
  [375_000, 0.38],
  [4_000, 0],
])('%d microseconds are %d seconds', (micros, seconds) => {
  expect(roundedSeconds(micros)).toBe(seconds);
});

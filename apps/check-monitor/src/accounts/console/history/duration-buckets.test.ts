import { expect, test } from 'vitest';
import { microsPerSecond } from '../../../instants.js';
import type { RunEvent } from '../../../pings/durations.js';
import { durationBuckets } from './duration-buckets.js';

const began = Date.parse('2026-01-01T12:00:00Z') * 1000;
const ping = (n: number, seconds: number, signal: RunEvent['signal'], runId: string | null = null) => ({
  n,
  at: began + seconds * microsPerSecond,
  signal,
  runId,
});

test('distributes the runs over the points, the latest last', () => {
  const pings = [
    ping(1, 0, 'start'),
    ping(2, 5, 'success'),
    ping(3, 10, 'success'),
    ping(4, 20, 'start'),
    ping(5, 30, 'fail'),
    ping(6, 40, 'start'),
    ping(7, 60, 'success'),
  ];
  expect(durationBuckets(pings, 300).map(({ max }) => max)).toEqual([5, 10, 20]);
  expect(durationBuckets(pings, 2)).toEqual([
    { at: '2026-01-01T12:00:30+00:00', min: 5, p50: 5, max: 10, runs: 2, fails: 1 },
    { at: '2026-01-01T12:01:00+00:00', min: 20, p50: 20, max: 20, runs: 1, fails: 0 },
  ]);
});

test('is empty without runs that have a start', () => {
  expect(durationBuckets([ping(1, 0, 'success')], 10)).toEqual([]);
});

test('measures runs although many others have no start', () => {
  const others = Array.from({ length: 20 }, (_, place) => ping(place + 1, place, 'success', `run ${place}`));
  const pings = [...others, ping(21, 30, 'start'), ping(22, 31, 'success')];
  expect(durationBuckets(pings, 10)).toMatchObject([{ max: 1, runs: 1 }]);
});

import { expect, test } from 'vitest';
import { recentRuns } from './recent-runs.js';

test.each<[string, [number, string][], number[], string]>([
  ['nothing', [], [], ''],
  [
    'pings, oldest first',
    [
      [3, 'fail'],
      [2, 'success'],
      [1, 'success'],
    ],
    [],
    'uuf',
  ],
  [
    'misses in their places',
    [
      [9, 'success'],
      [4, 'success'],
    ],
    [12, 6],
    'umum',
  ],
])('shows %s', (_situation, pings, misses, letters) => {
  expect(
    recentRuns(
      pings.map(([at, signal]) => ({ at, signal })),
      misses,
    ),
  ).toBe(letters);
});

test('shows the latest 48 only', () => {
  const pings = Array.from({ length: 60 }, (_, place) => ({ at: 60 - place, signal: 'success' }));
  expect(recentRuns(pings, [61])).toBe(`${'u'.repeat(47)}m`);
});

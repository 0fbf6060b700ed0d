import { expect, test } from 'vitest';
import { auditStretches } from './audit-stretches.js';

type Ends = [first: number, last: number];
type Stretch = [above: number, upTo: number];

test.each<[string, Ends, 'asc' | 'desc', Stretch[]]>([
  ['one entry, oldest first', [7, 7], 'asc', [[6, 7]]],
  ['one entry, newest first', [7, 7], 'desc', [[6, 7]]],
  ['exactly one stretch', [1, 10], 'desc', [[0, 10]]],
  [
    'one entry more, oldest first',
    [1, 11],
    'asc',
    [
      [0, 10],
      [10, 11],
    ],
  ],
  [
    'one entry more, newest first',
    [1, 11],
    'desc',
    [
      [1, 11],
      [0, 1],
    ],
  ],
  [
    'a log that was emptied before',
    [101, 125],
    'asc',
    [
      [100, 110],
      [110, 120],
      [120, 125],
    ],
  ],
  ['nothing', [11, 10], 'asc', []],
  ['nothing, newest first', [11, 10], 'desc', []],
])('%s', (_, [first, last], order, stretches) => {
  const found = [...auditStretches({ first, last }, order, 10)];
  expect(found).toEqual(stretches.map(([above, upTo]) => ({ above, upTo })));
});

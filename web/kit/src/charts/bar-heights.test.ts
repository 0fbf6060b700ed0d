import { describe, expect, test } from 'vitest';
import { partsOfBar, placeAfterKey, totalOf } from './bar-heights.js';

describe('the parts of a bar', () => {
  test.each([
    [
      'stand on each other',
      [50, 25, 25],
      100,
      [
        [0, 50, 50],
        [1, 25, 25],
        [2, 0, 25],
      ],
    ],
    ['leave out what is zero', [0, 10, 0], 20, [[1, 50, 50]]],
    ['are visible even for 1 of 50,000', [0, 0, 1], 50_000, [[2, 97, 3]]],
    ['are empty without a count', [0, 0, 0], 0, []],
  ])('%s', (_, counts, highest, expected) => {
    expect(partsOfBar(counts, highest).map(({ series, top, height }) => [series, top, height])).toEqual(
      expected,
    );
  });

  test('are never higher than the chart', () => {
    const parts = partsOfBar([50_000, 1, 1], 50_002);
    expect(parts.at(-1)?.top).toBeCloseTo(0);
    expect(parts.every(({ height }) => height > 2.5)).toBe(true);
  });

  test('add up to the height of the bar', () => expect(totalOf({ counts: [1, 2, 3] })).toBe(6));
});

test.each([
  ['ArrowLeft', 3, 2],
  ['ArrowLeft', 0, 0],
  ['ArrowRight', 3, 4],
  ['ArrowRight', 9, 9],
  ['Home', 3, 0],
  ['End', 3, 9],
  ['Enter', 3, undefined],
])('%s moves from position %i of 10 to %s', (key, place, expected) => {
  expect(placeAfterKey(key, place, 10)).toBe(expected);
});

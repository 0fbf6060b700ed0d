import { expect, test } from 'vitest';
import { movedText } from './moved-text.js';

test.each([
  [1, 0, '1 row moved. Sort anew'],
  [0, 1, '1 row no longer fits. Sort anew'],
  [2, 3, '2 rows moved, 3 rows no longer fit. Sort anew'],
])('%d moved and %d that no longer fit', (moved, unfit, expected) => {
  expect(movedText(moved, unfit)).toBe(expected);
});

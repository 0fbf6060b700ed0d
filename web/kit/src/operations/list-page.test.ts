import { expect, test } from 'vitest';
import { listPageOf } from './list-page.js';

test.each([
  ['</spaces?limit=100&cursor=MTc.a%2Bb>; rel="next"', 'MTc.a+b'],
  ['</a>; rel="prev", </spaces?cursor=x>; rel=next', 'x'],
  ['</spaces?limit=100>; rel="next"', undefined],
  ['</spaces?cursor=x>; rel="prev"', undefined],
  ['', undefined],
])('reads from the header Link %s the cursor %s', (link, next) => {
  expect(listPageOf([], { link }).next).toBe(next);
});

test('reads the number of entries', () => {
  expect(listPageOf([1], { 'x-total-count': '50000' })).toEqual({
    rows: [1],
    total: 50_000,
    next: undefined,
  });
  expect(listPageOf([1], { 'x-total-count': 'many' }).total).toBeUndefined();
  expect(listPageOf([1]).total).toBeUndefined();
});

import { expect, test } from 'vitest';
import { pageHeaders } from './page-headers.js';

const next = { at: new Date('2026-03-01T12:00:00.123Z'), id: '3f8c1b1e-6a43-4f0e-9a43-0d8a6c1c5b7e' };
const cursor = 'MTc3MjM2NjQwMDEyMy4zZjhjMWIxZS02YTQzLTRmMGUtOWE0My0wZDhhNmMxYzViN2U';

test('the last page has the total count and no link to a next page', () => {
  expect(pageHeaders({ total: 7, next: undefined }, '/spaces', { limit: 10 })).toEqual({
    'X-Total-Count': '7',
  });
});

test.each([
  ['of a list without further filters', { limit: 2 }, `limit=2&cursor=${cursor}`],
  ['in the place of a cursor', { limit: 2, cursor: next }, `limit=2&cursor=${cursor}`],
  ['keeps the filters', { status: 'failed', limit: 5 }, `status=failed&limit=5&cursor=${cursor}`],
  ['leaves out absent parameters', { status: undefined, cursor: next }, `cursor=${cursor}`],
])('the link to the next page %s', (_, query, text) => {
  expect(pageHeaders({ total: 7, next }, '/renewal-queue', query)['Link']).toBe(
    `</renewal-queue?${text}>; rel="next"`,
  );
});

import { expect, test } from 'vitest';
import { readPages } from './pages.js';

const pages: Readonly<Record<string, { readonly rows: readonly number[]; readonly link?: string }>> = {
  first: { rows: [1, 2], link: '</fqdns?limit=2&cursor=b%2B>; rel="next"' },
  'b+': { rows: [3, 4], link: '</fqdns?limit=2>; rel="first", </fqdns?cursor=c&limit=2>; rel="next"' },
  c: { rows: [5] },
};

test.each([
  ['all rows', undefined, [1, 2, 3, 4, 5], ['first', 'b+', 'c']],
  ['only pages up to the limit', 3, [1, 2, 3], ['first', 'b+']],
  ['no page after a full one', 2, [1, 2], ['first']],
])('reads %s', async (_what, max, rows, asked) => {
  const cursors: string[] = [];
  const read = async (cursor = 'first') => {
    cursors.push(cursor);
    const { rows: body = [], link } = pages[cursor] ?? {};
    const headers: Record<string, string> = link === undefined ? {} : { link };
    return { body, headers };
  };
  expect(await readPages(read, max)).toEqual(rows);
  expect(cursors).toEqual(asked);
});

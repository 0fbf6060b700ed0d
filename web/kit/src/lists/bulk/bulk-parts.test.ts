import { expect, test } from 'vitest';
import { type BulkProgress, type BulkRules, sendParts, startOf } from './bulk-parts.js';

interface Change {
  readonly action: string;
  readonly ids?: readonly string[];
}

interface Result {
  readonly matched: number;
  readonly next?: number;
}

const rules: BulkRules<Result> = {
  none: { matched: 0 },
  add: (one, other) => ({ matched: one.matched + other.matched }),
  nextOf: ({ next }) => next,
};
const lost = new Error('the connection is lost');

/** Rows from 1 to `count` that change 5000 at a time, or those that are named; the request `failing` does not arrive. */
function rowsOf(count: number, failing: number) {
  const changed: (number | string)[] = [];
  let open = 0;
  let requests = 0;
  const send = async ({ ids, after = 0 }: Change & { after?: number }): Promise<Result> => {
    requests += 1;
    expect(open).toBe(0);
    if (requests === failing) throw lost;
    open += 1;
    await Promise.resolve();
    open -= 1;
    const last = Math.min(count, after + 5_000);
    const rows = ids ?? Array.from({ length: last - after }, (_, place) => after + place + 1);
    changed.push(...rows);
    return { matched: rows.length, ...(ids === undefined && last < count && { next: last }) };
  };
  return { changed, send, requests: () => requests };
}

const idsOf = (count: number) => Array.from({ length: count }, (_, place) => `id-${place}`);

test.each<[situation: string, change: Change, count: number, expected: number]>([
  ['by a filter, 50,000 rows', { action: 'pause' }, 50_000, 10],
  ['by a filter, 5,000 rows', { action: 'pause' }, 5_000, 1],
  ['by a filter, 5,001 rows', { action: 'pause' }, 5_001, 2],
  ['by a filter, no row', { action: 'pause' }, 0, 1],
  ['by ids, 50,000 rows', { action: 'pause', ids: idsOf(50_000) }, 50_000, 50],
  ['by ids, 1,000 rows', { action: 'pause', ids: idsOf(1_000) }, 1_000, 1],
  ['by ids, 1,001 rows', { action: 'pause', ids: idsOf(1_001) }, 1_001, 2],
  ['by ids, no row', { action: 'pause', ids: [] }, 0, 0],
])('%s, changes each once, one request after the other', async (_, change, count, expected) => {
  const { changed, send, requests } = rowsOf(count, 0);
  const noted: number[] = [];
  const result = await sendParts<Change, Result>(startOf(change, undefined, rules), rules, send, ({ sum }) =>
    noted.push(sum.matched),
  );
  expect(result).toEqual({ matched: count });
  expect(requests()).toBe(expected);
  expect(changed).toHaveLength(count);
  expect(new Set(changed).size).toBe(count);
  expect(noted).toEqual([...noted].sort((one, other) => one - other));
  expect(noted.at(-1)).toBe(count);
});

test.each<[situation: string, change: Change, done: number]>([
  ['by a filter', { action: 'pause' }, 30_000],
  ['by ids', { action: 'pause', ids: idsOf(50_000) }, 6_000],
])('%s, goes on after a failure with what is not done', async (_, change, done) => {
  const { changed, send } = rowsOf(50_000, 7);
  let stopped: BulkProgress<Change, Result> | undefined;
  const run = () =>
    sendParts<Change, Result>(startOf(change, stopped, rules), rules, send, (progress) => {
      stopped = progress;
    });
  await expect(run()).rejects.toBe(lost);
  expect(stopped?.sum).toEqual({ matched: done });
  expect(await run()).toEqual({ matched: 50_000 });
  expect(changed).toHaveLength(50_000);
  expect(new Set(changed).size).toBe(50_000);
});

test.each<[situation: string, change: Change]>([
  ['another action', { action: 'resume', ids: idsOf(3) }],
  ['other rows', { action: 'pause', ids: idsOf(2) }],
])('begins anew for %s', (_, change) => {
  const stopped = {
    ...startOf<Change, Result>({ action: 'pause', ids: idsOf(3) }, undefined, rules),
    sent: 1_000,
  };
  expect(startOf<Change, Result>(change, stopped, rules)).toMatchObject({ change, sent: 0 });
});

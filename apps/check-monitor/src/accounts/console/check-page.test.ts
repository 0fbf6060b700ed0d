import type { CheckChangeResult } from '@certloop/contracts';
import { excessMs } from '@certloop/contracts/testing';
import { stretchExcess } from '@certloop/server/testing';
import { describe, expect, test } from 'vitest';
import { type CheckSummary, compareTexts, nameKeyOf } from '../../checks/check-summary.js';
import type { Caller } from '../../projects/caller.js';
import { changeChecks } from './change-checks.service.js';
import { type CheckPage, type CheckPageQuery, pageOfChecks } from './check-page.js';
import { orderChecks } from './order-checks.service.js';
import type { ChangeChecksDeps } from './write-changes.service.js';

const now = Date.parse('2026-01-01T12:00:00Z') * 1000;

const rows = [
  { id: 1, name: 'Backup', tags: 'prod db', storedStatus: 'up' },
  { id: 2, name: 'archive', tags: 'prod', storedStatus: 'down' },
  { id: 3, name: 'Zulu', tags: 'production', storedStatus: 'down' },
  { id: 4, name: 'Copy', tags: '', storedStatus: 'paused' },
  { id: 5, name: 'Mail', slug: 'nightly', tags: 'db', storedStatus: 'new', lastStart: now },
] as const;

const checks = rows
  .map(
    (row): CheckSummary => ({
      uuid: '',
      uniqueKey: '',
      slug: '',
      kind: 'simple',
      timeoutSeconds: 60,
      graceSeconds: 60,
      schedule: '',
      tz: 'UTC',
      lastPing: now,
      lastStart: null,
      lastDuration: null,
      alertAfter: null,
      pingCount: 1,
      ...row,
    }),
  )
  .sort((one, other) => compareTexts(nameKeyOf(one), nameKeyOf(other)));

const everything: CheckPageQuery = { tags: [], statuses: [], sort: 'attention', limit: 100 };
const pageOf = async (byName: readonly CheckSummary[], query: Partial<CheckPageQuery>) => {
  const whole = { ...everything, ...query };
  return pageOfChecks(await orderChecks(byName, whole, now), whole, now);
};
const idsOf = async (query: Partial<CheckPageQuery>) =>
  (await pageOf(checks, query)).rows.map(({ check }) => check.id);

describe('a page of checks', () => {
  test.each<[string, Partial<CheckPageQuery>, number[]]>([
    ['by need', {}, [2, 3, 5, 1, 4]],
    ['by name', { sort: 'name' }, [2, 1, 4, 5, 3]],
    ['by age', { sort: 'created' }, [1, 2, 3, 4, 5]],
    ['with a part of the name in any case', { q: ' ARCH ' }, [2]],
    ['with a part of the slug', { q: 'night' }, [5]],
    ['with a part of a tag', { q: 'prod' }, [2, 3, 1]],
    ['with a whole tag', { tags: ['prod'] }, [2, 1]],
    ['with all tags', { tags: ['prod', 'db'] }, [1]],
    ['with a slug', { slug: 'nightly' }, [5]],
    ['with one of some statuses', { statuses: ['up', 'paused'] }, [1, 4]],
    ['whose job runs', { statuses: ['started'] }, [5]],
    ['of an integration', { ids: new Set([3, 4]) }, [3, 4]],
    ['that matches nothing', { q: 'nothing' }, []],
  ])('has the checks %s', async (_situation, query, ids) => {
    expect(await idsOf(query)).toEqual(ids);
  });

  test.each(['attention', 'name', 'created'] as const)(
    'is followed by the remaining checks, sorted by %s',
    async (sort) => {
      const all = await idsOf({ sort });
      const found: number[] = [];
      let cursor: string | undefined;
      do {
        const page: CheckPage = await pageOf(checks, { sort, limit: 2, cursor });
        expect(page.total).toBe(5);
        found.push(...page.rows.map(({ check }) => check.id));
        cursor = page.next;
      } while (cursor !== undefined);
      expect(found).toEqual(all);
    },
  );

  test('50 tags of 1,000 checks with 250 tags each: below 50 ms of CPU', async () => {
    const words = Array.from({ length: 250 }, (_, n) => String.fromCharCode(0x400 + n));
    const [first] = checks;
    const many = Array.from({ length: 1000 }, () => ({ ...(first as CheckSummary), tags: words.join(' ') }));
    const measure = async () => {
      const before = process.cpuUsage();
      expect((await pageOf(many, { sort: 'name', tags: words.slice(200) })).total).toBe(1000);
      return process.cpuUsage(before).user / 1000;
    };
    expect(await excessMs(50, measure)).toBeUndefined();
  });

  test('a list and a change search 20,000 checks in turns, for a text that costs as much as any', async () => {
    const [first] = checks;
    // a letter whose lower case has two, of which a search compares many before it finds a difference
    const long = { name: 'İ'.repeat(100), tags: 'İ'.repeat(500) };
    const many = Array.from({ length: 20_000 }, () => ({ ...(first as CheckSummary), ...long }));
    const q = `${'İ'.repeat(90)}x`;
    const deps = { db: {}, summaries: { list: async () => many }, clock: { now: () => now } } as unknown;
    const change = () =>
      changeChecks(deps as ChangeChecksDeps, {} as Caller, { action: 'pause', filter: { q } });
    for (const search of [() => pageOf(many, { q }), change]) {
      const work = async () => {
        const { results = [], total = results.length } = (await search()) as Partial<
          CheckPage & CheckChangeResult
        >;
        expect(total).toBe(0);
      };
      expect(await stretchExcess(50, work)).toBeUndefined();
    }
  });

  test('continues after a check that was deleted', async () => {
    const first = await pageOf(checks, { limit: 2 });
    const left = checks.filter(({ id }) => id !== 3);
    const next = await pageOf(left, { limit: 2, cursor: first.next });
    expect(next.rows.map(({ check }) => check.id)).toEqual([5, 1]);
  });

  test.each(['nothing', 'W10', '', Buffer.from('["name",0,"a",1]').toString('base64url')])(
    'refuses the cursor %j',
    async (cursor) => {
      await expect(idsOf({ cursor })).rejects.toThrow('cursor: must be a cursor');
    },
  );
});

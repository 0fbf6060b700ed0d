import {
  type ExpiryTimeline,
  type Fqdn,
  type FqdnCounts,
  fqdnSorts,
  fqdnStates,
  type Space,
} from '@certloop/contracts';
import { executeSql } from '@certloop/db';
import { describeEachDialect } from '@certloop/db/testing';
import { beforeAll, describe, expect, test } from 'vitest';
import type { TestApp } from '../support/app.js';
import { pathOf, unknownId } from '../support/inventory.js';
import { readPages } from '../support/list-pages.js';
import type { Person } from '../support/people.js';
import { issuedFqdn } from '../support/renewals.js';
import { fqdnWithCsr } from '../support/signing.js';
import { describeChanged } from './list-fqdns/changed-fqdn-tests.js';
import { useFqdnStates } from './list-fqdns/fqdn-states-place.js';
import { describeShown } from './list-fqdns/shown-fqdn-tests.js';

const day = 86_400_000;

describeEachDialect('FQDNs with their states', (open) => {
  const place = useFqdnStates(open);
  const { held, get, list } = place;
  let app: TestApp;
  beforeAll(() => {
    app = place.app;
  });

  const namesOf = (fqdns: readonly Fqdn[]) => fqdns.map(({ fqdn }) => fqdn);
  const byNeed = () => [held.expired, held.failing, held.due, held.valid, held.unfinished];

  describe('listed', () => {
    test('are returned from all spaces, oldest first, with the members of the list of a space', async () => {
      const all = await list();
      expect(namesOf(all)).toEqual(
        namesOf([held.expired, held.failing, held.due, held.valid, held.unfinished]),
      );
      const { body } = await get(`/spaces/${held.valid.spaceId}/fqdns`).expect(200);
      expect(all.filter(({ id }) => id === held.valid.id)).toEqual(body);
    });

    test.each(fqdnStates)('can be filtered by %s', async (state) => {
      const [fqdn, ...others] = await list({ state, include: 'status' });
      expect(others).toEqual([]);
      expect(fqdn?.id).toBe(held[state].id);
      expect(fqdn?.status?.state).toBe(state);
      expect(fqdn?.status?.reason).toMatch(/^[A-Z].*\.$/);
    });

    test('are sorted by need, those without need last', async () => {
      expect(namesOf(await list({ sort: 'attention' }))).toEqual(namesOf(byNeed()));
    });

    test('are sorted by expiry, by renewal and by name', async () => {
      const ends = (await list({ sort: 'expiresAt', include: 'status' })).map(
        ({ status }) => status?.certificate,
      );
      const moments = ends.map((certificate) => certificate?.expiresAt ?? '9999');
      expect(moments).toEqual([...moments].sort());
      const renewals = (await list({ sort: 'renewAt', include: 'status' })).map(
        ({ status }) => status?.renewAt,
      );
      expect(renewals.map((moment) => moment ?? '9999')).toEqual(
        renewals.map((moment) => moment ?? '9999').sort(),
      );
      const names = namesOf(await list({ sort: 'fqdn' }));
      expect(names).toEqual([...names].sort());
    });

    test.each(fqdnSorts)('are returned in pages sorted by %s, each exactly once', async (sort) => {
      const all = namesOf(await list({ sort }));
      expect(all).toHaveLength(5);
      for (const person of [app.people.ada, app.people.ben]) {
        const mine = namesOf(await list({ sort }, person));
        const { rows, totals } = await readPages<Fqdn>(app, `/fqdns?sort=${sort}&limit=2`, person);
        expect(namesOf(rows)).toEqual(mine);
        expect([...totals]).toEqual([String(mine.length)]);
      }
    });

    test('are rejected with a cursor of another sort or an invalid one', async () => {
      const { headers } = await get('/fqdns?sort=fqdn&limit=1').expect(200);
      const next = /^<([^>]+)>/.exec(String(headers['link']))?.[1] ?? '';
      await get(next).expect(200);
      for (const other of ['sort=attention', 'sort=createdAt', 'state=valid']) {
        const { body } = await get(next.replace('sort=fqdn', other)).expect(400);
        expect(body).toMatchObject({ errors: [{ path: 'query.cursor', code: 'other_sort' }] });
      }
      for (const cursor of [
        'x',
        'ZnFkbjp4',
        btoa(`fqdn:n%zz.${unknownId}`),
        btoa(`expiresAt:nx.${unknownId}`),
      ]) {
        await get('/fqdns').query({ sort: 'expiresAt', cursor }).expect(400);
      }
    });

    test.each([
      ['limit', '0'],
      ['limit', '1001'],
      ['state', 'broken'],
      ['renewal', 'yes'],
      ['sort', 'spaceId'],
      ['include', 'everything'],
      ['spaceId', 'x'],
      ['providerId', 'x'],
      ['expiresBefore', 'tomorrow'],
      ['expiresFrom', 'today'],
      ['q', 'x'.repeat(254)],
    ])('reject %s=%s', async (name, value) => {
      const { body } = await get('/fqdns')
        .query({ [name]: value })
        .expect(400);
      expect(body).toMatchObject({ errors: [{ path: `query.${name}` }] });
    });

    test.each([
      ['a part of a name', { q: 'fail' }, ['failing']],
      ['in capitals', { q: 'FAIL' }, ['failing']],
      ['in Unicode', { q: 'Büch' }, ['valid']],
      ['in Unicode, decomposed', { q: 'bu\u0308ch' }, ['valid']],
      ['in ASCII', { q: 'xn--bcher' }, ['valid']],
      ['as it is, not as a pattern', { q: '%' }, []],
      ['nor so', { q: 'd_e' }, []],
      ['nor with its escape', { q: '\\' }, []],
      ['a whole name, in Unicode', { fqdn: 'BÜCHER.example.org.' }, ['valid']],
      ['a whole name, not a part of it', { fqdn: 'example.org' }, []],
      ['what is not a host name', { fqdn: 'a b' }, []],
      ['renewed automatically', { renewal: 'on' }, ['failing', 'valid']],
      ['not renewed', { renewal: 'off' }, ['expired', 'due', 'unfinished']],
      ['several at once', { renewal: 'on', state: 'failing' }, ['failing']],
      ['of an unknown provider', { providerId: unknownId }, []],
      ['of an unknown space', { spaceId: unknownId }, []],
    ] as const)('are the requested ones: %s', async (_, query, states) => {
      expect(namesOf(await list(query))).toEqual(namesOf(states.map((state) => held[state])));
    });

    test('are filtered by provider, by space and by expiry', async () => {
      expect(await list({ providerId: place.providerId })).toHaveLength(4);
      expect(namesOf(await list({ spaceId: held.due.spaceId }))).toEqual([held.due.fqdn]);
      const now = app.clock.now().toISOString();
      expect(namesOf(await list({ expiresBefore: now }))).toEqual([held.expired.fqdn]);
      expect(namesOf(await list({ expiresFrom: now }))).toEqual(
        namesOf([held.failing, held.due, held.valid]),
      );
    });

    test('match the counts of the timeline for a period', async () => {
      const { body: timeline } = await get('/stats/expiry').expect(200);
      const { buckets } = timeline as ExpiryTimeline;
      const filled = buckets.filter((ends) => ends.willRenew + ends.needsHand + ends.failing > 0);
      expect(filled.length).toBeGreaterThan(1);
      for (const { start, willRenew, needsHand, failing } of filled) {
        const expiresBefore = new Date(Date.parse(start) + 7 * day).toISOString();
        expect(await list({ expiresFrom: start, expiresBefore })).toHaveLength(
          willRenew + needsHand + failing,
        );
      }
    });

    test('have the name of their space and the level of the caller in addition to their status', async () => {
      const { ben } = app.people;
      const [plain] = await list({}, ben);
      expect(plain).not.toHaveProperty('spaceName');
      const { body: spaces } = await get('/spaces', ben).expect(200);
      const names = new Map((spaces as Space[]).map(({ id, name }) => [id, name]));
      for (const { spaceId, spaceName, level } of await list({ include: 'status' }, ben)) {
        expect({ spaceName, level }).toEqual({ spaceName: names.get(spaceId), level: 'READ' });
      }
      const [own] = await list({ include: 'status' });
      expect(own).toMatchObject({ level: 'FULL_ACCESS' });
    });

    test('include only those that the caller may read', async () => {
      const { ben, cleo } = app.people;
      expect(namesOf(await list({ sort: 'attention' }, ben))).toEqual(
        namesOf([held.expired, held.valid, held.unfinished]),
      );
      expect(await list({ spaceId: held.due.spaceId }, ben)).toEqual([]);
      expect(await list({}, cleo)).toEqual([]);
      await app.request.get('/fqdns').expect(401);
    });

    test('of a space accept the same query', async () => {
      const { spaceId } = held.valid;
      const path = `/spaces/${spaceId}/fqdns`;
      const { body } = await get(path).query({ q: 'büch', sort: 'attention', include: 'status' }).expect(200);
      expect(body).toMatchObject([{ id: held.valid.id, status: { state: 'valid' } }]);
      expect((await get(path).query({ state: 'failing' }).expect(200)).body).toEqual([]);
      await get(path, app.people.cleo).query({ state: 'failing' }).expect(404);
      await get(`/spaces/${unknownId}/fqdns`).query({ state: 'failing' }).expect(404);
    });
  });

  describe('counted', () => {
    const counts = async (query: object = {}, person?: Person) => {
      const { body } = await get('/fqdns/counts', person).query(query).expect(200);
      return body as FqdnCounts;
    };

    test('are counted by state', async () => {
      const one = { unfinished: 1, valid: 1, due: 1, failing: 1, expired: 1 };
      expect(await counts()).toEqual({ total: 5, needsYou: 3, ...one });
      const none = { unfinished: 0, valid: 0, due: 0, failing: 0, expired: 0 };
      expect(await counts({ q: 'failing' })).toEqual({ ...none, total: 1, needsYou: 1, failing: 1 });
      expect(await counts({ spaceId: held.valid.spaceId })).toEqual({
        ...none,
        total: 1,
        needsYou: 0,
        valid: 1,
      });
    });

    test('include only those that the caller may read', async () => {
      const { ben, cleo } = app.people;
      expect(await counts({}, ben)).toMatchObject({
        total: 3,
        needsYou: 1,
        expired: 1,
        valid: 1,
        unfinished: 1,
      });
      expect(await counts({ spaceId: held.due.spaceId }, ben)).toMatchObject({ total: 0 });
      expect(await counts({}, cleo)).toMatchObject({ total: 0, valid: 0 });
      await app.request.get('/fqdns/counts').expect(401);
      await get('/fqdns/counts?spaceId=x').expect(400);
    });

    test('are as many as a list by state has', async () => {
      const counted = await counts();
      for (const state of fqdnStates) expect(await list({ state })).toHaveLength(counted[state]);
    });
  });
  describeShown(place);
  describeChanged(place);

  test('a waiting CSR has its findings', async () => {
    const { fqdn } = await fqdnWithCsr(app, 'found.example.org');
    const [shown] = await list({ q: 'found.example.org', include: 'status' });
    expect(shown?.status).toMatchObject({ reason: expect.stringContaining('have the CSR signed') });
    expect(shown?.id).toBe(fqdn.id);
  });

  test('show the computed state if it is not stored yet', async () => {
    const fqdn = await issuedFqdn(place, 'earlier.example.org');
    const { body: stored } = await get(pathOf(fqdn, '')).expect(200);
    expect(stored.status.certificate).toMatchObject({ keyAlgorithm: 'ECDSA' });
    await app.database.transaction((tx) =>
      executeSql(tx, 'delete from fqdn_standings where id = $1', [fqdn.id]),
    );
    const { body } = await get(pathOf(fqdn, '')).expect(200);
    expect(body).toEqual(stored);
  });
});

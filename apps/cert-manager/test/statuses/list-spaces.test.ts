import { type Fqdn, type OwnSpace, type Space, spaceSorts } from '@certloop/contracts';
import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startAppOn, type TestApp } from '../support/app.js';
import { grant } from '../support/factories.js';
import { addFqdn, addSpace, unknownId } from '../support/inventory.js';
import { readPages } from '../support/list-pages.js';
import type { Person } from '../support/people.js';
import {
  certificatesOf,
  issuedFqdn,
  type RenewalPlace,
  renewedFqdn,
  startRenewing,
} from '../support/renewals.js';

const day = 86_400_000;
const none = { total: 0, needsYou: 0, unfinished: 0, valid: 0, due: 0, failing: 0, expired: 0 };

describeEachDialect('spaces by the states of their FQDNs', (open) => {
  let place: RenewalPlace;
  let app: TestApp;
  let fqdns: { ended: Fqdn; renewed: Fqdn };
  let empty: Space;
  let named: Space;
  beforeAll(async () => {
    place = await startRenewing(open);
    app = place.app;
    empty = await addSpace(app, 'an empty one');
    app.clock.advance(1000);
    const ended = await issuedFqdn(place, 'ended.example.org');
    app.clock.advance(31 * day);
    fqdns = { ended, renewed: await renewedFqdn(place, 'renewed.example.org') };
    await addFqdn(app, fqdns.renewed.spaceId, 'new.example.org');
    app.clock.advance(1000);
    named = await addSpace(app, 'Zürich 100%_');
    await grant(app, app.people.ben, 'READ_WRITE', [ended.spaceId, named.id]);
  });
  afterAll(() => place.close());

  const get = (path: string, person: Person = app.people.ada) => app.request.get(path).set(person.auth);
  const list = async (query: object, person?: Person) => {
    const { body } = await get('/spaces', person).query(query).expect(200);
    return body as Space[];
  };
  const idsOf = (spaces: readonly Space[]) => spaces.map(({ id }) => id);

  test('have the counts, the next expiry and the level if the request includes them', async () => {
    const { renewed, ended } = fqdns;
    const end = (await certificatesOf(app, renewed)).at(-1)?.expiresAt;
    const shown = new Map((await list({ include: 'counts' })).map((space) => [space.id, space]));
    expect(shown.get(renewed.spaceId)).toMatchObject({
      level: 'FULL_ACCESS',
      counts: { ...none, total: 2, valid: 1, unfinished: 1 },
      nextExpiry: end,
    });
    expect(shown.get(ended.spaceId)?.counts).toEqual({ ...none, total: 1, needsYou: 1, expired: 1 });
    expect(shown.get(ended.spaceId)).not.toHaveProperty('nextExpiry');
    expect(shown.get(empty.id)).toEqual({ ...empty, level: 'FULL_ACCESS', counts: none });
  });

  test('have no further members in a plain list, or if they are only sorted', async () => {
    const plain = await list({});
    expect(plain).toContainEqual(empty);
    expect(await list({ sort: 'createdAt' })).toEqual(plain);
  });

  test('are sorted by need, those without FQDNs last, and by name in any case', async () => {
    const byNeed = idsOf(await list({ sort: 'attention' }));
    expect(byNeed.slice(0, 2)).toEqual([fqdns.ended.spaceId, fqdns.renewed.spaceId]);
    expect(byNeed.slice(2).sort()).toEqual([empty.id, named.id].sort());
    const names = (await list({ sort: 'name' })).map(({ name }) => name);
    expect(names).toEqual(['an empty one', 'space', 'space', 'Zürich 100%_']);
  });

  test('are filtered by whether an issuance policy limits them, their own or the default one', async () => {
    const policies = {
      set: async () => idsOf(await list({ policy: 'set' })),
      absent: () => list({ policy: 'absent' }),
    };
    const all = idsOf(await list({}));
    expect(await policies.set()).toEqual([]);
    expect(idsOf(await policies.absent())).toEqual(all);
    const put = (body: object) =>
      app.request.put(`/spaces/${named.id}/issuance-policy`).set(app.people.ada.auth).send(body).expect(200);
    await put({ providerIds: [place.providerId] });
    expect(await policies.set()).toEqual([named.id]);
    expect(idsOf(await policies.absent())).toEqual(all.filter((id) => id !== named.id));
    expect(idsOf(await list({ policy: 'set', q: 'empty' }))).toEqual([]);
    expect(idsOf(await list({ policy: 'set' }, app.people.cleo))).toEqual([]);
    await put({});
    expect(await policies.set()).toEqual([]);
    const ISSUANCE_POLICY_DEFAULT = JSON.stringify({ providerIds: [place.providerId] });
    const beside = await startAppOn(app.database, { beside: app, environment: { ISSUANCE_POLICY_DEFAULT } });
    expect(await policies.set()).toEqual(all);
    expect(await policies.absent()).toEqual([]);
    await beside.close();
    await (await startAppOn(app.database, { beside: app })).close();
    await get('/spaces?policy=none').expect(400);
  });

  test.each(spaceSorts)('are returned in pages sorted by %s, each once', async (sort) => {
    for (const person of [app.people.ada, app.people.ben]) {
      const all = idsOf(await list({ sort }, person));
      const { rows, totals } = await readPages<Space>(app, `/spaces?sort=${sort}&limit=1`, person);
      expect(idsOf(rows)).toEqual(all);
      expect([...totals]).toEqual([String(all.length)]);
    }
    expect(idsOf(await list({ sort }, app.people.ben))).toHaveLength(2);
  });

  test.each([
    ['EMPTY', ['an empty one']],
    ['zürich', ['Zürich 100%_']],
    ['Zu\u0308rich', ['Zürich 100%_']],
    ['%_', ['Zürich 100%_']],
    ['p_c', []],
    ['\\', []],
  ])('with %s in their names', async (q, names) => {
    expect((await list({ q })).map(({ name }) => name)).toEqual(names);
  });

  test('reject a cursor of another sort, and an invalid query', async () => {
    const { headers } = await get('/spaces?sort=name&limit=1').expect(200);
    const next = /^<([^>]+)>/.exec(String(headers['link']))?.[1] ?? '';
    for (const path of [next.replace('name', 'attention'), next.replace('sort=name&', '')]) {
      const { body } = await get(path).expect(400);
      expect(body).toMatchObject({ errors: [{ path: 'query.cursor', code: 'other_sort' }] });
    }
    for (const query of ['sort=size', 'include=all', `q=${'x'.repeat(101)}`]) {
      await get(`/spaces?${query}`).expect(400);
    }
  });

  test('a single space has its level and its counts, also after a change', async () => {
    const { spaceId } = fqdns.ended;
    const { body } = await get(`/spaces/${spaceId}`, app.people.ben).expect(200);
    expect(body as OwnSpace).toMatchObject({
      id: spaceId,
      level: 'READ_WRITE',
      counts: { ...none, total: 1, needsYou: 1, expired: 1 },
    });
    const put = app.request.put(`/spaces/${spaceId}`).set(app.people.ada.auth);
    const changed = await put.send({ description: 'the shop' }).expect(200);
    expect(changed.body).toEqual({ ...body, level: 'FULL_ACCESS', description: 'the shop' });
    await get(`/spaces/${unknownId}`).expect(404);
    await get(`/spaces/${spaceId}`, app.people.cleo).expect(404);
  });
});

import {
  type ExpiryTimeline,
  type Fqdn,
  type FqdnCounts,
  type FqdnState,
  fqdnSorts,
  fqdnStates,
  type OwnFqdn,
  type Space,
} from '@certloop/contracts';
import { executeSql } from '@certloop/db';
import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import type { TestApp } from '../support/app.js';
import { grant } from '../support/factories.js';
import { addFqdn, addSpace, auditEntries, pathOf, unknownId } from '../support/inventory.js';
import { readPages } from '../support/list-pages.js';
import type { Person } from '../support/people.js';
import {
  certificatesOf,
  failingFqdn,
  issuedFqdn,
  issueForDays,
  openEntryOf,
  type RenewalPlace,
  renewedFqdn,
  startRenewing,
} from '../support/renewals.js';
import { createProvider, fqdnWithCsr } from '../support/signing.js';

jest.setTimeout(60_000);

const day = 86_400_000;

describeEachDialect('FQDNs by how they stand', (open) => {
  let place: RenewalPlace;
  let app: TestApp;
  // one of each state, in the order of their need
  const held: Record<FqdnState, Fqdn> = {} as Record<FqdnState, Fqdn>;
  beforeAll(async () => {
    place = await startRenewing(open, {
      environment: { CHECK_MONITOR_PUBLIC_URL: 'https://monitor.example' },
    });
    app = place.app;
    await issueForDays(place, 1);
    held.expired = await issuedFqdn(place, 'expired.example.org');
    app.clock.advance(2 * day);
    await issueForDays(place, 30);
    held.failing = await failingFqdn(place, 'failing.example.org');
    await issueForDays(place, 2);
    held.due = await issuedFqdn(place, 'due.example.org');
    app.clock.advance(1.9 * day);
    await issueForDays(place, 90);
    held.valid = await renewedFqdn(place, 'xn--bcher-kva.example.org');
    held.unfinished = await addFqdn(app, (await addSpace(app)).id, 'unfinished.example.org');
    const spaceIds = [held.expired, held.valid, held.unfinished].map(({ spaceId }) => spaceId);
    await grant(app, app.people.ben, 'READ', spaceIds);
  });
  afterAll(() => place.close());

  const get = (path: string, person: Person = app.people.ada) => app.request.get(path).set(person.auth);
  const list = async (query: object = {}, person?: Person) => {
    const { body } = await get('/fqdns', person).query(query).expect(200);
    return body as Fqdn[];
  };
  const namesOf = (fqdns: readonly Fqdn[]) => fqdns.map(({ fqdn }) => fqdn);
  const byNeed = () => [held.expired, held.failing, held.due, held.valid, held.unfinished];

  describe('listed', () => {
    test('come from all spaces, oldest first, as each of them is shown', async () => {
      const all = await list();
      expect(namesOf(all)).toEqual(
        namesOf([held.expired, held.failing, held.due, held.valid, held.unfinished]),
      );
      const { body } = await get(`/spaces/${held.valid.spaceId}/fqdns`).expect(200);
      expect(all.filter(({ id }) => id === held.valid.id)).toEqual(body);
    });

    test.each(fqdnStates)('are those that are %s', async (state) => {
      const [fqdn, ...others] = await list({ state, include: 'status' });
      expect(others).toEqual([]);
      expect(fqdn?.id).toBe(held[state].id);
      expect(fqdn?.status?.state).toBe(state);
      expect(fqdn?.status?.reason).toMatch(/^[A-Z].*\.$/);
    });

    test('come by need, what needs no one last', async () => {
      expect(namesOf(await list({ sort: 'attention' }))).toEqual(namesOf(byNeed()));
    });

    test('come by expiry, by renewal and by name', async () => {
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

    test.each(fqdnSorts)('by pages sorted by %s, every one once', async (sort) => {
      const all = namesOf(await list({ sort }));
      expect(all).toHaveLength(5);
      for (const person of [app.people.ada, app.people.ben]) {
        const mine = namesOf(await list({ sort }, person));
        const { rows, totals } = await readPages<Fqdn>(app, `/fqdns?sort=${sort}&limit=2`, person);
        expect(namesOf(rows)).toEqual(mine);
        expect([...totals]).toEqual([String(mine.length)]);
      }
    });

    test('are refused a cursor of another sort, and what is none', async () => {
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
    ])('are refused %s=%s', async (name, value) => {
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
      ['what is no host name', { fqdn: 'a b' }, []],
      ['renewed automatically', { renewal: 'on' }, ['failing', 'valid']],
      ['not renewed', { renewal: 'off' }, ['expired', 'due', 'unfinished']],
      ['several at once', { renewal: 'on', state: 'failing' }, ['failing']],
      ['of an unknown provider', { providerId: unknownId }, []],
      ['of an unknown space', { spaceId: unknownId }, []],
    ] as const)('are those asked for: %s', async (_, query, states) => {
      expect(namesOf(await list(query))).toEqual(namesOf(states.map((state) => held[state])));
    });

    test('are those of a provider, of a space, and that end before a moment', async () => {
      expect(await list({ providerId: place.providerId })).toHaveLength(4);
      expect(namesOf(await list({ spaceId: held.due.spaceId }))).toEqual([held.due.fqdn]);
      const now = app.clock.now().toISOString();
      expect(namesOf(await list({ expiresBefore: now }))).toEqual([held.expired.fqdn]);
      expect(namesOf(await list({ expiresFrom: now }))).toEqual(
        namesOf([held.failing, held.due, held.valid]),
      );
    });

    test('are as many in a period as the timeline counts there', async () => {
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

    test('have the name of their space and the level of the caller beside their status', async () => {
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

    test('are those that the caller may read', async () => {
      const { ben, cleo } = app.people;
      expect(namesOf(await list({ sort: 'attention' }, ben))).toEqual(
        namesOf([held.expired, held.valid, held.unfinished]),
      );
      expect(await list({ spaceId: held.due.spaceId }, ben)).toEqual([]);
      expect(await list({}, cleo)).toEqual([]);
      await app.request.get('/fqdns').expect(401);
    });

    test('of a space, by the same query', async () => {
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

    test('are so many in each state', async () => {
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

    test('are those that the caller may read', async () => {
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

    test('are those that a list by state has', async () => {
      const counted = await counts();
      for (const state of fqdnStates) expect(await list({ state })).toHaveLength(counted[state]);
    });
  });

  describe('shown', () => {
    const show = async ({ spaceId, id }: Fqdn, person?: Person) => {
      const { body } = await get(`/spaces/${spaceId}/fqdns/${id}`, person).expect(200);
      return body as OwnFqdn;
    };

    test('has its certificate, its CSR and the moment of its renewal', async () => {
      const newest = (await certificatesOf(app, held.valid)).at(-1);
      const { scheduledAt } = await openEntryOf(app, held.valid);
      expect(await show(held.valid)).toMatchObject({
        id: held.valid.id,
        spaceName: 'space',
        level: 'FULL_ACCESS',
        status: {
          state: 'valid',
          reason: `Renews on ${scheduledAt}.`,
          outlook: 'scheduled',
          renewAt: scheduledAt,
          certificate: {
            id: newest?.id,
            expiresAt: newest?.expiresAt,
            issuer: newest?.issuer,
            keyAlgorithm: 'ECDSA',
          },
          csr: { id: expect.any(String), findings: expect.any(Array) },
        },
      });
      expect((await show(held.valid, app.people.ben)).level).toBe('READ');
    });

    test('has the failure and the next try', async () => {
      const { status } = await show(held.failing);
      expect(status).toMatchObject({
        outlook: expect.stringMatching(/^(retrying|due)$/),
        lastFailure: { message: expect.stringContaining('this CSR is not liked') },
      });
      expect(status.reason).toMatch(/^The last renewal failed: .* The next try is at /);
    });

    test('says what is missing where there is no certificate', async () => {
      expect((await show(held.unfinished)).status).toEqual({
        state: 'unfinished',
        reason: 'There is no certificate yet. Upload a CSR.',
        outlook: 'switched_off',
      });
    });

    test('is the same in a list', async () => {
      const shown = await show(held.failing);
      expect(await list({ state: 'failing', include: 'status' })).toEqual([shown]);
    });
  });

  describe('changed', () => {
    const put = ({ spaceId, id }: Fqdn, body: object, person: Person = app.people.ada) =>
      app.request.put(`/spaces/${spaceId}/fqdns/${id}`).set(person.auth).send(body);

    test('has the new description and provider; what is left out stays', async () => {
      const { fqdn } = await fqdnWithCsr(app, 'changed.example.org');
      const { id: providerId } = await createProvider(app, {
        kind: 'dummy-ca',
        name: 'second',
        config: { baseUrl: place.ca.url },
      });
      const first = await put(fqdn, { description: 'the shop', providerId }).expect(200);
      expect(first.body).toMatchObject({
        id: fqdn.id,
        description: 'the shop',
        providerId,
        level: 'FULL_ACCESS',
      });
      const second = await put(fqdn, { providerId: null }).expect(200);
      expect(second.body).toMatchObject({ description: 'the shop' });
      expect(second.body).not.toHaveProperty('providerId');
      await put(fqdn, {}).expect(200);
      const entries = (await auditEntries(app, 'fqdn.update')).filter(
        ({ resourceId }) => resourceId === fqdn.id,
      );
      expect(entries.map(({ details }) => details)).toMatchObject([
        { before: { description: '', providerId: null }, after: { description: 'the shop', providerId } },
        { before: { providerId }, after: { description: 'the shop', providerId: null } },
      ]);
    });

    test('an imported certificate is renewed by the provider that is named then', async () => {
      const fqdn = await issuedFqdn(place, 'imported.example.org');
      const pem = (await certificatesOf(app, fqdn)).at(-1)?.pem;
      const { id: spaceId } = await addSpace(app);
      const other = await addFqdn(app, spaceId, 'imported.example.org');
      await app.request
        .post(pathOf(other, 'certificates/import'))
        .set(app.people.ada.auth)
        .send({ pem })
        .expect(201);
      const csr = (await get(pathOf(fqdn, 'csr')).expect(200)).body[0].csrPem as string;
      await app.request
        .post(pathOf(other, 'csr'))
        .set(app.people.ada.auth)
        .field('spaceId', spaceId)
        .field('fqdn', other.fqdn)
        .attach('csr', Buffer.from(csr), 'request.pem')
        .expect(201);
      const on = app.request.put(pathOf(other, 'renewal-enabled')).set(app.people.ada.auth);
      await on.send({ renewalEnabled: true }).expect(200);
      expect(namesOf(await list({ spaceId, renewal: 'on' }))).toHaveLength(1);
      const named = await put(other, { providerId: place.providerId }).expect(200);
      expect(named.body.status).toMatchObject({ outlook: 'scheduled', renewAt: expect.any(String) });
      const none = await put(other, { providerId: null }).expect(200);
      expect(none.body.status).toMatchObject({ outlook: 'no_provider' });
      expect(none.body.status).not.toHaveProperty('renewAt');
    });

    test('is refused an unknown provider, one that the policy forbids, and what is too long', async () => {
      const fqdn = held.unfinished;
      const unknown = await put(fqdn, { providerId: unknownId }).expect(400);
      expect(unknown.body).toMatchObject({ code: 'unknown_provider', errors: [{ path: 'providerId' }] });
      await put(fqdn, { providerId: 'x' }).expect(400);
      await put(fqdn, { description: 'x'.repeat(1001) }).expect(400);
      await app.request
        .put(`/spaces/${fqdn.spaceId}/issuance-policy`)
        .set(app.people.ada.auth)
        .send({ providerIds: [] })
        .expect(200);
      const forbidden = await put(fqdn, { providerId: place.providerId }).expect(400);
      expect(forbidden.body).toMatchObject({ code: 'provider_not_allowed' });
    });

    test('is refused to readers and strangers, and not found where it is not', async () => {
      const { ben, cleo } = app.people;
      await put(held.valid, { description: 'mine' }, ben).expect(403);
      await put(held.valid, { description: 'mine' }, cleo).expect(404);
      await put({ ...held.valid, id: unknownId }, { description: 'mine' }).expect(404);
      await put({ ...held.valid, spaceId: held.due.spaceId }, { description: 'mine' }).expect(404);
    });
  });

  test('a CSR that waits says what was found about it', async () => {
    const { fqdn } = await fqdnWithCsr(app, 'found.example.org');
    const [shown] = await list({ q: 'found.example.org', include: 'status' });
    expect(shown?.status).toMatchObject({ reason: expect.stringContaining('have the CSR signed') });
    expect(shown?.id).toBe(fqdn.id);
  });

  test('one whose standing is not stored yet is shown as it will be', async () => {
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

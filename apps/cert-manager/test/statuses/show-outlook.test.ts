import type { ExpiryTimeline, Fqdn, Outlook } from '@certloop/contracts';
import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { updateCertificate } from '../../src/certificates/certificates.repository.js';
import { inServiceSeconds, type ProviderRate, rateOf } from '../../src/statuses/outlook/outlook.js';
import { findLastIssuedAt, readProviderPlans } from '../../src/statuses/outlook/outlook.repository.js';
import { fqdnStatuses } from '../../src/statuses/statuses.repository.js';
import type { TestApp } from '../support/app.js';
import { foreignCertificate } from '../support/cas/foreign-ca.js';
import { grant } from '../support/factories.js';
import { addFqdn, pathOf, unknownId } from '../support/inventory.js';
import type { Person } from '../support/people.js';
import {
  certificatesOf,
  failingFqdn,
  issuedFqdn,
  issueForDays,
  type RenewalPlace,
  renewedFqdn,
  startRenewing,
  switchRenewal,
} from '../support/renewals.js';

const day = 86_400_000;

describeEachDialect('the outlook', (open) => {
  let place: RenewalPlace;
  let app: TestApp;
  let fqdns: { failing: Fqdn; renewed: Fqdn[]; unrenewed: Fqdn };
  beforeAll(async () => {
    place = await startRenewing(open);
    app = place.app;
    const failing = await failingFqdn(place, 'failing.example.org');
    await issueForDays(place, 90);
    const renewed = [await renewedFqdn(place, 'a.example.org')];
    await issueForDays(place, 40);
    renewed.push(await renewedFqdn(place, 'b.example.org'));
    const unrenewed = await issuedFqdn(place, 'unrenewed.example.org');
    await addFqdn(app, unrenewed.spaceId, 'unfinished.example.org');
    fqdns = { failing, renewed, unrenewed };
    await grant(app, app.people.ben, 'READ', [unrenewed.spaceId, renewed[0]?.spaceId ?? '']);
  });
  afterAll(() => place.close());

  const get = async (path: string, person: Person = app.people.ada) => {
    const { body } = await app.request.get(path).set(person.auth).expect(200);
    return body as unknown;
  };
  const outlook = async (query = '', person?: Person) => (await get(`/outlook${query}`, person)) as Outlook;
  const timeline = async (query = '', person?: Person) =>
    (await get(`/stats/expiry${query}`, person)) as ExpiryTimeline;
  const endOf = async (fqdn: Fqdn) => String((await certificatesOf(app, fqdn)).at(-1)?.expiresAt);
  const sums = ({ buckets }: ExpiryTimeline) =>
    buckets.reduce(
      (sum, one) => ({
        willRenew: sum.willRenew + one.willRenew,
        needsHand: sum.needsHand + one.needsHand,
        failing: sum.failing + one.failing,
      }),
      { willRenew: 0, needsHand: 0, failing: 0 },
    );

  test('shows how long a provider can be unavailable, equal to a manual count', async () => {
    const { failing, renewed } = fqdns;
    const rows = await app.database.read((tx) => tx.find(fqdnStatuses, { where: { outlook: 'planned' } }));
    const ends = rows.map(({ expiresAt }) => expiresAt.getTime() / 1000).sort((one, other) => one - other);
    expect(ends).toHaveLength(3);
    const slack = ends.map(
      (end, index) => end - (index + 1) * rateOf(place.providerId, 'direct').renewalSeconds,
    );
    const now = app.clock.now();
    const { providers, computedAt } = await outlook();
    expect(computedAt).toBe(now.toISOString());
    expect(providers).toEqual([
      {
        providerId: place.providerId,
        survivableOutageSeconds: Math.floor(Math.min(...slack) - now.getTime() / 1000 - inServiceSeconds),
        firstLoss: {
          fqdnId: failing.id,
          spaceId: failing.spaceId,
          fqdn: failing.fqdn,
          expiresAt: await endOf(failing),
        },
        dueIn24h: 1,
        peakPerHour: 1,
        drainSeconds: 1,
        lastSuccessAt: expect.any(String),
      },
    ]);
    const [mine] = (await outlook('', app.people.ben)).providers;
    expect(mine?.firstLoss?.fqdnId).toBe(renewed[0]?.id);
    expect((await outlook(`?spaceId=${renewed[1]?.spaceId}`)).providers[0]?.firstLoss?.fqdnId).toBe(
      renewed[1]?.id,
    );
  });

  test('counts the limit of new orders only for certificates that another issuer made', async () => {
    const { providerId } = place;
    const now = app.clock.now();
    const read = (rate: Omit<ProviderRate, 'providerId'>) =>
      app.database.read((tx) =>
        readProviderPlans(tx, { scope: 'all', now, rates: [{ providerId, ...rate }] }),
      );
    const rows = await app.database.read((tx) => tx.find(fqdnStatuses, { where: { outlook: 'planned' } }));
    const ends = rows.map(({ expiresAt }) => expiresAt.getTime() / 1000).sort((one, other) => one - other);
    const orders = { renewalSeconds: 3600, newOrderSeconds: 50 * day };
    const earliest = (seconds: readonly number[]) =>
      Math.floor(Math.min(...ends.map((end, index) => end - (seconds[index] ?? 0))));

    expect(await read(orders)).toMatchObject([
      { firstTooLate: earliest([3600, 7200, 10_800]), dueIn24h: 1, newIn24h: 0 },
    ]);
    const first = rows.find(({ id }) => id === fqdns.failing.id)?.certificateId ?? '';
    const issuedBy = (issuer: string | null) =>
      app.database.transaction((tx) => updateCertificate(tx, first, { providerId: issuer }));
    await issuedBy(null);
    expect(await read(orders)).toMatchObject([
      { firstTooLate: earliest([50 * day, 50 * day, 50 * day]), dueIn24h: 1, newIn24h: 1 },
    ]);
    await issuedBy(providerId);
    expect(await app.database.read((tx) => readProviderPlans(tx, { scope: 'all', now, rates: [] }))).toEqual(
      [],
    );
  });

  test('shows nothing about FQDNs that are not renewed, and nothing to other users', async () => {
    const none = { providers: [], computedAt: app.clock.now().toISOString() };
    expect(await outlook(`?spaceId=${fqdns.unrenewed.spaceId}`)).toEqual(none);
    expect(await outlook(`?spaceId=${unknownId}`)).toEqual(none);
    expect(await outlook('', app.people.cleo)).toEqual(none);
    expect(await outlook(`?spaceId=${fqdns.failing.spaceId}`, app.people.ben)).toEqual(none);
    await app.request.get('/outlook').expect(401);
    await app.request.get('/outlook?spaceId=x').set(app.people.ada.auth).expect(400);
  });

  test('counts the expiries by week and outcome, with names if they are few', async () => {
    const all = await timeline();
    expect(all.buckets).toHaveLength(27);
    expect(all.buckets.every(({ start }) => new Date(start).getUTCDay() === 1)).toBe(true);
    expect(sums(all)).toEqual({ willRenew: 2, needsHand: 1, failing: 1 });
    expect([all.overdue, all.later]).toEqual([0, 0]);
    const ends = all.names?.map(({ expiresAt }) => expiresAt) ?? [];
    expect(ends).toHaveLength(4);
    expect(ends).toEqual([...ends].sort());
    expect(all.names?.[0]).toMatchObject({ fqdnId: fqdns.failing.id, spaceId: fqdns.failing.spaceId });
  });

  test('counts them by day, and those outside of the period', async () => {
    const end = new Date(await endOf(fqdns.unrenewed));
    const to = end.toISOString();
    const before = await timeline(`?bucket=day&to=${new Date(end.getTime() - 2 * day).toISOString()}`);
    expect(sums(before)).toEqual({ willRenew: 0, needsHand: 0, failing: 1 });
    expect(before.later).toBe(3);
    const from = new Date(end.getTime() - 1).toISOString();
    const one = await timeline(`?bucket=day&from=${from}&to=${to}`);
    expect(one.buckets).toHaveLength(1);
    expect(one.buckets[0]?.start).toBe(`${to.slice(0, 10)}T00:00:00.000Z`);
    expect(sums(one)).toEqual({ willRenew: 1, needsHand: 1, failing: 0 });
    expect([one.overdue, one.later]).toEqual([1, 1]);
  });

  test('counts only FQDNs that the caller may read', async () => {
    const { ben, cleo } = app.people;
    expect(sums(await timeline('', ben))).toEqual({ willRenew: 1, needsHand: 1, failing: 0 });
    expect(sums(await timeline(`?spaceId=${fqdns.failing.spaceId}`, ben))).toEqual({
      willRenew: 0,
      needsHand: 0,
      failing: 0,
    });
    expect(await timeline('', cleo)).toMatchObject({ overdue: 0, later: 0, names: [] });
    await app.request.get('/stats/expiry').expect(401);
  });

  test.each([
    ['bucket', 'bucket=month'],
    ['from', 'from=yesterday'],
    ['to', 'to=2020-01-01T00:00:00Z'],
    ['to', 'bucket=day&to=2099-01-01T00:00:00Z'],
    ['spaceId', 'spaceId=x'],
  ])('refuses a wrong %s: %s', async (name, query) => {
    const { body } = await app.request.get(`/stats/expiry?${query}`).set(app.people.ada.auth).expect(400);
    expect(body).toMatchObject({ errors: [{ path: `query.${name}` }] });
  });

  test('is cached for callers who can read all spaces, not for others', async () => {
    const [before, mine] = [await timeline(), await timeline('', app.people.ben)];
    await switchRenewal(app, fqdns.unrenewed, true);
    expect(await timeline()).toEqual(before);
    expect(sums(await timeline('', app.people.ben)).willRenew).toBe(sums(mine).willRenew + 1);
    app.clock.advance(10_000);
    expect(sums(await timeline()).willRenew).toBe(sums(before).willRenew + 1);
  });

  test('shows the last success of a provider, even after later imports for its FQDNs', async () => {
    const { providerId } = place;
    const { unrenewed } = fqdns;
    const notBefore = app.clock.now();
    const { fqdn, spaceId } = unrenewed;
    const { id } = await addFqdn(app, spaceId, `imported.${fqdn}`);
    const imported = { id, spaceId };
    const put = (path: string) => app.request.put(path).set(app.people.ada.auth);
    await put(`/spaces/${spaceId}/fqdns/${id}`).send({ providerId }).expect(200);
    const dates = { notBefore, notAfter: new Date(notBefore.getTime() + 90 * day) };
    const { leafPem: pem } = await foreignCertificate({ dnsNames: [`imported.${fqdn}`], ...dates });
    const path = pathOf(imported, 'certificates/import');
    await app.request.post(path).set(app.people.ada.auth).send({ pem }).expect(201);
    const [status] = await app.database.read((tx) => tx.find(fqdnStatuses, { where: { id } }));
    expect(status).toMatchObject({ providerId, notBefore: new Date(Math.floor(+notBefore / 1000) * 1000) });

    const lastSuccess = (scope: 'all' | string[], slice?: number) =>
      app.database.read((tx) => findLastIssuedAt(tx, providerId, scope, slice));
    const issued = (await certificatesOf(app, unrenewed)).at(-1)?.createdAt;
    for (const slice of [1, 2, undefined]) {
      expect((await lastSuccess('all', slice))?.toISOString()).toBe(issued);
      expect((await lastSuccess([spaceId], slice))?.toISOString()).toBe(issued);
    }
    expect(await lastSuccess([])).toBeUndefined();
    expect(await app.database.read((tx) => findLastIssuedAt(tx, unknownId, 'all'))).toBeUndefined();
  });
});

import type { Fqdn } from '@certloop/contracts';
import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { auditEntries, pathOf } from '../support/inventory.js';
import {
  certificatesOf,
  clearInventory,
  entriesOf,
  openEntryOf,
  type RenewalPlace,
  renewedFqdn,
  startRenewing,
} from '../support/renewals.js';
import { fqdnWithCsr } from '../support/signing.js';

const minute = 60_000;

describeEachDialect('CSRs that are signed at the same time', (open) => {
  let place: RenewalPlace;
  beforeAll(async () => {
    place = await startRenewing(open);
  });
  afterEach(() => clearInventory(place.app));
  afterAll(() => place.close());

  const sign = (fqdn: Fqdn) => {
    const { app, providerId } = place;
    return app.request.post(pathOf(fqdn, 'csr/sign')).set(app.people.ada.auth).send({ providerId });
  };

  async function renewedFqdns(count: number): Promise<Fqdn[]> {
    const fqdns: Fqdn[] = [];
    while (fqdns.length < count) fqdns.push(await renewedFqdn(place));
    place.app.clock.advance(minute);
    return fqdns;
  }

  /** What comes of signing all of them, while what happens in the meantime is done before the CA answers. */
  async function signAll(fqdns: readonly Fqdn[], meanwhile: () => Promise<unknown>): Promise<number[]> {
    const { ca } = place;
    ca.answer('when let go');
    const before = ca.paths.length;
    const replies = Promise.all(fqdns.map((fqdn) => sign(fqdn).then(({ status }) => status)));
    // no more are asked for at once
    const asked = before + Math.min(fqdns.length, 4);
    while (ca.paths.length < asked) await new Promise((resolve) => setImmediate(resolve));
    await meanwhile();
    ca.answer('normally');
    return ca.letGoUntil(replies);
  }

  test('each get a certificate, audit entries and a planned renewal', async () => {
    const { app } = place;
    const renewed = await renewedFqdns(4);
    const { fqdn: first } = await fqdnWithCsr(app);
    const before = new Map(
      await Promise.all(renewed.map(async (fqdn) => [fqdn.id, (await openEntryOf(app, fqdn)).id] as const)),
    );
    expect(await signAll([...renewed, first], async () => undefined)).toEqual([200, 200, 200, 200, 200]);
    const signed = await auditEntries(app, 'csr.sign');
    const removed = await auditEntries(app, 'queue.remove');
    for (const fqdn of renewed) {
      const newest = (await certificatesOf(app, fqdn)).at(-1);
      expect(await certificatesOf(app, fqdn)).toHaveLength(2);
      expect(await openEntryOf(app, fqdn)).toMatchObject({ attempt: 1, certificateId: newest?.id });
      expect(await entriesOf(app, fqdn)).toHaveLength(1);
      const acts = signed.filter(({ details }) => details['fqdnId'] === fqdn.id);
      expect(acts.at(-1)).toMatchObject({ spaceId: fqdn.spaceId, outcome: 'success' });
      expect(acts.at(-1)?.details).toMatchObject({ certificateId: newest?.id, fqdn: fqdn.fqdn });
      const gone = removed.filter(({ resourceId }) => resourceId === before.get(fqdn.id));
      expect(gone).toMatchObject([{ spaceId: fqdn.spaceId, username: app.people.ada.username }]);
    }
    expect(await certificatesOf(app, first)).toHaveLength(1);
    expect(await entriesOf(app, first)).toEqual([]);
  });

  test('are stored although the FQDN of one is deleted and another is signed twice', async () => {
    const { app } = place;
    const [gone, twice, ...others] = await renewedFqdns(5);
    if (gone === undefined || twice === undefined) throw new Error('there are five');
    const remove = () =>
      app.request.delete(`/spaces/${gone.spaceId}/fqdns/${gone.id}`).set(app.people.ada.auth).expect(200);
    expect(await signAll([gone, twice, twice, ...others], remove)).toEqual([404, 200, 200, 200, 200, 200]);
    // the second call joins the first one
    expect(await certificatesOf(app, twice)).toHaveLength(2);
    for (const fqdn of [twice, ...others]) {
      const certificates = await certificatesOf(app, fqdn);
      expect(certificates.length).toBeGreaterThan(1);
      const ids = certificates.map(({ id }) => id);
      expect(ids).toContain((await openEntryOf(app, fqdn)).certificateId);
    }
  });

  test('are rejected individually', async () => {
    const { app } = place;
    const { fqdn } = await fqdnWithCsr(app);
    const elsewhere = { ...fqdn, spaceId: (await fqdnWithCsr(app)).fqdn.spaceId };
    const statuses = await Promise.all([sign(fqdn), sign(elsewhere), sign(fqdn)].map((reply) => reply));
    expect(statuses.map(({ status }) => status)).toEqual([200, 404, 200]);
  });

  test('do not replace a newer certificate', async () => {
    const { app } = place;
    const [one, other] = await renewedFqdns(2);
    if (one === undefined || other === undefined) throw new Error('there are two');
    app.clock.advance(-2 * minute);
    expect(await signAll([one, other], async () => undefined)).toEqual([200, 200]);
    app.clock.advance(3 * minute);
    for (const fqdn of [one, other]) {
      const [older, newest] = await certificatesOf(app, fqdn);
      expect(older?.createdAt).not.toBe(newest?.createdAt);
      expect(await openEntryOf(app, fqdn)).toMatchObject({ certificateId: newest?.id });
    }
  });
});

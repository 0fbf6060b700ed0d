import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { certificates } from '../../src/certificates/certificates.repository.js';
import { addCsr, addFqdn, addSpace, auditEntries, pathOf } from '../support/inventory.js';
import {
  addTestRenewal,
  certificatesOf,
  entriesOf,
  issuedFqdn,
  openEntryOf,
  type RenewalPlace,
  renewedFqdn,
  signWith,
  startRenewing,
  switchRenewal,
} from '../support/renewals.js';
import { fqdnWithCsr, newCsr } from '../support/signing.js';

const day = 86_400_000;

describeEachDialect('the renewal of an FQDN is queued', (open) => {
  let place: RenewalPlace;
  beforeAll(async () => {
    place = await startRenewing(open);
  });
  afterAll(() => place.close());

  const ada = () => place.app.people.ada.auth;

  test('when it is switched on, for two thirds of the lifetime of its certificate', async () => {
    const { app } = place;
    const fqdn = await issuedFqdn(place);
    expect(await entriesOf(app, fqdn)).toEqual([]);
    await switchRenewal(app, fqdn, true);
    const [certificate] = await certificatesOf(app, fqdn);
    const [entry, ...others] = await entriesOf(app, fqdn);
    expect(others).toEqual([]);
    expect(entry).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      certificateId: certificate?.id,
      fqdnId: fqdn.id,
      spaceId: fqdn.spaceId,
      scheduledAt: expect.any(String),
      status: 'pending',
      createdAt: app.clock.now().toISOString(),
      isTest: false,
      attempt: 1,
    });
    const days = (Date.parse(entry?.scheduledAt ?? '') - app.clock.now().getTime()) / day;
    expect(days).toBeGreaterThan(19.49);
    expect(days).toBeLessThan(20.51);
  });

  test('when it gets a certificate while it is switched on', async () => {
    const { app } = place;
    const { fqdn } = await fqdnWithCsr(app);
    await switchRenewal(app, fqdn, true);
    expect(await entriesOf(app, fqdn)).toEqual([]);
    await signWith(place, fqdn);
    expect((await openEntryOf(app, fqdn)).status).toBe('pending');
  });

  test('again when it gets a newer certificate, and the old entry is deleted', async () => {
    const { app } = place;
    const fqdn = await renewedFqdn(place);
    const before = await openEntryOf(app, fqdn);
    app.clock.advance(day);
    await signWith(place, fqdn);
    const [entry, ...others] = await entriesOf(app, fqdn);
    expect(others).toEqual([]);
    expect(entry?.id).not.toBe(before.id);
    expect(entry?.certificateId).toBe((await certificatesOf(app, fqdn)).at(-1)?.id);
    expect((await auditEntries(app, 'queue.remove')).at(-1)).toMatchObject({
      resourceType: 'renewal',
      resourceId: before.id,
      spaceId: fqdn.spaceId,
      details: { reason: 'a newer certificate was stored', certificateId: before.certificateId },
    });
  });

  test('for another time when a refresh finds other dates', async () => {
    const { app, ca } = place;
    const fqdn = await renewedFqdn(place);
    const before = await openEntryOf(app, fqdn);
    const [certificate] = await certificatesOf(app, fqdn);
    const upstreamId = ca.ids.at(-1) ?? '';
    ca.answer('with a certificate that is due');
    await signWith(place, fqdn);
    ca.answer('normally');
    const [, due] = await certificatesOf(app, fqdn);
    await app.database.transaction((tx) => tx.delete(certificates, { id: due?.id ?? '' }));
    ca.swap(upstreamId, due?.pem ?? '');
    const path = pathOf(fqdn, `certificates/${certificate?.id}/refresh`);
    await app.request.post(path).set(app.people.ada.auth).expect(200);
    const after = await openEntryOf(app, fqdn);
    expect(before.scheduledAt > after.scheduledAt).toBe(true);
    expect(after.scheduledAt).toBe(app.clock.now().toISOString());
  });

  test('once, however often it is switched on', async () => {
    const { app } = place;
    const fqdn = await renewedFqdn(place);
    const before = await openEntryOf(app, fqdn);
    await Promise.all([1, 2, 3].map(() => switchRenewal(app, fqdn, true)));
    expect(await entriesOf(app, fqdn)).toEqual([before]);
  });

  test('once, although several certificates arrive at once', async () => {
    const { app } = place;
    const fqdn = await renewedFqdn(place);
    await Promise.all([1, 2, 3, 4].map(() => signWith(place, fqdn)));
    const newest = (await certificatesOf(app, fqdn)).at(-1);
    expect((await openEntryOf(app, fqdn)).certificateId).toBe(newest?.id);
  });

  test('at once when the certificate has expired', async () => {
    const { app } = place;
    const fqdn = await issuedFqdn(place);
    app.clock.advance(31 * day);
    await switchRenewal(app, fqdn, true);
    expect((await openEntryOf(app, fqdn)).scheduledAt).toBe(app.clock.now().toISOString());
  });

  test('when a CSR is uploaded after all were deleted', async () => {
    const { app } = place;
    const fqdn = await renewedFqdn(place);
    await app.request.delete('/csrs?confirm=true').set(ada()).expect(200);
    expect(await entriesOf(app, fqdn)).toEqual([]);
    await addCsr(app, fqdn, await newCsr(fqdn.fqdn));
    expect((await openEntryOf(app, fqdn)).status).toBe('pending');
  });

  describe('with its own share of the lifetime', () => {
    const daysTo = async (fqdn: Awaited<ReturnType<typeof renewedFqdn>>, from: Date) =>
      (Date.parse((await openEntryOf(place.app, fqdn)).scheduledAt) - from.getTime()) / day;

    test('moves the same entry, and moves it back', async () => {
      const { app } = place;
      const issued = app.clock.now();
      const fqdn = await renewedFqdn(place);
      const before = await openEntryOf(app, fqdn);
      await switchRenewal(app, fqdn, true, { renewAfterFraction: 0.25 });
      expect((await openEntryOf(app, fqdn)).id).toBe(before.id);
      expect(Math.abs((await daysTo(fqdn, issued)) - 7.5)).toBeLessThan(1.13);
      await switchRenewal(app, fqdn, true);
      expect(Math.abs((await daysTo(fqdn, issued)) - 7.5)).toBeLessThan(1.13);
      await switchRenewal(app, fqdn, true, { renewAfterFraction: null });
      expect(await openEntryOf(app, fqdn)).toEqual(before);
    });

    test('shows it in the FQDN, and records it in the audit log', async () => {
      const { app } = place;
      const fqdn = await renewedFqdn(place);
      await switchRenewal(app, fqdn, true, { renewAfterFraction: 0.8 });
      const { body } = await app.request.get(`/spaces/${fqdn.spaceId}/fqdns`).set(ada()).expect(200);
      expect(body).toEqual([{ ...fqdn, renewalEnabled: true, renewAfterFraction: 0.8 }]);
      expect((await auditEntries(app, 'fqdn.renewal')).at(-1)?.details).toMatchObject({
        before: { renewalEnabled: true },
        after: { renewalEnabled: true, renewAfterFraction: 0.8 },
      });
    });

    test.each([0, 0.05, 0.95, 1, '0.5', true])('rejects %p', async (renewAfterFraction) => {
      const { app } = place;
      const fqdn = await addFqdn(app, (await addSpace(app)).id);
      const path = pathOf(fqdn, 'renewal-enabled');
      await app.request.put(path).set(ada()).send({ renewalEnabled: true, renewAfterFraction }).expect(400);
    });
  });

  describe('is removed from the queue', () => {
    test('when it is switched off, and the audit log says so', async () => {
      const { app } = place;
      const fqdn = await renewedFqdn(place);
      const { id } = await openEntryOf(app, fqdn);
      await switchRenewal(app, fqdn, false);
      expect(await entriesOf(app, fqdn)).toEqual([]);
      expect((await auditEntries(app, 'queue.remove')).at(-1)).toMatchObject({
        resourceId: id,
        details: { reason: 'renewal was switched off' },
      });
    });

    test('when all CSRs are deleted, and the audit log says how many', async () => {
      const { app } = place;
      const fqdns = [await renewedFqdn(place), await renewedFqdn(place)];
      await app.request.delete('/csrs?confirm=true').set(ada()).expect(200);
      for (const fqdn of fqdns) expect(await entriesOf(app, fqdn)).toEqual([]);
      const details = (await auditEntries(app, 'queue.remove')).at(-1)?.details;
      expect(details).toMatchObject({ reason: 'all CSRs were deleted' });
      expect(details?.['count']).toBeGreaterThanOrEqual(2);
    });

    test.each([
      ['it is deleted', (id: string, spaceId: string) => `/spaces/${spaceId}/fqdns/${id}`],
      ['its space is deleted', (_: string, spaceId: string) => `/spaces/${spaceId}?deleteFqdns=true`],
    ])('when %s, tests included', async (_, path) => {
      const { app } = place;
      const fqdn = await renewedFqdn(place);
      await addTestRenewal(app, fqdn, 60);
      expect(await entriesOf(app, fqdn)).toHaveLength(2);
      await app.request.delete(path(fqdn.id, fqdn.spaceId)).set(ada()).expect(200);
      expect(await entriesOf(app, fqdn)).toEqual([]);
    });
  });

  test('but test renewals are added and stay', async () => {
    const { app } = place;
    const fqdn = await renewedFqdn(place);
    const ids = [await addTestRenewal(app, fqdn, 60), await addTestRenewal(app, fqdn, 60)];
    await switchRenewal(app, fqdn, false);
    await switchRenewal(app, fqdn, true);
    await signWith(place, fqdn);
    const entries = await entriesOf(app, fqdn);
    expect(entries.filter(({ isTest }) => isTest).map(({ id }) => id)).toEqual(ids);
    expect(entries.filter(({ isTest }) => !isTest)).toHaveLength(1);
  });
});

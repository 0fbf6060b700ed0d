import { describeEachDialect } from '@certloop/db/testing';
import { beforeAll, expect, test } from 'vitest';
import { countExpiring } from '../../src/certificates/certificate-lists.repository.js';
import { listSpaceExpiry } from '../../src/system/expiry-scrape.repository.js';
import type { TestApp } from '../support/app.js';
import { serialOf } from '../support/cas/fake-revocations.js';
import { pathOf, unknownId } from '../support/inventory.js';
import { certificatesOf, openEntryOf, renewedFqdn, signWith } from '../support/renewals.js';
import { enable } from '../support/signing.js';
import { describeInterruptions } from './revoke-certificate/interrupted-revocation-tests.js';
import { describeWhatFollows } from './revoke-certificate/renewal-after-tests.js';
import { minute, useRevoking } from './revoke-certificate/revocation-place.js';

const day = 1440 * minute;

describeEachDialect('revoking a certificate', (open) => {
  const revoking = useRevoking(open);
  const { place, revoke, signed, newestOf, pending, entries } = revoking;
  let app: TestApp;
  beforeAll(() => {
    app = place.app;
  });

  test('has the CA revoke it, shows the time and reason, and writes an audit entry without any key', async () => {
    const { fqdn, certificate } = await signed();
    const { body } = await revoke(fqdn, certificate, 'cessationOfOperation').expect(200);
    const revokedAt = app.clock.now().toISOString();
    expect(body).toEqual({ ...certificate, revokedAt, revocationReason: 'cessationOfOperation' });
    expect(await newestOf(fqdn)).toEqual(body);
    const serial = serialOf(certificate.pem);
    expect(place.ca.revocations.reasons()).toContainEqual([serial, 'cessationOfOperation']);
    const entry = (await entries()).at(-1);
    expect(entry).toMatchObject({
      resourceType: 'certificate',
      resourceId: certificate.id,
      spaceId: fqdn.spaceId,
      outcome: 'success',
      username: app.people.ada.username,
      details: { fqdn: fqdn.fqdn, serial, reason: 'cessationOfOperation', provider: 'dummy-ca' },
    });
    expect(JSON.stringify(entry)).not.toContain('BEGIN');
  });

  test('ends its use: it is no longer listed as expiring', async () => {
    const { fqdn, certificate } = await signed();
    const now = app.clock.now();
    const details = async () =>
      (await app.request.get('/stats?detail=true').set(app.people.ada.auth).expect(200)).body;
    const read = async () => ({
      ...(await app.database.read((tx) => countExpiring(tx, now, new Date(now.getTime() + 40 * day)))),
      spaces: (await app.database.read((tx) => listSpaceExpiry(tx, now))).length,
      soon: (await details()).expiringWithin30Days,
    });
    expect(await read()).toMatchObject({ expired: 0, expiring: 1, spaces: 1, soon: 1 });
    await revoke(fqdn, certificate).expect(200);
    expect(await read()).toMatchObject({ expired: 0, expiring: 0, spaces: 0, soon: 0 });
  });

  test('of a replaced certificate leaves the newest one in use', async () => {
    const fqdn = await renewedFqdn(place);
    await signWith(place, fqdn);
    const [first, second] = await certificatesOf(app, fqdn);
    const entry = await openEntryOf(app, fqdn);
    await revoke(fqdn, { id: first?.id ?? '' }).expect(200);
    expect(await openEntryOf(app, fqdn)).toEqual(entry);
    expect((await certificatesOf(app, fqdn))[1]).toEqual(second);
  });

  test.each([
    ['an unknown word', 'boredom'],
    ['a number', '1'],
    ['nothing', undefined],
  ])('for %s returns 400 with the name of the field', async (_, reason) => {
    const { fqdn, certificate } = await signed();
    const path = pathOf(fqdn, `certificates/${certificate.id}/revoke`);
    const { body } = await app.request.post(path).set(app.people.ada.auth).send({ reason }).expect(400);
    expect(body.errors).toMatchObject([{ path: 'reason' }]);
  });

  test('returns 404 for a certificate that the FQDN does not have', async () => {
    const { fqdn } = await signed();
    const other = await signed();
    for (const id of [unknownId, other.certificate.id]) {
      const { body } = await revoke(fqdn, { id }).expect(404);
      expect(body.code).toBe('certificate_not_found');
    }
  });

  test('a second time returns 409, and does not call the CA', async () => {
    const { fqdn, certificate } = await signed();
    await revoke(fqdn, certificate).expect(200);
    const asked = place.ca.paths.length;
    const { body } = await revoke(fqdn, certificate, 'keyCompromise').expect(409);
    expect(body).toMatchObject({ code: 'already_revoked', detail: expect.stringContaining('(superseded)') });
    expect(place.ca.paths).toHaveLength(asked);
  });

  test('that the CA already revoked returns 409, and stores the time and reason', async () => {
    const { fqdn, certificate } = await signed();
    const at = app.clock.now().toISOString();
    place.ca.revocations.revoke(serialOf(certificate.pem), 'affiliationChanged');
    app.clock.advance(minute);
    const { body } = await revoke(fqdn, certificate).expect(409);
    expect(body.code).toBe('already_revoked');
    expect(await newestOf(fqdn)).toMatchObject({ revokedAt: at, revocationReason: 'affiliationChanged' });
    expect((await entries()).at(-1)).toMatchObject({
      outcome: 'success',
      details: { alreadyRevoked: true, reason: 'affiliationChanged' },
    });
  });

  test('by several callers at once is done once', async () => {
    const { fqdn, certificate } = await signed();
    const before = (await entries()).length;
    const answers = await Promise.all([0, 1, 2, 3].map(() => revoke(fqdn, certificate)));
    const statuses = answers.map(({ status }) => status);
    expect(statuses.every((status) => status === 200 || status === 409)).toBe(true);
    expect(statuses).toContain(200);
    expect((await entries()).slice(before)).toHaveLength(1);
  });

  test.each([
    ['has expired', async () => app.clock.advance(31 * day), /an expired certificate needs no revocation/],
    ['is forgotten by its CA', () => place.ca.restart(), /does not know the serial number/],
    [
      'is of a CA without an administrative API',
      async () => place.ca.revocations.answer('without administration'),
      /DUMMY_CA_ADMIN=true/,
    ],
  ])('that %s returns 400 with the remedy, and leaves nothing pending', async (_, prepare, detail) => {
    const { fqdn, certificate } = await signed();
    await prepare();
    const { body } = await revoke(fqdn, certificate).expect(400);
    expect(body).toMatchObject({ code: 'cannot_be_revoked', detail: expect.stringMatching(detail) });
    expect(await pending()).toEqual([]);
    expect((await newestOf(fqdn)).revokedAt).toBeUndefined();
  });

  test('works with a provider that is disabled', async () => {
    const { fqdn, certificate } = await signed();
    await enable(app, { id: place.providerId }, false).expect(200);
    await revoke(fqdn, certificate).expect(200);
  });

  describeInterruptions(revoking);
  describeWhatFollows(revoking);
});

import { expect, test } from 'vitest';
import { startAppOn } from '../../support/app.js';
import { serialOf } from '../../support/cas/fake-revocations.js';
import { clearInventory } from '../../support/renewals.js';
import { configure } from '../../support/signing.js';
import { minute, type RevocationPlace } from './revocation-place.js';

const day = 1440 * minute;

/** Tests of revocations that the CA does not answer, or whose process dies. */
export function describeInterruptions({
  place,
  revoke,
  signed,
  newestOf,
  pending,
  entries,
}: RevocationPlace): void {
  test('while the CA fails returns 502, and is completed as soon as the CA responds', async () => {
    const { fqdn, certificate } = await signed();
    place.ca.revocations.answer('with a fault');
    const { body } = await revoke(fqdn, certificate).expect(502);
    expect(body.detail).toContain('is stored and asked for again from');
    expect((await entries()).at(-1)).toMatchObject({ outcome: 'failure', details: { reason: 'superseded' } });
    const failures = (await entries()).length;
    for (let time = 0; time < 3; time += 1) {
      place.app.clock.advance(60 * minute);
      await place.app.finishRevocations();
    }
    // one entry says that it failed, the log of the service has every try
    expect((await entries()).length).toBe(failures);
    expect(place.app.logged().filter(({ event }) => event === 'revocation.postponed')).toHaveLength(4);
    place.ca.revocations.answer('normally');
    await place.app.finishRevocations();
    expect((await newestOf(fqdn)).revokedAt).toBeUndefined();
    place.app.clock.advance(60 * minute);
    await place.app.finishRevocations();
    expect(await newestOf(fqdn)).toMatchObject({ revocationReason: 'superseded' });
    expect((await entries()).at(-1)).toMatchObject({
      outcome: 'success',
      username: place.app.people.ada.username,
    });
  });

  test('without a response of the CA returns 504, and 200 when it is repeated', async () => {
    const { fqdn, certificate } = await signed();
    await configure(place.app, { id: place.providerId }, { baseUrl: place.ca.url, timeoutMs: 200 }).expect(
      200,
    );
    place.ca.revocations.answer('with silence');
    await revoke(fqdn, certificate).expect(504);
    expect(await pending()).toHaveLength(1);
    place.ca.revocations.answer('normally');
    await configure(place.app, { id: place.providerId }, { baseUrl: place.ca.url }).expect(200);
    const { body } = await revoke(fqdn, certificate).expect(200);
    expect(body).toMatchObject({ revocationReason: 'superseded' });
  });

  test('is abandoned if the certificate expires before the CA responds', async () => {
    const { fqdn, certificate } = await signed();
    place.ca.revocations.answer('with a fault');
    await revoke(fqdn, certificate).expect(502);
    place.app.clock.advance(31 * day);
    await place.app.finishRevocations();
    expect(await pending()).toEqual([]);
    expect((await entries()).at(-1)).toMatchObject({
      outcome: 'failure',
      details: { failure: expect.stringContaining('expired') },
    });
  });

  test('is completed when the FQDN is deleted while the CA is at work', async () => {
    const { fqdn, certificate } = await signed();
    place.ca.revocations.answer('when let go');
    const asked = place.ca.paths.filter((path) => path === '/admin/revocations').length;
    const answer = revoke(fqdn, certificate).then((reply) => reply);
    while (place.ca.paths.filter((path) => path === '/admin/revocations').length === asked) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    await clearInventory(place.app);
    place.ca.revocations.release();
    const { status, body } = await answer;
    expect([status, body.revocationReason]).toEqual([200, 'superseded']);
    expect((await entries()).at(-1)).toMatchObject({
      outcome: 'success',
      details: { serial: serialOf(certificate.pem), note: expect.stringContaining('deleted') },
    });
  });

  test('is completed by another process after the CA did not answer, though the FQDN was deleted', async () => {
    const { fqdn, certificate } = await signed();
    place.ca.revocations.answer('with a fault');
    await revoke(fqdn, certificate).expect(502);
    await clearInventory(place.app);
    place.ca.revocations.answer('normally');
    const other = await startAppOn(place.app.database, {
      beside: place.app,
      environment: { DUMMY_CA_URL: place.ca.url },
    });
    place.app.clock.advance(2 * minute);
    await other.finishRevocations();
    await other.close();
    const serial = serialOf(certificate.pem);
    expect(place.ca.revocations.reasons()).toContainEqual([serial, 'superseded']);
  });

  test('by a process that dies before the response arrives is completed by the next process', async () => {
    const { fqdn, certificate } = await signed();
    const environment = { DUMMY_CA_URL: place.ca.url };
    const dying = await startAppOn(place.app.database, { beside: place.app, environment });
    place.ca.revocations.answer('with silence');
    const revoked = place.ca.revocations.reasons().length;
    const lost = revoke(fqdn, certificate, 'superseded', dying).then(
      () => undefined,
      () => undefined,
    );
    await place.ca.revocations.hasRevoked(revoked + 1);
    const at = place.app.clock.now().toISOString();
    place.ca.revocations.answer('normally');
    // until its turn has lapsed, the call may still be under way
    await place.app.finishRevocations();
    expect((await newestOf(fqdn)).revokedAt).toBeUndefined();
    place.app.clock.advance(4 * minute);
    await place.app.finishRevocations();
    expect(await newestOf(fqdn)).toMatchObject({ revokedAt: at, revocationReason: 'superseded' });
    await dying.close();
    await lost;
    expect(await newestOf(fqdn)).toMatchObject({ revokedAt: at });
  });
}

import type { Certificate, Fqdn } from '@certloop/contracts';
import { describeEachDialect } from '@certloop/db/testing';
import { afterEach, beforeAll, expect, jest, test } from '@jest/globals';
import { countExpiring } from '../../src/certificates/certificates.repository.js';
import { pendingRevocations } from '../../src/revocations/pending-revocations.repository.js';
import { listSpaceExpiry } from '../../src/system/scrape.repository.js';
import { startAppOn, type TestApp } from '../support/app.js';
import { serialOf } from '../support/cas/fake-revocations.js';
import { addCsr, auditEntries, pathOf, unknownId } from '../support/inventory.js';
import {
  certificatesOf,
  clearInventory,
  explanationOf,
  issuedFqdn,
  issueForDays,
  openEntryOf,
  renewedFqdn,
  signWith,
  switchRenewal,
  useRenewing,
} from '../support/renewals.js';
import { configure, enable, fqdnWithCsr, newCsr } from '../support/signing.js';

jest.setTimeout(60_000);

const minute = 60_000;
const day = 1440 * minute;

describeEachDialect('revoking a certificate', (open) => {
  const place = useRenewing(open);
  let app: TestApp;
  beforeAll(() => {
    app = place.app;
  });
  afterEach(async () => {
    place.ca.answer('normally');
    place.ca.revocations.answer('normally');
    await issueForDays(place, 30);
    await enable(app, { id: place.providerId }).expect(200);
    await clearInventory(app);
    expect(await pending()).toEqual([]);
  });

  const pending = () => app.database.read((tx) => tx.find(pendingRevocations));
  const entries = () => auditEntries(app, 'certificate.revoke');
  const newestOf = async (fqdn: Fqdn): Promise<Certificate> => {
    const newest = (await certificatesOf(app, fqdn)).at(-1);
    if (newest === undefined) throw new Error('there is no certificate');
    return newest;
  };
  const signed = async () => {
    const fqdn = await issuedFqdn(place);
    return { fqdn, certificate: await newestOf(fqdn) };
  };
  const revoke = (
    fqdn: Fqdn,
    { id }: Pick<Certificate, 'id'>,
    reason: string | undefined = 'superseded',
    { request } = app,
  ) =>
    request
      .post(pathOf(fqdn, `certificates/${id}/revoke`))
      .set(app.people.ada.auth)
      .send({ reason });

  test('has the CA revoke it, shows since when and why, and leaves an entry without any key', async () => {
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

  test('takes it out of use: it is not among those that expire', async () => {
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

  test('of one that was replaced leaves the newest one in use', async () => {
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
  ])('for %s is 400 that names the field', async (_, reason) => {
    const { fqdn, certificate } = await signed();
    const path = pathOf(fqdn, `certificates/${certificate.id}/revoke`);
    const { body } = await app.request.post(path).set(app.people.ada.auth).send({ reason }).expect(400);
    expect(body.errors).toMatchObject([{ path: 'reason' }]);
  });

  test('is 404 for one that the FQDN does not have', async () => {
    const { fqdn } = await signed();
    const other = await signed();
    for (const id of [unknownId, other.certificate.id]) {
      const { body } = await revoke(fqdn, { id }).expect(404);
      expect(body.code).toBe('certificate_not_found');
    }
  });

  test('a second time is 409, and asks the CA no more', async () => {
    const { fqdn, certificate } = await signed();
    await revoke(fqdn, certificate).expect(200);
    const asked = place.ca.paths.length;
    const { body } = await revoke(fqdn, certificate, 'keyCompromise').expect(409);
    expect(body).toMatchObject({ code: 'already_revoked', detail: expect.stringContaining('(superseded)') });
    expect(place.ca.paths).toHaveLength(asked);
  });

  test('that the CA has revoked by other hands is 409, and stores when and why', async () => {
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

  test('by several at once is done once', async () => {
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
  ])('that %s is 400 with the way out, and nothing stays to be done', async (_, prepare, detail) => {
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

  test('while the CA is out of order is 502, and is done as soon as it answers', async () => {
    const { fqdn, certificate } = await signed();
    place.ca.revocations.answer('with a fault');
    const { body } = await revoke(fqdn, certificate).expect(502);
    expect(body.detail).toContain('is stored and asked for again from');
    expect((await entries()).at(-1)).toMatchObject({ outcome: 'failure', details: { reason: 'superseded' } });
    const failures = (await entries()).length;
    for (let time = 0; time < 3; time += 1) {
      app.clock.advance(60 * minute);
      await app.finishRevocations();
    }
    // one entry says that it failed, the log of the service has every try
    expect((await entries()).length).toBe(failures);
    expect(app.logged().filter(({ event }) => event === 'revocation.put_off')).toHaveLength(4);
    place.ca.revocations.answer('normally');
    await app.finishRevocations();
    expect((await newestOf(fqdn)).revokedAt).toBeUndefined();
    app.clock.advance(60 * minute);
    await app.finishRevocations();
    expect(await newestOf(fqdn)).toMatchObject({ revocationReason: 'superseded' });
    expect((await entries()).at(-1)).toMatchObject({
      outcome: 'success',
      username: app.people.ada.username,
    });
  });

  test('that the CA does not answer is 504; asked for again, it is 200', async () => {
    const { fqdn, certificate } = await signed();
    await configure(app, { id: place.providerId }, { baseUrl: place.ca.url, timeoutMs: 200 }).expect(200);
    place.ca.revocations.answer('with silence');
    await revoke(fqdn, certificate).expect(504);
    expect(await pending()).toHaveLength(1);
    place.ca.revocations.answer('normally');
    const { body } = await revoke(fqdn, certificate).expect(200);
    expect(body).toMatchObject({ revocationReason: 'superseded' });
  });

  test('is given up when the certificate expires before the CA answers', async () => {
    const { fqdn, certificate } = await signed();
    place.ca.revocations.answer('with a fault');
    await revoke(fqdn, certificate).expect(502);
    app.clock.advance(31 * day);
    await app.finishRevocations();
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
    await clearInventory(app);
    await new Promise((resolve) => setTimeout(resolve, 20));
    place.ca.revocations.letGo();
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
    await clearInventory(app);
    place.ca.revocations.answer('normally');
    const other = await startAppOn(app.database, {
      beside: app,
      environment: { DUMMY_CA_URL: place.ca.url },
    });
    app.clock.advance(2 * minute);
    await other.finishRevocations();
    await other.close();
    const serial = serialOf(certificate.pem);
    expect(place.ca.revocations.reasons()).toContainEqual([serial, 'superseded']);
  });

  test('by a process that dies before it knows the answer is completed by the next one', async () => {
    const { fqdn, certificate } = await signed();
    const environment = { DUMMY_CA_URL: place.ca.url };
    const dying = await startAppOn(app.database, { beside: app, environment });
    place.ca.revocations.answer('with silence');
    const revoked = place.ca.revocations.reasons().length;
    const lost = revoke(fqdn, certificate, 'superseded', dying).then(
      () => undefined,
      () => undefined,
    );
    await place.ca.revocations.hasRevoked(revoked + 1);
    const at = app.clock.now().toISOString();
    place.ca.revocations.answer('normally');
    // until its turn has lapsed, the call may still be under way
    await app.finishRevocations();
    expect((await newestOf(fqdn)).revokedAt).toBeUndefined();
    app.clock.advance(4 * minute);
    await app.finishRevocations();
    expect(await newestOf(fqdn)).toMatchObject({ revokedAt: at, revocationReason: 'superseded' });
    await dying.close();
    await lost;
    expect(await newestOf(fqdn)).toMatchObject({ revokedAt: at });
  });

  test('is followed by a renewal at once where renewal is on, which says why', async () => {
    const fqdn = await renewedFqdn(place);
    await revoke(fqdn, await newestOf(fqdn)).expect(200);
    const now = app.clock.now().toISOString();
    expect((await openEntryOf(app, fqdn)).scheduledAt).toBe(now);
    expect(await explanationOf(app, fqdn)).toMatchObject({
      willRenew: true,
      outlook: 'due',
      message: `due since ${now}, as the certificate was revoked at ${now}`,
      certificate: { revokedAt: now },
      plan: { rule: 'revoked', renewAt: now },
    });
    await app.renew();
    const [revoked, next] = await certificatesOf(app, fqdn);
    expect([revoked?.revokedAt, next?.revokedAt]).toEqual([now, undefined]);
    expect(serialOf(next?.pem ?? '')).not.toBe(serialOf(revoked?.pem ?? ''));
    expect((await explanationOf(app, fqdn)).plan?.rule).toBe('two_thirds');
  });

  test('is followed by a renewal at once also when it was renewed just before', async () => {
    const fqdn = await renewedFqdn(place);
    await revoke(fqdn, await newestOf(fqdn)).expect(200);
    await app.renew();
    await revoke(fqdn, await newestOf(fqdn)).expect(200);
    expect((await openEntryOf(app, fqdn)).scheduledAt).toBe(app.clock.now().toISOString());
    await app.renew();
    expect((await certificatesOf(app, fqdn)).map(({ revokedAt }) => revokedAt !== undefined)).toEqual([
      true,
      true,
      false,
    ]);
  });

  test('for its key waits for a CSR with another key', async () => {
    const fqdn = await renewedFqdn(place);
    await revoke(fqdn, await newestOf(fqdn), 'keyCompromise').expect(200);
    expect(await explanationOf(app, fqdn)).toMatchObject({
      willRenew: false,
      outlook: 'compromised_key',
      message: expect.stringContaining('upload a CSR with a new key'),
    });
    await app.renew();
    expect(await certificatesOf(app, fqdn)).toHaveLength(1);
    await addCsr(app, fqdn, await newCsr(fqdn.fqdn));
    await app.renew();
    expect(await certificatesOf(app, fqdn)).toHaveLength(2);
  });

  test('is followed by nothing where renewal is off, and the explanation says so', async () => {
    const { fqdn, certificate } = await signed();
    await revoke(fqdn, certificate).expect(200);
    expect(await explanationOf(app, fqdn)).toMatchObject({
      willRenew: false,
      outlook: 'switched_off',
      message: expect.stringContaining('the newest certificate was revoked at'),
    });
    await switchRenewal(app, fqdn, true);
    expect((await openEntryOf(app, fqdn)).scheduledAt).toBe(app.clock.now().toISOString());
  });

  test('leaves a renewal under way, whose certificate is in use afterwards', async () => {
    const fqdn = await renewedFqdn(place);
    app.clock.set(new Date((await openEntryOf(app, fqdn)).scheduledAt));
    place.ca.answer('when let go');
    const renewal = app.renew();
    while ((await openEntryOf(app, fqdn)).status !== 'processing') {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await revoke(fqdn, await newestOf(fqdn)).expect(200);
    await place.ca.letGoUntil(renewal);
    expect((await certificatesOf(app, fqdn)).map(({ revokedAt }) => revokedAt !== undefined)).toEqual([
      true,
      false,
    ]);
    expect((await explanationOf(app, fqdn)).outlook).toBe('scheduled');
  });

  test('of the only certificate lets a new signature bring another one', async () => {
    const { fqdn, certificate } = await signed();
    await revoke(fqdn, certificate).expect(200);
    const { body } = await signWith(place, fqdn);
    expect(body.success).toBe(true);
    expect(serialOf(body.certificate)).not.toBe(serialOf(certificate.pem));
    expect(await certificatesOf(app, fqdn)).toHaveLength(2);
  });

  test('while another process is given the same certificate lets that one ask for another', async () => {
    const { fqdn } = await fqdnWithCsr(app);
    const other = await startAppOn(app.database, {
      beside: app,
      environment: { DUMMY_CA_URL: place.ca.url },
    });
    place.ca.answer('when let go');
    const asked = () => place.ca.paths.filter((path) => path === '/csr').length;
    const before = asked();
    const late = other.request
      .post(pathOf(fqdn, 'csr/sign'))
      .set(app.people.ada.auth)
      .send({ providerId: place.providerId })
      .then((reply) => reply);
    while (asked() === before) await new Promise((resolve) => setTimeout(resolve, 5));
    await new Promise((resolve) => setTimeout(resolve, 20));
    place.ca.answer('normally');
    await signWith(place, fqdn);
    const first = await newestOf(fqdn);
    await revoke(fqdn, first).expect(200);
    // the same name of the request: the CA gives the revoked certificate
    place.ca.letGo();
    const { body } = await late;
    await other.close();
    expect(body.success).toBe(true);
    expect(serialOf(body.certificate)).not.toBe(serialOf(first.pem));
    expect((await certificatesOf(app, fqdn)).map(({ revokedAt }) => revokedAt !== undefined)).toEqual([
      true,
      false,
    ]);
  });
});

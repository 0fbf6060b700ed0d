import type { Certificate, Fqdn } from '@certloop/contracts';
import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { grantEverything } from '../support/factories.js';
import { addSpace, auditEntries, unknownId } from '../support/inventory.js';
import {
  certificatesOf,
  entriesOf,
  type RenewalPlace,
  renewedFqdn,
  startRenewing,
} from '../support/renewals.js';

const path = '/renewal-queue/test/create';

describeEachDialect('queueing a renewal for a test', (open) => {
  let place: RenewalPlace;
  let fqdn: Fqdn;
  let certificate: Certificate;
  let body: Readonly<Record<string, unknown>>;
  beforeAll(async () => {
    place = await startRenewing(open);
    fqdn = await renewedFqdn(place);
    [certificate = failWithout()] = await certificatesOf(place.app, fqdn);
    body = {
      certificateId: certificate.id,
      fqdnId: fqdn.id,
      spaceId: fqdn.spaceId,
      minutesFromNow: 5,
    };
  });
  afterAll(() => place.close());

  const post = (given: unknown, person = place.app.people.ada) =>
    place.app.request
      .post(path)
      .set(person.auth)
      .set('Content-Type', 'application/json')
      .send(typeof given === 'string' ? given : JSON.stringify(given));

  test('returns 201 or 400 while its FQDN is being deleted', async () => {
    const { app } = place;
    const statuses = new Set<number>();
    for (let round = 0; round < 8; round += 1) {
      const doomed = await renewedFqdn(place);
      const [{ id: certificateId } = failWithout()] = await certificatesOf(app, doomed);
      const wanted = { certificateId, fqdnId: doomed.id, spaceId: doomed.spaceId, minutesFromNow: 5 };
      const path = `/spaces/${doomed.spaceId}/fqdns/${doomed.id}`;
      const [, ...replies] = await Promise.all([
        app.request.delete(path).set(app.people.ada.auth).expect(200),
        ...[1, 2, 3].map(() => post(wanted)),
      ]);
      for (const { status } of replies) statuses.add(status);
    }
    expect([...statuses].filter((status) => status !== 201 && status !== 400)).toEqual([]);
  });

  test('returns its id and its time, and writes an audit entry', async () => {
    const { app } = place;
    const reply = await post(body).expect(201);
    const scheduledAt = new Date(app.clock.now().getTime() + 300_000).toISOString();
    expect(reply.body).toEqual({
      success: true,
      message: `test renewal queued for ${scheduledAt}`,
      queueId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      scheduledAt,
    });
    const entry = (await entriesOf(app, fqdn)).find(({ id }) => id === reply.body.queueId);
    expect(entry).toMatchObject({
      status: 'pending',
      isTest: true,
      certificateId: certificate.id,
      scheduledAt,
    });
    expect((await auditEntries(app, 'queue.create')).at(-1)).toMatchObject({
      resourceType: 'renewal',
      resourceId: reply.body.queueId,
      spaceId: fqdn.spaceId,
      details: { fqdnId: fqdn.id, certificateId: certificate.id, isTest: true },
    });
  });

  test.each([
    ['now', 0],
    ['in a year', 525_600],
  ])('accepts the bound: %s', async (_, minutesFromNow) => {
    const { body: reply } = await post({ ...body, minutesFromNow }).expect(201);
    const moment = place.app.clock.now().getTime() + minutesFromNow * 60_000;
    expect(reply.scheduledAt).toBe(new Date(moment).toISOString());
  });

  test('accepts ids in capitals', async () => {
    const capitals = Object.fromEntries(
      Object.entries(body).map(([name, value]) => [
        name,
        typeof value === 'string' ? value.toUpperCase() : value,
      ]),
    );
    await post(capitals).expect(201);
  });

  describe('is refused', () => {
    test.each<[string, Readonly<Record<string, unknown>>]>([
      ['a negative moment', { minutesFromNow: -1 }],
      ['a moment after a year', { minutesFromNow: 525_601 }],
      ['half a minute', { minutesFromNow: 0.5 }],
      ['a moment as text', { minutesFromNow: '5' }],
      ['a moment as null', { minutesFromNow: null }],
      ['an endless moment', { minutesFromNow: 1e300 }],
      ['a missing date', { minutesFromNow: undefined }],
      ['no certificate', { certificateId: undefined }],
      ['no FQDN', { fqdnId: undefined }],
      ['no space', { spaceId: undefined }],
      ['a certificate that is not a UUID', { certificateId: 'x' }],
      ['an FQDN that is null', { fqdnId: null }],
      ['a space that is a number', { spaceId: 5 }],
    ])('for %s', async (_, change) => {
      await post({ ...body, ...change }).expect(400);
    });

    test.each(['', 'null', '[]', '{', '"x"'])('for the body %j', async (text) => {
      await post(text).expect(400);
    });

    test.each([
      ['certificateId', 'names no certificate', () => ({ certificateId: unknownId })],
      ['fqdnId', 'is not the FQDN of the certificate', () => ({ fqdnId: unknownId })],
      ['spaceId', 'is not the space of the FQDN', () => ({ spaceId: unknownId })],
      ['spaceId', 'is not the space of the FQDN', async () => ({ spaceId: (await addSpace(place.app)).id })],
      [
        'fqdnId',
        'is not the FQDN of the certificate',
        async () => ({ fqdnId: (await renewedFqdn(place)).id }),
      ],
    ])('when %s %s, and nothing is queued', async (field, message, change) => {
      const before = await entriesOf(place.app, fqdn);
      const { body: problem } = await post({ ...body, ...(await change()) }).expect(400);
      expect(problem).toMatchObject({
        code: 'renewal_inconsistent',
        errors: [{ path: field, code: 'mismatch', message }],
      });
      expect(await entriesOf(place.app, fqdn)).toEqual(before);
    });

    test('to everyone but administrators, before the body is validated', async () => {
      const { ben, cleo } = place.app.people;
      await grantEverything(place.app, ben);
      await post(body, ben).expect(403);
      await post({}, ben).expect(403);
      await post(body, cleo).expect(403);
      await place.app.request.post(path).send(body).expect(401);
    });
  });
});

describeEachDialect('triggering the renewal queue', (open) => {
  let place: RenewalPlace;
  beforeAll(async () => {
    place = await startRenewing(open);
  });
  afterAll(() => place.close());

  const trigger = (person = place.app.people.ada) =>
    place.app.request.post('/renewal-queue/test/trigger').set(person.auth);

  test('responds before anything is renewed, then renews', async () => {
    const { app, ca } = place;
    const fqdn = await renewedFqdn(place);
    const [{ id: certificateId } = failWithout()] = await certificatesOf(app, fqdn);
    const ids = { certificateId, fqdnId: fqdn.id, spaceId: fqdn.spaceId };
    await app.request
      .post(path)
      .set(app.people.ada.auth)
      .send({ ...ids, minutesFromNow: 0 })
      .expect(201);
    ca.answer('when let go');
    const { body } = await trigger().expect(200);
    expect(body).toEqual({ message: 'renewal queue processing started' });
    expect(await certificatesOf(app, fqdn)).toHaveLength(1);
    while ((await certificatesOf(app, fqdn)).length < 2) ca.release();
    ca.answer('normally');
    expect((await entriesOf(app, fqdn)).map(({ status }) => status).sort()).toEqual(['completed', 'pending']);
  });

  test('causes one further run if it is triggered several times during a run', async () => {
    const { app, ca } = place;
    const fqdn = await renewedFqdn(place);
    const [{ id: certificateId } = failWithout()] = await certificatesOf(app, fqdn);
    const ids = { certificateId, fqdnId: fqdn.id, spaceId: fqdn.spaceId };
    const queue = () =>
      app.request
        .post(path)
        .set(app.people.ada.auth)
        .send({ ...ids, minutesFromNow: 0 })
        .expect(201);
    await queue();
    ca.answer('when let go');
    await Promise.all([1, 2, 3, 4].map(() => trigger().expect(200)));
    await queue();
    while ((await certificatesOf(app, fqdn)).length < 3) ca.release();
    ca.answer('normally');
    expect(await app.renew()).toMatchObject({ renewed: 0 });
  });

  test('writes an audit entry', async () => {
    const before = (await auditEntries(place.app, 'queue.trigger')).length;
    await trigger().expect(200);
    expect(await auditEntries(place.app, 'queue.trigger')).toHaveLength(before + 1);
  });

  test('accepts any body', async () => {
    await trigger().send({ any: 'thing' }).expect(200);
    await trigger().set('Content-Type', 'application/json').send('{').expect(200);
  });

  test('requires an administrator', async () => {
    const { ben, cleo } = place.app.people;
    await grantEverything(place.app, ben);
    await trigger(ben).expect(403);
    await trigger(cleo).expect(403);
    await place.app.request.post('/renewal-queue/test/trigger').expect(401);
  });
});

function failWithout(): never {
  throw new Error('there is a certificate');
}

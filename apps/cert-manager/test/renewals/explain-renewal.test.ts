import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { renewalQueue } from '../../src/renewals/renewals.repository.js';
import { grant } from '../support/factories.js';
import { addFqdn, addSpace, badIds, pathOf, unknownId } from '../support/inventory.js';
import {
  certificatesOf,
  clearInventory,
  explanationOf,
  moveToRenewal,
  openEntryOf,
  type RenewalPlace,
  renewedFqdn,
  signWith,
  startRenewing,
  switchRenewal,
} from '../support/renewals.js';
import { enable, fqdnWithCsr } from '../support/signing.js';

const day = 86_400_000;

describeEachDialect('the explanation of a renewal', (open) => {
  let place: RenewalPlace;
  beforeAll(async () => {
    place = await startRenewing(open);
  });
  beforeEach(() => {
    place.ca.answer('normally');
  });
  afterAll(() => place.close());

  test('says when and why, from the plan of the scheduler', async () => {
    const { app, providerId } = place;
    const fqdn = await renewedFqdn(place);
    const entry = await openEntryOf(app, fqdn);
    const [certificate] = await certificatesOf(app, fqdn);
    const explained = await explanationOf(app, fqdn);
    expect(explained).toEqual({
      fqdnId: fqdn.id,
      spaceId: fqdn.spaceId,
      renewalEnabled: true,
      watched: 'no',
      willRenew: true,
      outlook: 'scheduled',
      message: `renews at ${entry.scheduledAt}, after two thirds of its lifetime, varied by up to 5 % of the remaining lifetime, so that not all certificates are renewed at once`,
      scheduledAt: entry.scheduledAt,
      certificate: {
        id: certificate?.id,
        notBefore: expect.any(String),
        expiresAt: certificate?.expiresAt,
      },
      provider: { id: providerId, name: 'dummy-ca' },
      plan: {
        rule: 'two_thirds',
        fraction: 2 / 3,
        earliest: expect.any(String),
        latest: expect.any(String),
        renewAt: entry.scheduledAt,
      },
      entry,
    });
    const { earliest = '', latest = '' } = explained.plan ?? {};
    expect((Date.parse(latest) - Date.parse(earliest)) / day).toBeCloseTo(1, 1);
  });

  test('names the share of the FQDN', async () => {
    const fqdn = await renewedFqdn(place);
    await switchRenewal(place.app, fqdn, true, { renewAfterFraction: 0.25 });
    const explained = await explanationOf(place.app, fqdn);
    expect(explained).toMatchObject({ plan: { rule: 'fraction', fraction: 0.25 } });
    expect(explained.message).toContain('after 25 % of its lifetime, as set for this FQDN');
  });

  test.each([
    [
      'switched_off',
      'automatic renewal is switched off for this FQDN',
      async () => {
        const fqdn = await renewedFqdn(place);
        await switchRenewal(place.app, fqdn, false);
        return fqdn;
      },
    ],
    [
      'no_certificate',
      'there is no certificate to renew yet: request one',
      async () => {
        const fqdn = await addFqdn(place.app, (await addSpace(place.app)).id);
        await switchRenewal(place.app, fqdn, true);
        return fqdn;
      },
    ],
    [
      'no_csr',
      'no CSR is stored for this FQDN, and a renewal needs one: upload a CSR',
      async () => {
        const fqdn = await renewedFqdn(place);
        await place.app.request.delete('/csrs?confirm=true').set(place.app.people.ada.auth).expect(200);
        return fqdn;
      },
    ],
  ] as const)('says why not: %s', async (outlook, message, make) => {
    const explained = await explanationOf(place.app, await make());
    expect(explained).toMatchObject({ willRenew: false, outlook, message });
    expect(explained).not.toHaveProperty('scheduledAt');
    expect(explained).not.toHaveProperty('entry');
  });

  test('says that an attempt failed, why, and when the next one follows', async () => {
    const { app, ca } = place;
    const fqdn = await renewedFqdn(place);
    await moveToRenewal(app, fqdn);
    ca.answer('with a fault');
    await app.renew();
    const next = new Date(app.clock.now().getTime() + 60_000).toISOString();
    expect(await explanationOf(app, fqdn)).toMatchObject({
      willRenew: true,
      outlook: 'retrying',
      message: `try 2 at ${next}, because the last try failed: the CA failed: signing failed`,
      scheduledAt: next,
      failure: { attempt: 1, at: app.clock.now().toISOString(), reason: 'the CA failed: signing failed' },
    });
    await clearInventory(app);
  });

  test('says that it is due, and what prevents it', async () => {
    const { app, providerId } = place;
    const fqdn = await renewedFqdn(place);
    await moveToRenewal(app, fqdn);
    const at = app.clock.now().toISOString();
    expect(await explanationOf(app, fqdn)).toMatchObject({ outlook: 'due', message: `due since ${at}` });
    await enable(app, { id: providerId }, false).expect(200);
    const reason =
      'provider is disabled: dummy-ca; an administrator enables it by PUT /providers/{id}/enabled or by certloop providers enable dummy-ca';
    expect(await explanationOf(app, fqdn)).toMatchObject({
      willRenew: false,
      outlook: 'provider_off',
      message: `due since ${at}, but ${reason}`,
      provider: { obstacle: reason },
      entry: { status: 'pending', reason },
    });
    await enable(app, { id: providerId }).expect(200);
    await clearInventory(app);
  });

  test('does not say that it renews while its provider is disabled', async () => {
    const { app, providerId } = place;
    const fqdn = await renewedFqdn(place);
    const path = `/spaces/${fqdn.spaceId}/fqdns/${fqdn.id}`;
    const statusOf = async () => {
      const shown = await app.request.get(path).set(app.people.ada.auth).expect(200);
      return shown.body.status;
    };
    const planned = await explanationOf(app, fqdn);
    expect(planned).toMatchObject({ willRenew: true, outlook: 'scheduled' });
    expect(await statusOf()).toMatchObject({
      outlook: 'scheduled',
      reason: expect.stringMatching(/^Renews on /),
    });
    await enable(app, { id: providerId }, false).expect(200);
    expect(await explanationOf(app, fqdn)).toMatchObject({
      willRenew: false,
      outlook: 'provider_off',
      message: expect.stringMatching(
        `^planned for ${planned.scheduledAt}, but provider is disabled: dummy-ca`,
      ),
    });
    const { state, outlook, reason } = await statusOf();
    expect({ state, outlook }).toEqual({ state: 'valid', outlook: 'provider_off' });
    expect(reason).toMatch(/^The certificate is valid until .* is disabled: enable it, or have a CSR signed/);
    await enable(app, { id: providerId }).expect(200);
    expect(await statusOf()).toMatchObject({ outlook: 'scheduled' });
    await clearInventory(app);
  });

  test('says that it is running', async () => {
    const { app, ca } = place;
    const fqdn = await renewedFqdn(place);
    await moveToRenewal(app, fqdn);
    ca.answer('when let go');
    const run = app.renew();
    while ((await openEntryOf(app, fqdn)).status === 'pending') await Promise.resolve();
    expect(await explanationOf(app, fqdn)).toMatchObject({
      outlook: 'running',
      message: 'try 1 is under way',
    });
    ca.answer('normally');
    await ca.letGoUntil(run);
    expect(await explanationOf(app, fqdn)).toMatchObject({ outlook: 'scheduled' });
  });

  test('says that it is about to be queued', async () => {
    const { app } = place;
    const { fqdn } = await fqdnWithCsr(app);
    await switchRenewal(app, fqdn, true);
    await signWith(place, fqdn);
    const { id, scheduledAt } = await openEntryOf(app, fqdn);
    await app.database.transaction((tx) => tx.delete(renewalQueue, { id }));
    expect(await explanationOf(app, fqdn)).toMatchObject({
      willRenew: true,
      outlook: 'unscheduled',
      scheduledAt,
    });
  });

  test('is allowed for readers of the space, and returns 404 to others', async () => {
    const { app } = place;
    const { ben, cleo } = app.people;
    const fqdn = await renewedFqdn(place);
    const get = (path: string, person = app.people.ada) => app.request.get(path).set(person.auth);
    const path = pathOf(fqdn, 'renewal-explanation');
    await get(path, cleo).expect(404);
    await grant(app, ben, 'READ', [fqdn.spaceId]);
    await get(path, ben).expect(200);
    await app.request.get(path).expect(401);
    const elsewhere = await addSpace(app);
    for (const id of [unknownId, ...badIds])
      await get(pathOf({ ...fqdn, id }, 'renewal-explanation')).expect(404);
    await get(pathOf({ ...fqdn, spaceId: elsewhere.id }, 'renewal-explanation')).expect(404);
    await get(pathOf({ ...fqdn, spaceId: unknownId }, 'renewal-explanation')).expect(404);
    await app.request.post(path).set(app.people.ada.auth).expect(405);
  });
});

import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { grant } from '../support/factories.js';
import {
  addTestRenewal,
  issuedFqdn,
  type RenewalPlace,
  renewedFqdn,
  signWith,
  startRenewing,
} from '../support/renewals.js';

const day = 86_400_000;

describeEachDialect('detailed counts', (open) => {
  let place: RenewalPlace;
  beforeAll(async () => {
    place = await startRenewing(open);
  });
  afterAll(() => place.close());

  const statsOf = async (person = place.app.people.ada, query = 'detail=true') => {
    const { body } = await place.app.request.get(`/stats?${query}`).set(person.auth).expect(200);
    return body as unknown;
  };

  const nothing = {
    spaces: 0,
    fqdns: 0,
    csrs: 0,
    certificates: 0,
    expiringWithin7Days: 0,
    expiringWithin30Days: 0,
    failedRenewals: 0,
    certificatesByProvider: {},
    csrsByAlgorithm: {},
  };

  test('are 0 at first', async () => {
    expect(await statsOf()).toEqual(nothing);
  });

  test('count certificates in service, renewals, providers and keys', async () => {
    const { app, ca } = place;
    const fqdn = await renewedFqdn(place);
    const other = await issuedFqdn(place);
    await addTestRenewal(app, fqdn);
    ca.answer('with a fault');
    await app.renew();
    ca.answer('normally');
    const counts = {
      spaces: 2,
      fqdns: 2,
      csrs: 2,
      certificates: 2,
      expiringWithin7Days: 0,
      expiringWithin30Days: 2,
      failedRenewals: 1,
      certificatesByProvider: { 'dummy-ca': 2 },
      csrsByAlgorithm: { ECDSA: 2 },
    };
    expect(await statsOf()).toEqual(counts);

    app.clock.advance(25 * day);
    // the second one's place is taken by a new one
    await signWith(place, other);
    expect(await statsOf()).toMatchObject({
      certificates: 3,
      expiringWithin7Days: 1,
      expiringWithin30Days: 2,
    });
    app.clock.advance(5 * day);
    expect(await statsOf()).toMatchObject({ expiringWithin7Days: 0, expiringWithin30Days: 1 });
  });

  test('cover the readable spaces, and are 0 for callers who cannot read any', async () => {
    const { app } = place;
    const { ben, cleo } = app.people;
    expect(await statsOf(cleo)).toEqual(nothing);
    const fqdn = await issuedFqdn(place);
    await grant(app, ben, 'READ', [fqdn.spaceId]);
    expect(await statsOf(ben)).toMatchObject({
      spaces: 1,
      certificates: 1,
      failedRenewals: 0,
      certificatesByProvider: { 'dummy-ca': 1 },
      csrsByAlgorithm: { ECDSA: 1 },
    });
  });

  test('are omitted unless requested, and other values are rejected', async () => {
    expect(Object.keys((await statsOf(undefined, 'detail=false')) as object)).toEqual([
      'spaces',
      'fqdns',
      'csrs',
    ]);
    for (const query of ['detail=1', 'detail=', 'detail=true&detail=true']) {
      await place.app.request.get(`/stats?${query}`).set(place.app.people.ada.auth).expect(400);
    }
  });
});

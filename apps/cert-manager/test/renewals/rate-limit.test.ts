import type { Fqdn } from '@certloop/contracts';
import { describeEachDialect } from '@certloop/db/testing';
import { afterEach, expect, test } from 'vitest';
import { startAppOn } from '../support/app.js';
import { clearInventory, openEntryOf, queueOf, renewedFqdn, useRenewing } from '../support/renewals.js';

const second = 1000;

describeEachDialect('renewals by a CA that answers 429', (open) => {
  const place = useRenewing(open);
  afterEach(async () => {
    place.ca.answer('normally');
    await clearInventory(place.app);
  });

  const providers = async () =>
    (await place.app.request.get('/providers').set(place.app.people.ada.auth).expect(200)).body;
  const paceOf = async () =>
    (await providers()).find(({ id }: { id: string }) => id === place.providerId).pace;
  const moveToLast = async () => {
    const moments = (await queueOf(place.app, { status: 'pending' })).map(({ scheduledAt }) =>
      Date.parse(scheduledAt),
    );
    place.app.clock.set(new Date(Math.max(...moments)));
  };

  test('pause in all processes for as long as the CA asks, then one goes first, and the others by what ends first', async () => {
    const { app, ca } = place;
    const fqdns: Fqdn[] = [];
    for (let count = 0; count < 6; count += 1) {
      fqdns.push(await renewedFqdn(place));
      app.clock.advance(60 * second);
    }
    await moveToLast();
    const other = await startAppOn(app.database, {
      beside: app,
      environment: { DUMMY_CA_URL: ca.url },
    });
    const before = ca.ids.length;
    ca.answer('with a rate limit');
    const { failed } = await app.renew();
    expect(failed).toHaveLength(6);
    ca.answer('normally');
    const paused = await paceOf();
    expect(paused).toMatchObject({ room: 0, pausedUntil: expect.any(String) });

    await other.renew();
    expect(ca.ids).toHaveLength(before);
    app.clock.set(new Date(paused.pausedUntil));
    expect(await other.renew()).toMatchObject({ renewed: 1 });
    expect(await app.renew()).toMatchObject({ renewed: 0, failed: [] });
    expect((await openEntryOf(app, fqdns[0] as Fqdn)).attempt).toBe(1);
    for (let rounds = 0; rounds < 10; rounds += 1) {
      app.clock.advance(60 * second);
      await app.renew();
      await other.renew();
    }
    expect(ca.ids).toHaveLength(before + 6);
    const { body } = await app.request.get('/outlook').set(app.people.ada.auth).expect(200);
    expect(body.providers).toMatchObject([
      { pace: { perMinute: expect.any(Number), room: expect.any(Number) } },
    ]);
    const refused = app.logged().filter(({ event }) => event === 'renewal.failed');
    expect(refused).toHaveLength(6);
    await other.close();
  });
});

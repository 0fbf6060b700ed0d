import { EventEmitter, once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, afterEach, beforeAll, expect, jest, test } from '@jest/globals';
import { type OrderingPlace, startOrdering } from '../support/acme/ordering-place.js';
import { startAppOn, type TestApp } from '../support/app.js';
import {
  certificatesOf,
  clearInventory,
  entriesOf,
  moveToRenewal,
  renewedFqdn,
} from '../support/renewals.js';
import { providerOf } from '../support/signing.js';

// much else may run on the same machine
jest.setTimeout(60_000);

describeEachDialect('a process that is stopped while it renews', (open) => {
  let place: OrderingPlace;
  beforeAll(async () => {
    place = await startOrdering(open, {});
  });
  afterEach(async () => {
    place.acme.processing = 0;
    await clearInventory(place.app);
  });
  afterAll(() => place.close());

  test('leaves its renewal to the next process, which continues the order at once, in the same attempt', async () => {
    const { app, acme, environment } = place;
    const { id: providerId } = await providerOf(app, 'acme');
    const fqdn = await renewedFqdn({ ...place, providerId });
    await moveToRenewal(app, fqdn);
    acme.forget();
    acme.processing = 1_000_000;
    const stopping = await startAppOn(app.database, { environment, beside: app });
    const renewing = stopping.renew();
    while (acme.csrs.length === 0) await wait(5);
    await stopping.close();
    // no one needs to look at it
    expect(await renewing).toMatchObject({ renewed: 0, failed: [], broken: 0 });
    expect(endsOf(stopping)).toEqual(['renewal.left']);

    acme.processing = 0;
    expect(await app.renew()).toMatchObject({ renewed: 1, lapsed: 0 });
    expect([acme.orders.length, acme.csrs.length]).toEqual([1, 1]);
    expect(await certificatesOf(app, fqdn)).toHaveLength(2);
    expect((await entriesOf(app, fqdn)).map(({ status, attempt }) => [status, attempt])).toEqual([
      ['completed', 1],
      ['pending', 1],
    ]);
  });

  test('logs an unexpected error that occurs while it stops, and leaves that renewal too', async () => {
    const { app, environment } = place;
    const fqdn = await renewedFqdn(place);
    await moveToRenewal(app, fqdn);
    const steps = new EventEmitter();
    const atStep = async () => {
      const goOn = once(steps, 'go on');
      steps.emit('claimed');
      await goOn;
      throw new Error('unexpected');
    };
    const stopping = await startAppOn(app.database, { environment, beside: app, renewals: { atStep } });
    const claimed = once(steps, 'claimed');
    const renewing = stopping.renew();
    await claimed;
    const closing = stopping.close();
    steps.emit('go on');
    await Promise.all([closing, renewing]);
    expect(endsOf(stopping)).toEqual(['renewal.broken', 'renewal.left']);
    expect(await app.renew()).toMatchObject({ renewed: 1, lapsed: 0 });
  });
});

/** What was logged about the ends of renewals. */
function endsOf(app: TestApp): unknown[] {
  const events = app.logged().map(({ event }) => event);
  return events.filter((event) => event === 'renewal.broken' || event === 'renewal.left');
}

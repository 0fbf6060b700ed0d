import type { Fqdn } from '@certloop/contracts';
import { until } from '@certloop/contracts/testing';
import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { OrderMoment } from '../../src/acme/orders/order-steps.js';
import { orderingByHttp, type ScriptedAcme, startScriptedAcme } from '../support/acme/scripted-acme.js';
import { pathOf } from '../support/inventory.js';
import { addJob } from '../support/issuance.js';
import {
  certificatesOf,
  clearInventory,
  moveToRenewal,
  openEntryOf,
  type RenewalPlace,
  renewedFqdn,
  signWith,
  startRenewing,
} from '../support/renewals.js';
import { configure, enable, fqdnWithCsr, providerOf } from '../support/signing.js';

const leaseMs = 120_000;

describeEachDialect('two kinds of work on one FQDN', (open) => {
  let place: RenewalPlace;
  let acme: ScriptedAcme;
  let acmeId = '';
  let deadly: OrderMoment | undefined;
  beforeAll(async () => {
    acme = await startScriptedAcme(() => place.app.clock);
    place = await startRenewing(open, {
      environment: {
        ENCRYPTION_KEYS: `one:${Buffer.alloc(32, 7).toString('base64')}`,
        ACME_DIRECTORY_URL: acme.directoryUrl,
      },
      renewals: { leaseMs },
      orders: {
        pause: async () => undefined,
        atMoment: async (moment) => {
          if (moment !== deadly) return;
          deadly = undefined;
          throw new Error('the process ends here');
        },
      },
    });
    const provider = await providerOf(place.app, 'acme');
    acmeId = provider.id;
    await configure(place.app, provider, orderingByHttp(acme)).expect(200);
    await enable(place.app, provider).expect(200);
  });
  afterEach(async () => {
    deadly = undefined;
    await clearInventory(place.app);
    acme.forget();
  });
  afterAll(async () => {
    await place.close();
    await acme.close();
  });

  /** An FQDN with a certificate by ACME whose renewal is due. */
  async function dueFqdn() {
    const fqdn = await renewedFqdn({ ...place, providerId: acmeId });
    await moveToRenewal(place.app, fqdn);
    acme.forget();
    return fqdn;
  }

  /** Who issued the certificates of an FQDN, in the order of their storing. */
  async function issuersOf(fqdn: Fqdn): Promise<string[]> {
    const certificates = await certificatesOf(place.app, fqdn);
    return certificates.map(({ issuer }) => (issuer.includes('Scripted CA') ? 'Scripted CA' : 'other'));
  }

  test.each(['finalizing', 'finalized', 'downloaded'] as const)(
    'stores both certificates when the other CA signs after a renewal died at %s',
    async (moment) => {
      const { app } = place;
      const fqdn = await dueFqdn();
      deadly = moment;
      expect(await app.renew()).toMatchObject({ broken: 1 });
      await signWith(place, fqdn);
      app.clock.advance(leaseMs);
      await app.renew();
      expect([acme.orders.length, acme.csrs.length]).toEqual([1, 1]);
      expect(await issuersOf(fqdn)).toEqual(['Scripted CA', 'other', 'Scripted CA']);
      expect(await openEntryOf(app, fqdn)).toMatchObject({ status: 'pending', attempt: 1 });
    },
  );

  test('stores both certificates when the other CA signs before the next attempt of a renewal', async () => {
    const { app } = place;
    const fqdn = await dueFqdn();
    acme.script('certificate', { status: 503 }, { status: 503 });
    expect(await app.renew()).toMatchObject({ renewed: 0 });
    await signWith(place, fqdn);
    for (const attempt of [2, 3]) {
      expect(await openEntryOf(app, fqdn)).toMatchObject({ status: 'pending', attempt });
      await moveToRenewal(app, fqdn);
      await app.renew();
    }
    expect([acme.orders.length, acme.csrs.length]).toEqual([1, 1]);
    expect(await issuersOf(fqdn)).toEqual(['Scripted CA', 'other', 'Scripted CA']);
    expect(await openEntryOf(app, fqdn)).toMatchObject({ status: 'pending', attempt: 1 });
  });

  test('leaves an order whose CSR was not sent when the other CA signs', async () => {
    const { app } = place;
    const fqdn = await dueFqdn();
    acme.script('authorization', { status: 503 }, { status: 503 }, { status: 503 });
    expect(await app.renew()).toMatchObject({ renewed: 0 });
    await signWith(place, fqdn);
    expect(await openEntryOf(app, fqdn)).toMatchObject({ status: 'pending', attempt: 1 });
    expect(acme.csrs).toHaveLength(0);
  });

  test('leaves the order when its CA is disabled before the other CA signs', async () => {
    const { app } = place;
    const fqdn = await dueFqdn();
    acme.script('certificate', { status: 503 });
    await app.renew();
    await enable(app, { id: acmeId }, false).expect(200);
    await signWith(place, fqdn);
    await enable(app, { id: acmeId }).expect(200);
    expect(await openEntryOf(app, fqdn)).toMatchObject({ status: 'pending', attempt: 1 });
  });

  test('does not adopt an order that another request holds', async () => {
    const { app } = place;
    const { fqdn } = await fqdnWithCsr(app);
    const request = (query: string) =>
      app.request
        .post(`${pathOf(fqdn, 'request-certificate')}?${query}`)
        .set(app.people.ada.auth)
        .send({});
    deadly = 'ordered';
    await request('wait=0').expect(200);
    while (deadly !== undefined) await new Promise((resolve) => setTimeout(resolve, 10));
    const url = `${new URL(acme.directoryUrl).origin}/order/1`;
    await addJob(app, { orderUrl: url, orderState: { url } });
    app.clock.advance(61_000);
    await app.takeUpJobs();
    await until(async () => (await certificatesOf(app, fqdn)).length === 1);
    expect(acme.orders).toHaveLength(2);
  });
});

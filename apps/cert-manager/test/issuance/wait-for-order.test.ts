import type { Fqdn } from '@certloop/contracts';
import { until } from '@certloop/contracts/testing';
import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { OrderMoment } from '../../src/acme/orders/order-steps.js';
import { type OrderingPlace, startOrdering } from '../support/acme/ordering-place.js';
import type { ScriptedAcme } from '../support/acme/scripted-acme.js';
import {
  beginHeld,
  callSign,
  countAsked,
  letGo,
  signEntries,
  untilWaiting,
} from '../support/cas/concurrent-signing.js';
import { addCsr, pathOf } from '../support/inventory.js';
import { certificatesOf, clearInventory } from '../support/renewals.js';
import { fqdnWithCsr, newCsr } from '../support/signing.js';

describeEachDialect('a call while an ACME order for its FQDN is running', (open) => {
  let place: OrderingPlace;
  let acme: ScriptedAcme;
  let acmeId: string;
  const held: (() => void)[] = [];
  let atMoment: ((moment: OrderMoment) => Promise<void>) | undefined;
  beforeAll(async () => {
    const orders = { atMoment: async (moment: OrderMoment) => void (await atMoment?.(moment)) };
    place = await startOrdering(open, { orders });
    ({ acme, acmeId } = place);
  });
  beforeEach(() => {
    acme.forget();
    atMoment = undefined;
  });
  afterEach(async () => {
    // also those of a test that failed, since the application waits for them when it is closed
    for (const release of held.splice(0)) release();
    await clearInventory(place.app);
  });
  afterAll(() => place.close());

  const byOrder = (fqdn: Fqdn) => ({ app: place.app, fqdn, providerId: acmeId });
  const direct = (fqdn: Fqdn) => ({ app: place.app, fqdn, providerId: place.providerId });
  const pemsOf = async (fqdn: Fqdn) => (await certificatesOf(place.app, fqdn)).map(({ pem }) => pem);

  /** Begins an order that stops before its CSR is sent, until it is let go. */
  async function beginOrder(fqdn: Fqdn) {
    let go = () => {};
    const released = new Promise<void>((resolve) => {
      go = resolve;
    });
    held.push(go);
    let isHeld = false;
    atMoment = async (moment) => {
      if (moment !== 'order_stored') return;
      atMoment = undefined;
      isHeld = true;
      await released;
    };
    const response = callSign(byOrder(fqdn));
    await until(() => isHeld);
    return { response, go };
  }

  test('with the same CSR and provider gets the certificate of the order', async () => {
    const { fqdn } = await fqdnWithCsr(place.app);
    const first = await beginOrder(fqdn);
    const second = callSign(byOrder(fqdn));
    await untilWaiting([place.app], fqdn, 1);
    first.go();
    const pem = (await first.response).body.certificate;
    expect((await second).body).toMatchObject({ success: true, certificate: pem });
    expect([acme.orders.length, await pemsOf(fqdn)]).toEqual([1, [pem]]);
    const entries = await signEntries(place.app, fqdn);
    const jobId = entries.find(({ details }) => details['joined'] === undefined)?.details['jobId'];
    expect(entries.map(({ details }) => details['joined'])).toEqual(
      expect.arrayContaining([undefined, jobId]),
    );
    expect(entries).toHaveLength(2);
  });

  test('by a direct provider waits for the end of the order', async () => {
    const { fqdn } = await fqdnWithCsr(place.app);
    const before = countAsked(place.ca);
    const first = await beginOrder(fqdn);
    const second = callSign(direct(fqdn));
    await untilWaiting([place.app], fqdn, 1);
    expect(countAsked(place.ca)).toBe(before);
    first.go();
    const pems = [(await first.response).body.certificate, (await second).body.certificate];
    expect(await pemsOf(fqdn)).toEqual(pems);
  });

  test('by a direct provider is answered with Location of the job if its limit ends first', async () => {
    const { fqdn } = await fqdnWithCsr(place.app);
    const before = countAsked(place.ca);
    const first = await beginOrder(fqdn);
    const { status, body, headers } = await callSign({ ...direct(fqdn), waitSeconds: 0 });
    expect([status, body.success, typeof body.message]).toEqual([200, false, 'string']);
    const { ada } = place.app.people;
    const job = await place.app.request.get(String(headers['location'])).set(ada.auth).expect(200);
    expect(job.body).toMatchObject({ fqdnId: fqdn.id, status: 'running' });
    expect(countAsked(place.ca)).toBe(before);
    first.go();
    expect((await first.response).body.success).toBe(true);
    expect(await pemsOf(fqdn)).toHaveLength(1);
  });

  test('with another CSR waits for the end of the order, and then orders for its own', async () => {
    const { fqdn } = await fqdnWithCsr(place.app);
    const first = await beginOrder(fqdn);
    await addCsr(place.app, fqdn, await newCsr(fqdn.fqdn));
    const second = callSign(byOrder(fqdn));
    await untilWaiting([place.app], fqdn, 1);
    expect(acme.orders).toHaveLength(1);
    first.go();
    const pems = [(await first.response).body.certificate, (await second).body.certificate];
    expect(await pemsOf(fqdn)).toEqual(pems);
    expect(new Set(acme.csrs).size).toBe(2);
  });

  test('of request-certificate with another CSR attaches to the order', async () => {
    const { app } = place;
    const { fqdn } = await fqdnWithCsr(app);
    const first = await beginOrder(fqdn);
    await addCsr(app, fqdn, await newCsr(fqdn.fqdn));
    const path = `${pathOf(fqdn, 'request-certificate')}?wait=0`;
    const reply = await app.request.post(path).set(app.people.ada.auth).send({ confirmed: true }).expect(200);
    expect(reply.headers['location']).toMatch(/^\/issuance-jobs\//);
    first.go();
    expect((await first.response).body.success).toBe(true);
    expect(acme.orders).toHaveLength(1);
  });

  test('by a direct provider lets an order wait for its end, which runs then', async () => {
    const { app, ca } = place;
    const { fqdn } = await fqdnWithCsr(app);
    const first = await beginHeld(ca, direct(fqdn));
    const path = `${pathOf(fqdn, 'request-certificate')}?wait=0`;
    const { ada } = app.people;
    const { headers } = await app.request.post(path).set(ada.auth).send({ confirmed: true }).expect(200);
    const show = async () =>
      (await app.request.get(String(headers['location'])).set(ada.auth).expect(200)).body;
    expect([(await show()).status, acme.orders.length]).toEqual(['running', 0]);
    await letGo(ca);
    const pem = (await first.response).body.certificate;
    await until(async () => (await show()).status === 'completed');
    expect(await pemsOf(fqdn)).toEqual([pem, (await show()).certificate.pem]);
  });
});

import type { Fqdn, Provider } from '@certloop/contracts';
import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { TestApp } from '../support/app.js';
import {
  beginHeld,
  callSign,
  countAsked,
  letGo,
  signEntries,
  startTwoProcesses,
  type TwoProcesses,
  untilWaiting,
} from '../support/cas/concurrent-signing.js';
import { addCsr, pathOf } from '../support/inventory.js';
import { addJob } from '../support/issuance.js';
import { certificatesOf, clearInventory } from '../support/renewals.js';
import { createProvider, enable, fqdnWithCsr, newCsr } from '../support/signing.js';

describeEachDialect('a call of csr/sign while another one for its FQDN is running', (open) => {
  let place: TwoProcesses;
  let other: TestApp;
  let further: Provider;
  beforeAll(async () => {
    place = await startTwoProcesses(open);
    const { app, ca } = place;
    ({ other } = place);
    const config = { baseUrl: ca.url, validityDays: 30 };
    further = await createProvider(app, { kind: 'dummy-ca', name: 'further', config });
  });
  afterEach(async () => {
    await letGo(place.ca);
    await clearInventory(place.app);
  });
  afterAll(() => place.close());

  const callOf = (fqdn: Fqdn, app: TestApp = place.app) => ({ app, fqdn, providerId: place.providerId });
  const byFurther = (fqdn: Fqdn, app: TestApp = place.app) => ({ app, fqdn, providerId: further.id });
  const processes = ['the same process', 'another process'] as const;
  const appOf = (process: (typeof processes)[number]) => (process === 'another process' ? other : place.app);

  /** What comes of the calls, if something happens while the second one waits. */
  async function meet(
    fqdn: Fqdn,
    second: Parameters<typeof callSign>[0],
    meanwhile: () => Promise<unknown> = async () => undefined,
  ) {
    const { ca } = place;
    const before = countAsked(ca);
    const first = await beginHeld(ca, callOf(fqdn));
    const waiting = callSign(second);
    await untilWaiting([second.app], fqdn, 1);
    await meanwhile();
    expect(countAsked(ca) - before).toBe(1);
    await letGo(ca);
    return { first: await first.response, second: await waiting, asked: () => countAsked(ca) - before };
  }

  test.each(processes)('with another CSR waits in %s, and then signs that CSR', async (process) => {
    const { app, ca } = place;
    const { fqdn, csr } = await fqdnWithCsr(app);
    const before = countAsked(ca);
    const first = await beginHeld(ca, callOf(fqdn));
    const newer = await addCsr(app, fqdn, await newCsr(fqdn.fqdn));
    const second = callSign(callOf(fqdn, appOf(process)));
    await untilWaiting([appOf(process)], fqdn, 1);
    expect(countAsked(ca) - before).toBe(1);
    await letGo(ca);
    const pems = [(await first.response).body.certificate, (await second).body.certificate];
    expect(countAsked(ca) - before).toBe(2);
    expect((await certificatesOf(app, fqdn)).map(({ pem }) => pem)).toEqual(pems);
    const entries = await signEntries(app, fqdn);
    expect(entries.map(({ resourceId, details }) => [resourceId, details['joined']])).toEqual([
      [csr.id, undefined],
      [newer.id, undefined],
    ]);
  });

  test('signs a CSR that was uploaded while it waited for another provider', async () => {
    const { app } = place;
    const { fqdn } = await fqdnWithCsr(app);
    let newer = '';
    const { second } = await meet(fqdn, byFurther(fqdn), async () => {
      newer = (await addCsr(app, fqdn, await newCsr(fqdn.fqdn))).id;
    });
    expect(second.body.success).toBe(true);
    expect((await signEntries(app, fqdn)).at(-1)).toMatchObject({
      resourceId: newer,
      details: { provider: 'further' },
    });
  });

  test.each(processes)('by another provider waits in %s, and then asks that one', async (process) => {
    const { app } = place;
    const { fqdn } = await fqdnWithCsr(app);
    const { first, second, asked } = await meet(fqdn, byFurther(fqdn, appOf(process)));
    expect(asked()).toBe(2);
    expect((await certificatesOf(app, fqdn)).map(({ pem }) => pem)).toEqual([
      first.body.certificate,
      second.body.certificate,
    ]);
    const entries = await signEntries(app, fqdn);
    expect(entries.map(({ details }) => details['providerId'])).toEqual([place.providerId, further.id]);
  });

  describe('is decided anew after it has waited', () => {
    const refused = async (meanwhile: (fqdn: Fqdn) => Promise<unknown>) => {
      const { fqdn } = await fqdnWithCsr(place.app);
      const { first, second, asked } = await meet(fqdn, byFurther(fqdn), () => meanwhile(fqdn));
      expect(first.body.success).toBe(true);
      expect(asked()).toBe(1);
      expect(second.status).toBe(400);
      return second.body.code;
    };

    test('and refused if the policy does not allow its provider any more', async () => {
      const { app, providerId } = place;
      const code = await refused((fqdn) =>
        app.request
          .put(`/spaces/${fqdn.spaceId}/issuance-policy`)
          .set(app.people.ada.auth)
          .send({ providerIds: [providerId], confirmed: true })
          .expect(200),
      );
      expect(code).toBe('provider_not_allowed');
    });

    test('and refused if its provider is disabled', async () => {
      const code = await refused(() => enable(place.app, further, false).expect(200));
      await enable(place.app, further).expect(200);
      expect(code).toBe('provider_disabled');
    });

    test('and refused if its key is compromised', async () => {
      const { app } = place;
      const { fqdn } = await fqdnWithCsr(app);
      await callSign(callOf(fqdn));
      const [{ id } = { id: '' }] = await certificatesOf(app, fqdn);
      const { first, second, asked } = await meet(fqdn, byFurther(fqdn), () =>
        app.request
          .post(pathOf(fqdn, `certificates/${id}/revoke`))
          .set(app.people.ada.auth)
          .send({ reason: 'keyCompromise' })
          .expect(200),
      );
      expect(asked()).toBe(1);
      expect([first.status, second.status, second.body.code]).toEqual([200, 400, 'csr_key_compromised']);
    });

    test('and permitted although the running one fails', async () => {
      const { app, ca } = place;
      const { fqdn } = await fqdnWithCsr(app);
      const first = await beginHeld(ca, callOf(fqdn));
      const second = callSign(byFurther(fqdn));
      await untilWaiting([app], fqdn, 1);
      await letGo(ca, 'with a refusal');
      expect((await first.response).body.success).toBe(false);
      expect((await second).body.success).toBe(true);
      expect(await certificatesOf(app, fqdn)).toHaveLength(1);
    });
  });

  test.each([
    ['an equal call', callOf],
    ['a call for another provider', byFurther],
  ])('%s is answered without a certificate if its limit ends first', async (_, second) => {
    const { app, ca } = place;
    const { fqdn } = await fqdnWithCsr(app);
    const before = countAsked(ca);
    const first = await beginHeld(ca, callOf(fqdn));
    const { status, body, headers } = await callSign({ ...second(fqdn), waitSeconds: 0 });
    expect([status, body]).toEqual([200, { success: false, message: expect.stringMatching(/\w/) }]);
    // a call to a direct CA is no job
    expect(headers['location']).toBeUndefined();
    expect(countAsked(ca) - before).toBe(1);
    await letGo(ca);
    expect((await first.response).body.success).toBe(true);
    expect(await certificatesOf(app, fqdn)).toHaveLength(1);
  });

  test('does not wait for a job that waits for a person', async () => {
    const { fqdn } = await addJob(place.app, { state: 'waiting' });
    const { body } = await callSign({ ...callOf(fqdn), waitSeconds: 0 });
    expect(body.success).toBe(true);
    expect(await certificatesOf(place.app, fqdn)).toHaveLength(1);
  });

  test('does not wait for calls for other FQDNs', async () => {
    const { app, ca } = place;
    const [one, another] = [await fqdnWithCsr(app), await fqdnWithCsr(app, 'other.example.org')];
    const first = await beginHeld(ca, callOf(one.fqdn));
    const second = await beginHeld(ca, callOf(another.fqdn));
    await letGo(ca);
    expect([(await first.response).body.success, (await second.response).body.success]).toEqual([true, true]);
  });
});

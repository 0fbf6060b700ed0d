import type { AllowedNames, Fqdn } from '@certloop/contracts';
import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { OrderMoment } from '../../src/acme/orders/order-steps.js';
import { type ScriptedAcme, startScriptedAcme } from '../support/acme/scripted-acme.js';
import { startApp, type TestApp } from '../support/app.js';
import { addCsr, addFqdn, addSpace, auditEntries, pathOf } from '../support/inventory.js';
import {
  certificatesOf,
  clearInventory,
  entriesOf,
  moveToRenewal,
  switchRenewal,
} from '../support/renewals.js';
import { configure, fqdnWithCsr, newCsr, providerOf } from '../support/signing.js';

const keys = `one:${Buffer.alloc(32, 7).toString('base64')}`;
const elsewhere: AllowedNames = {
  names: [],
  suffixes: ['allowed.test'],
  wildcards: false,
  cidrs: [],
  beyondFqdn: false,
};

describeEachDialect('a certificate by ACME that the policy of its space forbids', (open) => {
  let app: TestApp;
  let ca: ScriptedAcme;
  let atMoment: ((moment: OrderMoment) => Promise<unknown>) | undefined;
  beforeAll(async () => {
    ca = await startScriptedAcme(() => app.clock);
    app = await startApp(open, {
      environment: { ENCRYPTION_KEYS: keys, ACME_DIRECTORY_URL: ca.directoryUrl },
      orders: { pause: async () => undefined, atMoment: async (moment) => void (await atMoment?.(moment)) },
    });
    const challenge = { type: 'http-01', http01: { selfCheck: 'off' } };
    const config = { directoryUrl: ca.directoryUrl, termsOfServiceAgreed: true, challenge };
    await configure(app, await providerOf(app, 'acme'), config).expect(200);
  });
  beforeEach(async () => {
    await clearInventory(app);
    ca.forget();
    atMoment = undefined;
  });
  afterAll(async () => {
    await app.close();
    await ca.close();
  });

  const put = ({ spaceId }: Fqdn, body: object) =>
    app.request
      .put(`/spaces/${spaceId}/issuance-policy`)
      .set(app.people.ada.auth)
      .send({ ...body, confirmed: true })
      .expect(200);
  const request = (fqdn: Fqdn) =>
    app.request
      .post(`${pathOf(fqdn, 'request-certificate')}?wait=20`)
      .set(app.people.ada.auth)
      .send({});
  /** Tightens the policy when an order has come to the moment. */
  const tightenAt = (fqdn: Fqdn, deadline: OrderMoment) => {
    atMoment = async (moment) => {
      if (moment !== deadline) return;
      atMoment = undefined;
      await put(fqdn, { allowedNames: elsewhere });
    };
  };

  describe('when it is requested', () => {
    test('is refused before the CA is asked, and audited', async () => {
      const { fqdn } = await fqdnWithCsr(app);
      await put(fqdn, { allowedNames: elsewhere });
      const { body } = await request(fqdn).expect(400);
      expect(body).toMatchObject({
        code: 'name_not_allowed',
        detail: expect.stringContaining('www.example.org is not allowed'),
        errors: expect.arrayContaining([expect.objectContaining({ path: 'fqdn' })]),
      });
      expect(ca.asks).toEqual([]);
      expect((await auditEntries(app, 'certificate.fail')).at(-1)).toMatchObject({
        outcome: 'failure',
        resourceId: fqdn.id,
        details: { fqdn: 'www.example.org', code: 'name_not_allowed', provider: 'acme' },
      });
      await put(fqdn, {});
      expect((await request(fqdn).expect(200)).body.success).toBe(true);
    });

    test('is refused for a further name of its CSR', async () => {
      const { id } = await addSpace(app);
      const fqdn = await addFqdn(app, id, 'www.allowed.test');
      await addCsr(app, fqdn, await newCsr('www.allowed.test', 'login.bank.test'));
      await put(fqdn, { allowedNames: { ...elsewhere, beyondFqdn: true } });
      expect((await request(fqdn).expect(400)).body).toMatchObject({
        code: 'name_not_allowed',
        errors: [{ path: 'csr.dnsNames[1]', message: expect.stringContaining('login.bank.test') }],
      });
      expect(ca.asks).toEqual([]);
    });

    test('is refused for its provider before the CA is asked', async () => {
      const { fqdn } = await fqdnWithCsr(app);
      await put(fqdn, { providerIds: [(await providerOf(app, 'dummy-ca')).id] });
      expect((await request(fqdn).expect(400)).body).toMatchObject({
        code: 'provider_not_allowed',
        detail: expect.stringContaining('the provider acme is not among providerIds'),
      });
      expect(ca.asks).toEqual([]);
    });
  });

  describe('when the policy is tightened during the request', () => {
    test('ends before the CSR is sent', async () => {
      const { fqdn } = await fqdnWithCsr(app);
      tightenAt(fqdn, 'answered');
      const { body } = await request(fqdn).expect(200);
      expect(body).toMatchObject({
        success: false,
        message: expect.stringContaining('www.example.org is not allowed'),
        stepStatus: { finalize: { status: 'failed', error: { code: 'name_not_allowed' } } },
      });
      expect(ca.asks).toContain('challenge');
      expect(ca.asks).not.toContain('finalize');
      expect(ca.csrs).toEqual([]);
      expect(await certificatesOf(app, fqdn)).toEqual([]);
    });

    test('is stored if the CA already had the CSR', async () => {
      const { fqdn } = await fqdnWithCsr(app);
      tightenAt(fqdn, 'finalized');
      expect((await request(fqdn).expect(200)).body.success).toBe(true);
      expect(await certificatesOf(app, fqdn)).toHaveLength(1);
      expect((await request(fqdn).expect(400)).body.code).toBe('name_not_allowed');
    });

    test('ends a renewal before the CSR is sent', async () => {
      const { fqdn } = await fqdnWithCsr(app);
      await request(fqdn).expect(200);
      await switchRenewal(app, fqdn, true);
      await moveToRenewal(app, fqdn);
      tightenAt(fqdn, 'answered');
      await app.renew();
      expect(ca.csrs).toHaveLength(1);
      expect(ca.asks.filter((ask) => ask === 'newOrder')).toHaveLength(2);
      expect(await certificatesOf(app, fqdn)).toHaveLength(1);
      expect((await entriesOf(app, fqdn))[0]).toMatchObject({
        status: 'failed',
        reason: expect.stringContaining('www.example.org is not allowed'),
      });
    });
  });
});

import type { Fqdn } from '@certloop/contracts';
import { until } from '@certloop/contracts/testing';
import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { OrderMoment } from '../../../src/acme/orders/order-steps.js';
import { supersededReason } from '../../../src/issuance/clients/begin-client-issuance.service.js';
import { cancelClientIssuances } from '../../../src/issuance/clients/cancel-client-issuances.service.js';
import { type OrderingPlace, startOrdering } from '../../support/acme/ordering-place.js';
import { orderingByHttp } from '../../support/acme/scripted-acme.js';
import { callSign, countAsked, letGo } from '../../support/cas/concurrent-signing.js';
import {
  clientIssuances,
  finalizeOrder,
  newOrderingClient,
  type OrderToFinalize,
  storedCertificates,
} from '../../support/front/client-orders.js';
import { addFqdn, addSpace, auditEntries } from '../../support/inventory.js';
import { clearInventory } from '../../support/renewals.js';
import { createProvider, enable, fqdnWithCsr, newCsr } from '../../support/signing.js';

const uuid = expect.stringMatching(/^[0-9a-f-]{36}$/);

describeEachDialect('the issuance of an order of an ACME client', (open) => {
  let place: OrderingPlace;
  /** Where orders with the CA wait until they are let on. */
  let heldAt: OrderMoment | undefined;
  let waiting: (() => void)[] = [];
  beforeAll(async () => {
    const atMoment = async (moment: OrderMoment) => {
      if (moment === heldAt) await new Promise<void>((resolve) => waiting.push(resolve));
    };
    place = await startOrdering(open, { orders: { atMoment } });
  });
  afterEach(async () => {
    letOn();
    await letGo(place.ca);
    place.acme.forget();
    await place.app.recoverSigning();
    await clearInventory(place.app);
  });
  afterAll(() => place.close());

  const letOn = () => {
    heldAt = undefined;
    for (const resolve of waiting) resolve();
    waiting = [];
  };

  const providers = [
    ['a CA that signs', 'dummy-ca'],
    ['a CA with orders', 'acme'],
  ] as const;
  const idOf = (kind: 'dummy-ca' | 'acme') => (kind === 'acme' ? place.acmeId : place.providerId);

  const newFqdn = async (name = 'www.example.org'): Promise<Fqdn> => {
    const { id } = await addSpace(place.app);
    return addFqdn(place.app, id, name);
  };

  /** A client with an FQDN, and what finalizes its orders. */
  const newClient = async (kind: 'dummy-ca' | 'acme') => {
    const fqdn = await newFqdn();
    const client = newOrderingClient();
    const finalize = (more: Partial<OrderToFinalize> = {}) =>
      finalizeOrder(place.app, { client, fqdn, providerId: idOf(kind), ...more });
    return { fqdn, client, finalize };
  };

  const failures = async () =>
    (await auditEntries(place.app, 'certificate.fail')).map(({ details }) => details['reason']);

  const openIssuances = async () =>
    (await clientIssuances(place.app)).filter(
      ({ finishedAt, state }) => finishedAt === null || state === 'unknown',
    );

  test.each(providers)('of %s stores a certificate with client, account and lineage', async (_, kind) => {
    const { fqdn, client, finalize } = await newClient(kind);
    const { issuance, csr, superseded, orderId } = await finalize();
    expect([issuance.state, superseded]).toEqual(['queued', []]);
    await place.app.recoverSigning();
    const [certificate, ...others] = await storedCertificates(place.app, fqdn);
    expect(others).toEqual([]);
    const { clientId, accountId, caller } = client;
    expect(certificate).toMatchObject({
      csrId: csr.id,
      providerId: idOf(kind),
      acmeClientId: clientId,
      acmeAccountId: accountId,
      lineage: issuance.lineage,
    });
    const [entry] = (await auditEntries(place.app, 'certificate.issue')).slice(-1);
    expect(entry).toMatchObject({
      outcome: 'success',
      username: caller.username,
      resourceId: certificate?.id,
      details: { fqdnId: fqdn.id, orderId, clientId, accountId, certificateId: certificate?.id },
    });
    const { body: jobs } = await place.app.request
      .get(`/issuance-jobs?fqdnId=${fqdn.id}`)
      .set(place.app.people.ada.auth)
      .expect(200);
    expect(jobs).toEqual([]);
  });

  test.each(providers)(
    'of %s is queued beside others of the FQDN, each with a certificate',
    async (_, kind) => {
      const { fqdn, finalize } = await newClient(kind);
      const ec = await finalize();
      const rsa = await finalize({ keyKind: 'RSA' });
      const elsewhere = await finalize({ client: newOrderingClient('web-8') });
      expect([ec, rsa, elsewhere].map(({ superseded }) => superseded)).toEqual([[], [], []]);
      await place.app.recoverSigning();
      const lineages = (await storedCertificates(place.app, fqdn)).map(({ lineage }) => lineage);
      expect(lineages.toSorted()).toEqual(
        [ec, rsa, elsewhere].map(({ issuance }) => issuance.lineage).toSorted(),
      );
    },
  );

  test('runs after that of a person for the same FQDN, who does not get its certificate', async () => {
    const { app, ca, providerId } = place;
    const { fqdn } = await fqdnWithCsr(app);
    const before = countAsked(ca);
    ca.answer('when let go');
    const person = callSign({ app, fqdn, providerId });
    await until(() => countAsked(ca) > before);
    const { csr } = await finalizeOrder(app, { client: newOrderingClient(), fqdn, providerId });
    await app.takeUpJobs();
    expect(countAsked(ca) - before).toBe(1);
    await letGo(ca);
    expect((await person).body.success).toBe(true);
    await app.recoverSigning();
    const stored = await storedCertificates(app, fqdn);
    expect(stored.map(({ csrId, lineage }) => [csrId === csr.id, lineage !== null])).toEqual([
      [false, false],
      [true, true],
    ]);
  });

  test.each(providers)(
    'of %s takes the CSR of a later order of its lineage while it is queued',
    async (_, kind) => {
      const { fqdn, finalize } = await newClient(kind);
      const first = await finalize();
      const second = await finalize();
      expect(second.superseded).toEqual([first.orderId]);
      expect(second.issuance).toMatchObject({ id: first.issuance.id, orderId: second.orderId });
      await place.app.recoverSigning();
      expect(await storedCertificates(place.app, fqdn)).toMatchObject([{ csrId: second.csr.id }]);
    },
  );

  test('keeps its order with the CA when a later order replaces its CSR just before it is sent', async () => {
    const { app, acme } = place;
    const { fqdn, finalize } = await newClient('acme');
    heldAt = 'answered';
    const first = await finalize();
    await app.takeUpJobs();
    await until(() => waiting.length > 0);
    const second = await finalize();
    expect(second.superseded).toEqual([first.orderId]);
    letOn();
    await app.recoverSigning();
    expect([acme.orders.length, acme.csrs.length]).toEqual([1, 1]);
    expect(await storedCertificates(app, fqdn)).toMatchObject([{ csrId: second.csr.id }]);
    const [entry] = (await auditEntries(app, 'certificate.issue')).slice(-1);
    expect(entry?.details).toMatchObject({ orderId: second.orderId });
  });

  test('is one of its own for a later order once the CSR was sent; with the same key it gets that certificate', async () => {
    const { app, ca } = place;
    const { fqdn, finalize } = await newClient('dummy-ca');
    const csrPem = await newCsr(fqdn.fqdn);
    const before = countAsked(ca);
    ca.answer('when let go');
    await finalize({ csrPem });
    await app.takeUpJobs();
    await until(() => countAsked(ca) > before);
    const second = await finalize({ csrPem });
    const third = await finalize({ csrPem });
    expect([second.superseded, third.superseded]).toEqual([[], [second.orderId]]);
    await letGo(ca);
    await app.recoverSigning();
    expect(countAsked(ca) - before).toBe(1);
    const [certificate, ...others] = await storedCertificates(app, fqdn);
    expect(others).toEqual([]);
    const entries = (await auditEntries(app, 'certificate.issue')).slice(-2);
    expect(entries.map(({ details }) => [details['orderId'], details['certificateId']])).toContainEqual([
      third.orderId,
      certificate?.id,
    ]);
    expect(await clientIssuances(app)).toEqual([]);
  });

  test('continues the order with the CA that a failed one of its lineage has left', async () => {
    const { app, acme } = place;
    const { fqdn, finalize } = await newClient('acme');
    acme.script('authorization', { status: 429, problem: 'rateLimited' });
    await finalize();
    await app.recoverSigning();
    expect(await clientIssuances(app)).toMatchObject([{ state: 'failed' }]);
    const second = await finalize();
    await app.recoverSigning();
    expect(acme.orders).toHaveLength(1);
    expect(await storedCertificates(app, fqdn)).toMatchObject([{ csrId: second.csr.id }]);
  });

  test.each(providers)(
    'of %s that can do nothing for now is tried again while its client waits',
    async (_, kind) => {
      const { app, ca, acme } = place;
      const { fqdn, finalize } = await newClient(kind);
      const before = ca.ids.length;
      ca.answer('with a fault');
      acme.script('newOrder', { status: 503, problem: 'serverInternal' });
      const failed = (await failures()).length;
      const { csr } = await finalize();
      await app.recoverSigning();
      expect(await clientIssuances(app)).toMatchObject([{ state: 'queued', finishedAt: null }]);
      ca.answer('normally');
      await app.recoverSigning();
      expect(await storedCertificates(app, fqdn)).toEqual([]);
      app.clock.advance(5000);
      await app.recoverSigning();
      expect(await storedCertificates(app, fqdn)).toMatchObject([{ csrId: csr.id }]);
      expect([ca.ids.length - before, acme.csrs.length]).toEqual(kind === 'acme' ? [0, 1] : [1, 0]);
      expect((await failures()).length).toBe(failed);
    },
  );

  test.each(providers)(
    'of %s that can do nothing for a minute ends, with the reason of its CA',
    async (_, kind) => {
      const { app, ca, acme } = place;
      const { finalize } = await newClient(kind);
      ca.answer('with a fault');
      acme.script(
        'newOrder',
        ...Array.from({ length: 13 }, () => ({ status: 503, problem: 'serverInternal' })),
      );
      const failed = (await failures()).length;
      await finalize();
      for (let tries = 0; tries < 13; tries += 1) {
        await app.recoverSigning();
        app.clock.advance(5000);
      }
      expect((await failures()).length - failed).toBe(1);
      expect((await clientIssuances(app)).map(({ state }) => state)).toEqual(
        kind === 'acme' ? ['failed'] : [],
      );
    },
  );

  test.each(providers)(
    'of %s that refuses ends, and the audit log names client and account',
    async (_, kind) => {
      const { app, ca, acme } = place;
      const { fqdn, client, finalize } = await newClient(kind);
      ca.answer('with a refusal');
      acme.script('newOrder', { status: 403, problem: 'rejectedIdentifier', detail: 'not that name' });
      const { orderId } = await finalize();
      await app.recoverSigning();
      const { clientId, accountId, caller } = client;
      expect((await auditEntries(app, 'certificate.fail')).slice(-1)).toMatchObject([
        {
          username: caller.username,
          resourceId: fqdn.id,
          details: { fqdnId: fqdn.id, orderId, clientId, accountId },
        },
      ]);
      expect((await clientIssuances(app)).map(({ state }) => state)).toEqual(
        kind === 'acme' ? ['failed'] : [],
      );
    },
  );

  test.each(providers)(
    'of %s asks no CA once the policy forbids the name or the provider is disabled',
    async (_, kind) => {
      const { app, ca, acme } = place;
      const { fqdn, finalize } = await newClient(kind);
      const asked = () => countAsked(ca) + acme.orders.length;
      const before = asked();
      await finalize();
      await enable(app, { id: idOf(kind) }, false).expect(200);
      await app.recoverSigning();
      await enable(app, { id: idOf(kind) }).expect(200);
      await finalize();
      await app.request
        .put(`/spaces/${fqdn.spaceId}/issuance-policy`)
        .set(app.people.ada.auth)
        .send({
          allowedNames: {
            names: ['other.example.org'],
            suffixes: [],
            wildcards: false,
            cidrs: [],
            beyondFqdn: true,
          },
          confirmed: true,
        })
        .expect(200);
      await app.recoverSigning();
      expect(asked()).toBe(before);
      expect((await failures()).slice(-2)).toEqual([
        expect.stringContaining('disabled'),
        expect.stringContaining('policy'),
      ]);
    },
  );

  test.each(providers)('of %s goes with its FQDN while it is queued', async (_, kind) => {
    const { app } = place;
    const { fqdn, finalize } = await newClient(kind);
    await finalize();
    await app.request.delete(`/spaces/${fqdn.spaceId}/fqdns/${fqdn.id}`).set(app.people.ada.auth).expect(200);
    expect(await clientIssuances(app)).toEqual([]);
  });

  test.each(providers)(
    'of %s whose FQDN is deleted while the CA issues is named in the audit log',
    async (_, kind) => {
      const { app, ca } = place;
      const { fqdn, client, finalize } = await newClient(kind);
      const before = countAsked(ca);
      ca.answer('when let go');
      heldAt = 'finalized';
      const { orderId } = await finalize();
      await app.takeUpJobs();
      await until(() => countAsked(ca) > before || waiting.length > 0);
      await app.request
        .delete(`/spaces/${fqdn.spaceId}/fqdns/${fqdn.id}`)
        .set(app.people.ada.auth)
        .expect(200);
      letOn();
      await letGo(ca);
      await app.recoverSigning();
      const entries = (await auditEntries(app, 'certificate.issue')).filter(
        ({ resourceId, outcome }) => resourceId === fqdn.id && outcome === 'failure',
      );
      expect(entries).toMatchObject([{ username: client.caller.username }]);
      expect(orderId).toEqual(uuid);
      expect(await openIssuances()).toEqual([]);
    },
  );

  test.each(providers)('of %s is ended with its client as long as the CSR was not sent', async (_, kind) => {
    const { app, ca, acme } = place;
    const { fqdn, client, finalize } = await newClient(kind);
    const before = countAsked(ca) + acme.orders.length;
    const { orderId } = await finalize();
    const { clientId } = client;
    const now = app.clock.now();
    const ended = await app.database.transaction((tx) =>
      cancelClientIssuances(tx, { clientId }, { reason: supersededReason, now }),
    );
    expect(ended).toEqual([orderId]);
    await app.recoverSigning();
    expect([countAsked(ca) + acme.orders.length - before, await storedCertificates(app, fqdn)]).toEqual([
      0,
      [],
    ]);
  });

  test('whose answer was lost is asked for again, and its certificate is stored', async () => {
    const { app, ca } = place;
    const { fqdn, finalize } = await newClient('dummy-ca');
    const before = ca.ids.length;
    ca.answer('with the answer of a gateway');
    const { csr } = await finalize();
    await app.recoverSigning();
    expect(await clientIssuances(app)).toMatchObject([{ state: 'unknown' }]);
    ca.answer('normally');
    app.clock.advance(120_000);
    await app.recoverSigning();
    expect(ca.ids.length - before).toBe(1);
    expect(await storedCertificates(app, fqdn)).toMatchObject([{ csrId: csr.id, acmeClientId: uuid }]);
    expect(await clientIssuances(app)).toEqual([]);
  });

  test.each(providers)('of %s keeps the provider from being deleted while it is open', async (_, kind) => {
    const { app, ca, acme } = place;
    const { fqdn, finalize } = await newClient(kind);
    const config = kind === 'acme' ? orderingByHttp(acme) : { baseUrl: ca.url };
    const { id: providerId } = await createProvider(app, { name: `spare-${kind}`, kind, config });
    await finalize({ providerId });
    const remove = (status: number) =>
      app.request.delete(`/providers/${providerId}`).set(app.people.ada.auth).expect(status);
    expect((await remove(409)).body.code).toBe('provider_in_use');
    await app.request.delete(`/spaces/${fqdn.spaceId}/fqdns/${fqdn.id}`).set(app.people.ada.auth).expect(200);
    await remove(200);
  });
});

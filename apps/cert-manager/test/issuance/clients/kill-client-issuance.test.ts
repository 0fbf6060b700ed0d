import type { Fqdn } from '@certloop/contracts';
import { until } from '@certloop/contracts/testing';
import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { challengeTokens } from '../../../src/acme/acme-accounts.repository.js';
import { orderMoments } from '../../../src/acme/orders/order-steps.js';
import { type OrderingPlace, startOrdering } from '../../support/acme/ordering-place.js';
import { beginLife, deathOf } from '../../support/dying-process.js';
import {
  clientIssuances,
  finalizeOrder,
  newOrderingClient,
  storedCertificates,
} from '../../support/front/client-orders.js';
import { noteKilledOrder } from '../../support/front/kill-table.js';
import { addFqdn, addSpace } from '../../support/inventory.js';
import { clearInventory } from '../../support/renewals.js';
import { newCsr } from '../../support/signing.js';

const leaseMs = 60_000;

// `npm run kills:clients` kills at all moments; the tests at those where something is lost if it is not stored
const moments = process.env['CERTLOOP_CLIENT_KILLS'] === 'all' ? orderMoments : (['finalizing'] as const);

describeEachDialect('a process that is killed with the order of an ACME client', (open, dialect) => {
  let place: OrderingPlace;
  beforeAll(async () => {
    place = await startOrdering(open, { orders: { leaseMs } });
  });
  afterEach(async () => {
    place.acme.forget();
    await clearInventory(place.app);
  });
  afterAll(() => place.close());

  const newOrder = async (providerId: string) => {
    const { id } = await addSpace(place.app);
    const fqdn: Fqdn = await addFqdn(place.app, id, 'www.example.org');
    const client = newOrderingClient();
    const finalize = async (csrPem?: string) =>
      finalizeOrder(place.app, { client, fqdn, providerId, ...(csrPem !== undefined && { csrPem }) });
    return { fqdn, finalize };
  };
  const beginProcess = (more: { readonly deadly?: (typeof orderMoments)[number] }) =>
    beginLife({
      databaseUrl: place.app.databaseUrl,
      environment: place.environment,
      now: place.app.clock.now(),
      work: 'requests',
      ...more,
    });

  test.each(moments)(
    'at %s: one order with the CA, one certificate, also if the client orders again',
    async (deadly) => {
      const { app, acme, acmeId } = place;
      const { fqdn, finalize } = await newOrder(acmeId);
      const csrPem = await newCsr(fqdn.fqdn);
      const first = await finalize(csrPem);
      expect(await deathOf(beginProcess({ deadly }))).toBe('SIGKILL');
      // a process that lives may still be at work
      await app.recoverSigning();
      expect(await storedCertificates(app, fqdn)).toEqual([]);
      // the client has waited long enough, and begins anew with the same key
      const second = await finalize(csrPem);
      app.clock.advance(leaseMs);
      await app.recoverSigning();
      await app.recoverSigning();
      expect([acme.orders.length, acme.csrs.length]).toEqual([1, 1]);
      const [certificate, ...others] = await storedCertificates(app, fqdn);
      expect(others).toEqual([]);
      expect(certificate).toMatchObject({
        lineage: first.issuance.lineage,
        spkiSha256: first.csr.spkiSha256,
      });
      const ended = (await clientIssuances(app)).filter(({ orderId }) => orderId === second.orderId);
      expect(ended).toMatchObject([{ state: 'issued', certificateId: certificate?.id }]);
      expect(await app.database.read((tx) => tx.count(challengeTokens))).toBe(0);
      const asked = acme.orders.length;
      const stored = [certificate, ...others].length;
      noteKilledOrder({ dialect, ca: 'has orders', step: `issue, at ${deadly}`, asked, stored });
    },
  );

  test('while a CA without orders issues: one certificate, also if the client orders again', async () => {
    const { app, ca, providerId } = place;
    const { fqdn, finalize } = await newOrder(providerId);
    const csrPem = await newCsr(fqdn.fqdn);
    const { csr } = await finalize(csrPem);
    const before = ca.ids.length;
    ca.answer('with silence');
    const child = beginProcess({});
    await ca.hasIssued(before + 1);
    child.kill('SIGKILL');
    expect(await deathOf(child)).toBe('SIGKILL');
    ca.answer('normally');
    await finalize(csrPem);
    await app.takeUpJobs();
    expect(await storedCertificates(app, fqdn)).toEqual([]);
    app.clock.advance(leaseMs);
    await app.takeUpJobs();
    await until(async () => (await clientIssuances(app)).length === 0);
    expect(ca.ids.length - before).toBe(1);
    expect(await storedCertificates(app, fqdn)).toMatchObject([{ csrId: csr.id }]);
    const asked = ca.ids.length - before;
    const stored = (await storedCertificates(app, fqdn)).length;
    noteKilledOrder({ dialect, ca: 'signs', step: 'issue, before the CA has answered', asked, stored });
  });
});

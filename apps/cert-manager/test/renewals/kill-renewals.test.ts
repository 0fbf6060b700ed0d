import type { Fqdn } from '@certloop/contracts';
import { executeSql } from '@certloop/db';
import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { challengeTokens } from '../../src/acme/acme-accounts.repository.js';
import { type OrderMoment, orderMoments } from '../../src/acme/orders/order-steps.js';
import { hasSucceeded } from '../../src/renewals/heartbeat/run-report.js';
import { type RenewalStep, renewalSteps } from '../../src/renewals/queue/renew-certificate.service.js';
import { type OrderingPlace, startOrdering } from '../support/acme/ordering-place.js';
import { beginLife, deathOf, type Life } from '../support/dying-process.js';
import { addCsr, auditEntries } from '../support/inventory.js';
import {
  addTestRenewal,
  certificatesOf,
  clearInventory,
  entriesOf,
  issuedFqdn,
  moveToRenewal,
  openEntryOf,
  renewedFqdn,
  signWith,
} from '../support/renewals.js';
import { newCsr, providerOf } from '../support/signing.js';

const leaseMs = 120_000;

describeEachDialect('a process that is killed while it renews', (open) => {
  let place: OrderingPlace;
  beforeAll(async () => {
    place = await startOrdering(open, { renewals: { leaseMs } });
  });
  afterEach(() => clearInventory(place.app));
  afterAll(() => place.close());

  async function dieAt(deadly: NonNullable<Life['deadly']>): Promise<void> {
    const { app, environment } = place;
    const { databaseUrl, clock } = app;
    const child = beginLife({ databaseUrl, environment, now: clock.now(), work: 'renewals', deadly });
    expect(await deathOf(child)).toBe('SIGKILL');
  }

  async function renewUntilDeath(deadly: NonNullable<Life['deadly']>): Promise<void> {
    await dieAt(deadly);
    // no one takes it from a process that may be alive
    expect(await place.app.renew()).toMatchObject({ renewed: 0, lapsed: 0 });
    place.app.clock.advance(leaseMs);
    await place.app.renew();
  }

  async function expectRenewedAt(attempt: number, fqdn: Fqdn): Promise<void> {
    const certificates = await certificatesOf(place.app, fqdn);
    expect(certificates).toHaveLength(2);
    const entries = await entriesOf(place.app, fqdn);
    expect(entries.map((entry) => [entry.status, entry.attempt, entry.certificateId])).toEqual([
      ['completed', attempt, certificates[0]?.id],
      ['pending', 1, certificates[1]?.id],
    ]);
  }

  // number of the try that succeeds
  const tries: Readonly<Record<(typeof renewalSteps)[number], number>> = {
    claimed: 2,
    answered: 2,
    settled: 1,
  };

  test.each(renewalSteps)('by the dummy CA, at %s: one certificate is issued, and stored', async (step) => {
    const { app, ca } = place;
    const fqdn = await renewedFqdn(place);
    await moveToRenewal(app, fqdn);
    const before = ca.ids.length;
    await renewUntilDeath(step);
    expect(ca.ids.length - before).toBe(1);
    await expectRenewedAt(tries[step], fqdn);
  });

  test('by ACME, as a test whose certificate could not be fetched: a further attempt fetches it', async () => {
    const { app, acme } = place;
    const { id: providerId } = await providerOf(app, 'acme');
    const fqdn = await renewedFqdn(place);
    await signWith({ ...place, providerId }, fqdn);
    const before = acme.orders.length;
    await addTestRenewal(app, fqdn);
    acme.script('certificate', { status: 503 });
    expect(await app.renew()).toMatchObject({ renewed: 0, failed: [{}] });
    app.clock.advance(60_000);
    expect(await app.renew()).toMatchObject({ renewed: 1 });
    expect(acme.orders.length - before).toBe(1);
    expect(await certificatesOf(app, fqdn)).toHaveLength(3);
    const tests = (await entriesOf(app, fqdn)).filter(({ isTest }) => isTest);
    expect(tests.map(({ status, attempt }) => [status, attempt])).toEqual([
      ['failed', 1],
      ['completed', 2],
    ]);
  });

  test('by ACME, as a test of a name whose certificate expired long ago: fails no heartbeat while it is retried', async () => {
    const { app, acme } = place;
    const { id: providerId } = await providerOf(app, 'acme');
    const fqdn = await issuedFqdn(place);
    await signWith({ ...place, providerId }, fqdn);
    app.clock.advance(150 * 86_400_000);
    await addTestRenewal(app, fqdn);
    for (let attempt = 1; attempt <= 4; attempt += 1) {
      acme.script('certificate', { status: 503 });
      await moveToRenewal(app, fqdn);
      const report = await app.renew();
      expect(report).toMatchObject({ failed: [{ isLongExpired: false }], troubled: { count: 0 } });
      expect(hasSucceeded(report)).toBe(true);
    }
    expect(await openEntryOf(app, fqdn)).toMatchObject({ isTest: true, attempt: 5 });
  });

  test('by the dummy CA, after its response: its certificate is stored although another one was stored in the meantime', async () => {
    const { app, ca } = place;
    const fqdn = await renewedFqdn(place);
    await moveToRenewal(app, fqdn);
    const before = ca.ids.length;
    await dieAt('answered');
    // until then the renewal counts as running
    app.clock.advance(leaseMs);
    // the first call gets what was issued for the renewal
    await signWith(place, fqdn);
    await signWith(place, fqdn);
    await app.renew();
    expect(ca.ids.length - before).toBe(2);
    const pems = (await certificatesOf(app, fqdn)).map(({ pem }) => pem);
    expect([pems.length, new Set(pems).size]).toEqual([3, 3]);
    const entries = await entriesOf(app, fqdn);
    expect(entries.map(({ status, attempt }) => [status, attempt])).toEqual([
      ['completed', 2],
      ['pending', 1],
    ]);
  });

  test('by the dummy CA, after its response: a newer CSR is not signed under the key of the old request', async () => {
    const { app, ca } = place;
    const fqdn = await renewedFqdn(place);
    await moveToRenewal(app, fqdn);
    const before = ca.ids.length;
    await dieAt('answered');
    await addCsr(app, fqdn, await newCsr(fqdn.fqdn));
    app.clock.advance(leaseMs);
    await app.renew();
    expect(ca.ids.length - before).toBe(2);
    expect(await certificatesOf(app, fqdn)).toHaveLength(2);
    expect(await auditEntries(app, 'certificate.issue')).toMatchObject([
      {
        outcome: 'failure',
        resourceId: fqdn.id,
        details: { fqdn: fqdn.fqdn, reason: expect.stringContaining('another CSR was uploaded') },
      },
    ]);
  });

  test('by ACME, after it was given up: the audit log names what the CA may have issued', async () => {
    const { app, acme } = place;
    const { id: providerId } = await providerOf(app, 'acme');
    const fqdn = await renewedFqdn({ ...place, providerId });
    await moveToRenewal(app, fqdn);
    acme.forget();
    await dieAt('finalized');
    await app.request.delete('/csrs?confirm=true').set(app.people.ada.auth).expect(200);
    app.clock.advance(leaseMs);
    await dieAt('given_up');
    const entries = await auditEntries(app, 'certificate.issue');
    expect(entries.filter(({ resourceId }) => resourceId === fqdn.id)).toEqual([
      expect.objectContaining({
        outcome: 'failure',
        details: expect.objectContaining({
          fqdn: fqdn.fqdn,
          providerId,
          reason: expect.stringContaining('may have been issued'),
        }),
      }),
    ]);
    expect(acme.csrs).toHaveLength(1);
  });

  describe('by ACME', () => {
    const points: readonly (RenewalStep | OrderMoment)[] = [...orderMoments, ...renewalSteps];
    test.each(points)('at %s: one order, one certificate', async (point) => {
      const { app, acme } = place;
      const { id: providerId } = await providerOf(app, 'acme');
      const fqdn = await renewedFqdn({ ...place, providerId });
      await moveToRenewal(app, fqdn);
      acme.forget();
      // the CA numbers its orders from one again, which no request may hold
      await app.database.transaction((tx) => executeSql(tx, 'delete from issuances'));
      await renewUntilDeath(point);
      expect([acme.orders.length, acme.csrs.length]).toEqual([1, 1]);
      await expectRenewedAt(point === 'settled' ? 1 : 2, fqdn);
      expect(await app.database.read((tx) => tx.count(challengeTokens))).toBe(0);
    });
  });
});

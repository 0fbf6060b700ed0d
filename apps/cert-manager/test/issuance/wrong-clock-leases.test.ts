import type { Fqdn } from '@certloop/contracts';
import { until } from '@certloop/contracts/testing';
import { describeEachDialect } from '@certloop/db/testing';
import { createMovableClock } from '@certloop/server';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { OrderMoment } from '../../src/acme/orders/order-steps.js';
import { issuances } from '../../src/issuance/signing/issuances.repository.js';
import { type OrderingPlace, startOrdering } from '../support/acme/ordering-place.js';
import { startAppOn, type TestApp } from '../support/app.js';
import { callSign, countAsked, letGo } from '../support/cas/concurrent-signing.js';
import { beginLife, deathOf } from '../support/dying-process.js';
import { auditEntries } from '../support/inventory.js';
import {
  certificatesOf,
  clearInventory,
  entriesOf,
  moveToRenewal,
  openEntryOf,
  renewedFqdn,
  switchRenewal,
} from '../support/renewals.js';
import { countOpenRequests, fqdnWithCsr } from '../support/signing.js';

const minute = 60_000;
const day = 1440 * minute;
// RENEWAL_LEASE_SECONDS
const leaseMs = 2 * minute;

describeEachDialect('a request for a certificate and a wrong clock:', (open) => {
  let place: OrderingPlace;
  const others: TestApp[] = [];
  let atMoment: ((moment: OrderMoment) => Promise<void>) | undefined;
  beforeAll(async () => {
    place = await startOrdering(open, {});
  });
  beforeEach(async () => {
    await place.app.database.transaction((tx) => tx.clear(issuances));
    place.acme.forget();
    atMoment = undefined;
  });
  afterEach(async () => {
    await letGo(place.ca);
    for (const other of others.splice(0)) await other.close();
    await clearInventory(place.app);
  });
  afterAll(() => place.close());

  /** Another process, whose clock differs. */
  async function startApart(ms: number): Promise<TestApp> {
    const { app, environment } = place;
    const clock = createMovableClock(new Date(app.clock.now().getTime() + ms));
    const orders = {
      pause: async () => undefined,
      atMoment: async (moment: OrderMoment) => void (await atMoment?.(moment)),
    };
    const beside = { clock, people: app.people };
    const other = await startAppOn(app.database, { beside, environment, orders });
    others.push(other);
    return other;
  }

  const byDirect = async () => {
    const fqdn = await renewedFqdn(place);
    await moveToRenewal(place.app, fqdn);
    return fqdn;
  };
  const byOrder = async () => {
    const { app, acme, acmeId: providerId } = place;
    const { fqdn } = await fqdnWithCsr(app);
    expect((await callSign({ app, fqdn, providerId })).body.success).toBe(true);
    await switchRenewal(app, fqdn, true);
    await moveToRenewal(app, fqdn);
    await app.database.transaction((tx) => tx.clear(issuances));
    acme.forget();
    return fqdn;
  };
  const leaseOf = async ({ id: fqdnId }: Fqdn) => {
    const [row] = await place.app.database.read((tx) => tx.findBy(issuances, { fqdnId, state: 'running' }));
    return Number(row?.leaseUntil) - place.app.clock.now().getTime();
  };
  /** Expects that the FQDN was renewed once, and is planned again. */
  async function expectRenewed(fqdn: Fqdn): Promise<void> {
    const stored = await certificatesOf(place.app, fqdn);
    expect(stored).toHaveLength(2);
    const entries = await entriesOf(place.app, fqdn);
    expect(entries.map(({ status }) => status)).toEqual(['completed', 'pending']);
    expect(entries[1]).toMatchObject({ certificateId: stored[1]?.id, attempt: 1 });
    expect(await place.app.database.read((tx) => tx.count(issuances))).toBe(0);
  }

  describe('the lease of a renewal whose process died, with its clock a day ahead,', () => {
    /** Another process begins to renew, and is killed. */
    async function die(deadly?: OrderMoment): Promise<void> {
      const { app, ca, environment } = place;
      const { databaseUrl } = app;
      const now = new Date(app.clock.now().getTime() + day);
      const life = { databaseUrl, environment, now, work: 'renewals' } as const;
      const before = countAsked(ca);
      if (deadly === undefined) ca.answer('when let go');
      const child = beginLife(deadly === undefined ? life : { ...life, deadly });
      if (deadly === undefined) {
        await until(() => countAsked(ca) > before);
        child.kill('SIGKILL');
      }
      expect(await deathOf(child)).toBe('SIGKILL');
      // the CA issues, but its answer reaches no one
      await letGo(ca);
    }
    /** What the clock job does within a minute; the FQDN is free when a lease has passed since then. */
    async function pullBack(fqdn: Fqdn): Promise<void> {
      expect(await leaseOf(fqdn)).toBeGreaterThan(day);
      await place.app.pullBack();
      expect(await leaseOf(fqdn)).toBe(leaseMs);
      place.app.clock.advance(leaseMs - 1);
      expect(await place.app.renew()).toMatchObject({ lapsed: 0, renewed: 0 });
      place.app.clock.advance(1);
    }

    test('holds for a lease from now, and the renewal gets the certificate that was issued', async () => {
      const { app, ca } = place;
      const fqdn = await byDirect();
      const before = ca.ids.length;
      await die();
      await pullBack(fqdn);
      expect(await app.renew()).toMatchObject({ lapsed: 1, renewed: 1, failed: [] });
      expect(ca.ids.length - before).toBe(1);
      await expectRenewed(fqdn);
    });

    test('holds for a lease from now, and a call of csr/sign gets the certificate that was issued', async () => {
      const { app, ca, providerId } = place;
      const fqdn = await byDirect();
      const before = ca.ids.length;
      await die();
      const early = await callSign({ app, fqdn, providerId, waitSeconds: 0 });
      expect(early.body.success).toBe(false);
      await pullBack(fqdn);
      const { body } = await callSign({ app, fqdn, providerId });
      expect([body.success, ca.ids.length - before]).toEqual([true, 1]);
      await app.renew();
      expect(ca.ids.length - before).toBe(1);
      expect((await certificatesOf(app, fqdn)).map(({ pem }) => pem)[1]).toBe(body.certificate);
    });

    test.each(['order_stored', 'finalizing', 'finalized'] as const)(
      'holds for a lease from now, and its order is continued after %s',
      async (moment) => {
        const { app, acme } = place;
        const fqdn = await byOrder();
        await die(moment);
        await pullBack(fqdn);
        expect(await app.renew()).toMatchObject({ lapsed: 1, renewed: 1, failed: [] });
        expect([acme.orders.length, acme.csrs.length]).toEqual([1, 1]);
        await expectRenewed(fqdn);
      },
    );
  });

  describe.each([
    ['a day behind', -day],
    ['a day ahead', day],
  ])('a renewal that is running while the clock of one of two processes is %s', (_, apartMs) => {
    /** The process that begins, and the one that considers its lease as expired. */
    async function startBoth(): Promise<{ readonly first: TestApp; readonly second: TestApp }> {
      // due for either clock
      place.app.clock.advance(2 * day);
      const other = await startApart(apartMs);
      return apartMs < 0 ? { first: other, second: place.app } : { first: place.app, second: other };
    }

    test('leads to one certificate if both renew', async () => {
      const { ca } = place;
      const fqdn = await byDirect();
      const { first, second } = await startBoth();
      const [before, asked] = [ca.ids.length, countAsked(ca)];
      ca.answer('when let go');
      const runs = [first.renew()];
      await until(() => countAsked(ca) === asked + 1);
      runs.push(second.renew());
      await until(() => countAsked(ca) === asked + 2);
      await letGo(ca);
      const reports = await Promise.all(runs);
      expect(reports.flatMap(({ failed }) => failed)).toEqual([]);
      expect(reports.map(({ broken }) => broken)).toEqual([0, 0]);
      expect(ca.ids.length - before).toBe(1);
      await expectRenewed(fqdn);
    });

    test('leads to one certificate if the other one is called', async () => {
      const { ca, providerId } = place;
      const fqdn = await byDirect();
      const { first, second } = await startBoth();
      const [before, asked] = [ca.ids.length, countAsked(ca)];
      ca.answer('when let go');
      const run = first.renew();
      await until(() => countAsked(ca) === asked + 1);
      const call = callSign({ app: second, fqdn, providerId });
      await until(() => countAsked(ca) === asked + 2);
      await letGo(ca);
      const { body } = await call;
      // if its clock is behind, it does not accept the certificate, which is not valid yet
      expect((await run).broken).toBe(0);
      expect(ca.ids.length - before).toBe(1);
      const [, renewed, ...more] = await certificatesOf(place.app, fqdn);
      expect([body.success, renewed?.pem, more]).toEqual([true, body.certificate, []]);
      expect(await openEntryOf(place.app, fqdn)).toMatchObject({ certificateId: renewed?.id, attempt: 1 });
    });
  });

  test.each(['order_stored', 'proofs_stored', 'answered'] as const)(
    'a renewal that is running in a process whose clock is a day behind: its order is continued once after %s',
    async (point) => {
      const { app, acme } = place;
      const fqdn = await byOrder();
      app.clock.advance(2 * day);
      const behind = await startApart(-day);
      let go = () => {};
      const released = new Promise<void>((resolve) => {
        go = resolve;
      });
      let isHeld = false;
      atMoment = async (moment) => {
        if (moment !== point) return;
        isHeld = true;
        await released;
      };
      const run = behind.renew();
      await until(() => isHeld);
      expect(await app.renew()).toMatchObject({ lapsed: 1, renewed: 1, failed: [] });
      go();
      expect(await run).toMatchObject({ renewed: 0, failed: [], broken: 0 });
      expect([acme.orders.length, acme.csrs.length]).toEqual([1, 1]);
      await expectRenewed(fqdn);
    },
  );

  describe('a call whose answer was lost while the clock of its process was', () => {
    /** The CA issues for a call of the other process, whose answer is lost. */
    async function lose(apartMs: number): Promise<Fqdn> {
      const { app, ca, providerId } = place;
      const { fqdn } = await fqdnWithCsr(app);
      const apart = await startApart(apartMs);
      ca.answer('with the answer of a gateway');
      expect((await callSign({ app: apart, fqdn, providerId })).body.success).toBe(false);
      expect(await countOpenRequests(app)).toBe(1);
      ca.answer('normally');
      return fqdn;
    }
    async function expectGivenUp({ id }: Fqdn): Promise<void> {
      const asked = countAsked(place.ca);
      await place.app.recoverSigning();
      expect([countAsked(place.ca) - asked, await countOpenRequests(place.app)]).toEqual([0, 0]);
      const entries = await auditEntries(place.app, 'certificate.issue');
      expect(entries.filter(({ resourceId }) => resourceId === id)).toMatchObject([
        { details: { reason: expect.stringContaining('no certificate for a day') } },
      ]);
    }

    test('a day ahead: its CA is not asked when it has forgotten what it issued', async () => {
      const { app } = place;
      const fqdn = await lose(day);
      await app.pullBack();
      app.clock.advance(day + 2 * minute);
      await expectGivenUp(fqdn);
    });

    test('a day ahead: the certificate is stored if its CA answers within a day', async () => {
      const { app, ca } = place;
      const before = ca.ids.length;
      const fqdn = await lose(day);
      await app.pullBack();
      app.clock.advance(minute);
      await app.recoverSigning();
      expect([await countOpenRequests(app), ca.ids.length - before]).toEqual([0, 1]);
      expect(await certificatesOf(app, fqdn)).toHaveLength(1);
    });

    test('a day behind: its certificate is that of the next call', async () => {
      const { app, ca, providerId } = place;
      const before = ca.ids.length;
      const fqdn = await lose(-day - minute);
      await expectGivenUp(fqdn);
      expect((await callSign({ app, fqdn, providerId })).body.success).toBe(true);
      expect([ca.ids.length - before, (await certificatesOf(app, fqdn)).length]).toEqual([1, 1]);
    });
  });
});

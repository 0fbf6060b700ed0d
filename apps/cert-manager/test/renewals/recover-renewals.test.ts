import type { Fqdn } from '@certloop/contracts';
import { describeEachDialect } from '@certloop/db/testing';
import { createLogger } from '@certloop/server';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createEmit } from '../../src/changes/reactions.service.js';
import { listIssuances } from '../../src/issuance/signing/issuances.repository.js';
import {
  createDummyCaMemory,
  createDummyCaProvider,
} from '../../src/providers/dummy-ca/dummy-ca.provider.js';
import { dummyCaConfigSchema } from '../../src/providers/dummy-ca/dummy-ca-config.js';
import { createOutgoing } from '../../src/providers/outgoing.client.js';
import type { OrderProgress, OrderState, Provider } from '../../src/providers/provider.js';
import { renewalSteps } from '../../src/renewals/queue/renew-certificate.service.js';
import { createRenewalRunner } from '../../src/renewals/queue/run-due-renewals.service.js';
import {
  certificatesOf,
  clearInventory,
  entriesOf,
  moveToRenewal,
  openEntryOf,
  type RenewalPlace,
  renewedFqdn,
  startRenewing,
  storedRenewals,
} from '../support/renewals.js';

const leaseMs = 120_000;

/** Error that simulates the death of the process in the running renewal. */
class Death extends Error {}

describeEachDialect('a process that dies while it renews', (open) => {
  let place: RenewalPlace;
  let deadlyStep: string | undefined;
  beforeAll(async () => {
    place = await startRenewing(open, { renewals: { atStep: async (step) => dieAt(step), leaseMs } });
  });
  beforeEach(() => {
    deadlyStep = undefined;
  });
  afterEach(async () => {
    place.ca.answer('normally');
    await clearInventory(place.app);
  });
  afterAll(() => place.close());

  /** Throws once, at the chosen step. */
  function dieAt(step: string): void {
    if (step !== deadlyStep) return;
    deadlyStep = undefined;
    throw new Death(step);
  }

  const signatures = () => place.ca.ids.length;

  async function expectRenewedOnce(fqdn: Fqdn, attempt: number): Promise<void> {
    const { app } = place;
    const certificates = await certificatesOf(app, fqdn);
    expect(certificates).toHaveLength(2);
    const entries = await entriesOf(app, fqdn);
    expect(entries.map((entry) => [entry.status, entry.attempt])).toEqual([
      ['completed', attempt],
      ['pending', 1],
    ]);
    expect(entries[1]?.certificateId).toBe(certificates[1]?.id);
    const asked = (await storedRenewals(app.database, fqdn.id)).map(({ issuanceId }) => issuanceId);
    expect(asked).toEqual([null, null]);
  }

  describe('by one call to the CA, such as the dummy CA', () => {
    // step at which the process dies → total signatures by the CA, total attempts
    const table: Readonly<Record<(typeof renewalSteps)[number], readonly [number, number]>> = {
      claimed: [1, 2],
      // for the same idempotency key, the CA returns the same certificate
      answered: [1, 2],
      settled: [1, 1],
    };
    test.each(renewalSteps.map((step) => [step, ...table[step]] as const))(
      'after %s: the CA signs %i time(s), one certificate is stored, at try %i',
      async (step, signed, attempt) => {
        const { app } = place;
        const fqdn = await renewedFqdn(place);
        await moveToRenewal(app, fqdn);
        const before = signatures();
        deadlyStep = step;
        expect(await app.renew()).toMatchObject({ broken: 1, renewed: 0 });

        const isSettled = step === 'settled';
        app.clock.advance(leaseMs - 1);
        expect(await app.renew()).toMatchObject({ broken: 0, renewed: 0, lapsed: 0 });
        app.clock.advance(1);
        const lapses = isSettled ? { lapsed: 0, renewed: 0 } : { lapsed: 1, renewed: 1 };
        expect(await app.renew()).toMatchObject(lapses);
        expect(signatures() - before).toBe(signed);
        await expectRenewedOnce(fqdn, attempt);
      },
    );

    test('stays in the queue, and shows why it was retried', async () => {
      const { app } = place;
      const fqdn = await renewedFqdn(place);
      await moveToRenewal(app, fqdn);
      deadlyStep = 'claimed';
      await app.renew();
      expect((await openEntryOf(app, fqdn)).status).toBe('processing');
      app.clock.advance(leaseMs);
      deadlyStep = 'claimed';
      await app.renew();
      expect(await openEntryOf(app, fqdn)).toMatchObject({
        status: 'processing',
        attempt: 2,
        reason: 'lease_expired',
      });
      expect(app.logged().find(({ event }) => event === 'renewal.lease_expired')).toBeDefined();
      app.clock.advance(leaseMs);
      await app.renew();
      app.clock.advance(60_000);
      await app.renew();
      await expectRenewedOnce(fqdn, 3);
    });

    test('waits longer after each further death', async () => {
      const { app } = place;
      const fqdn = await renewedFqdn(place);
      await moveToRenewal(app, fqdn);
      const dieNext = async () => {
        deadlyStep = 'claimed';
        expect(await app.renew()).toMatchObject({ broken: 1 });
        app.clock.advance(leaseMs);
      };
      await dieNext();
      // taken over at once the first time
      await dieNext();
      for (const minutes of [1, 10, 100]) {
        expect(await app.renew()).toMatchObject({ lapsed: 1, broken: 0, renewed: 0 });
        const { scheduledAt } = await openEntryOf(app, fqdn);
        expect(Date.parse(scheduledAt) - app.clock.now().getTime()).toBe(minutes * 60_000);
        app.clock.set(new Date(scheduledAt));
        if (minutes < 100) await dieNext();
      }
      await app.renew();
      expect(await certificatesOf(app, fqdn)).toHaveLength(2);
    });
  });

  /** A CA with orders like ACME: an order has a URL, and returns its certificate any number of times. */
  describe('by an order with a URL, as in ACME', () => {
    const orderSteps = ['ordered', 'stored', 'finalized', 'downloaded', 'storing'] as const;
    let orders: Map<string, { readonly certificatePem: string } | undefined>;
    let issuances: number;

    const orderProvider = (signer: Provider): Provider => ({
      ...signer,
      sign: async (csrPem, progress) => {
        if (progress === undefined) throw new Error('no place to keep the order');
        const address = await addressOf(progress);
        const done = orders.get(address);
        if (done === undefined) {
          const signed = await signer.sign(csrPem);
          if (!signed.isSigned) return signed;
          issuances += 1;
          orders.set(address, { certificatePem: signed.certificatePem });
          dieAt('finalized');
        }
        const { certificatePem = '' } = orders.get(address) ?? {};
        dieAt('downloaded');
        return { isSigned: true, certificatePem, upstreamId: address };
      },
    });

    async function addressOf({ stored, store }: OrderProgress): Promise<string> {
      const known = (stored as OrderState | undefined)?.['address'];
      if (typeof known === 'string') return known;
      const address = `order/${orders.size + 1}`;
      orders.set(address, undefined);
      dieAt('ordered');
      await store({ address });
      dieAt('stored');
      return address;
    }

    /** Requests certificates by orders, or by one call. */
    function startRunner(by: 'orders' | 'one call' = 'orders') {
      const { database: db, clock } = place.app;
      const config = dummyCaConfigSchema.parse({ baseUrl: place.ca.url, validityDays: 30 });
      const outgoing = createOutgoing({ trusted: [place.ca.url] });
      const signer = createDummyCaProvider(config, { outgoing, memory: createDummyCaMemory(), clock });
      const emit = createEmit({ clock, notices: undefined, watch: undefined });
      return createRenewalRunner({
        db,
        clock,
        logger: createLogger({ service: 'cert-manager', level: 'silent' }),
        opener: {
          open: () => signer,
          openForSigning: () => (by === 'orders' ? orderProvider(signer) : signer),
        },
        emit: {
          ...emit,
          certificateStored: async (...stored) => {
            await emit.certificateStored(...stored);
            dieAt('storing');
          },
        },
        leaseMs,
        concurrency: 2,
        budgetMs: 10_000,
        stopping: new AbortController().signal,
        atStep: async (step) => dieAt(step),
      });
    }

    test.each([...orderSteps, ...renewalSteps])(
      'after %s: one certificate is issued, and stored',
      async (step) => {
        orders = new Map();
        issuances = 0;
        const { app } = place;
        const fqdn = await renewedFqdn(place);
        await moveToRenewal(app, fqdn);
        deadlyStep = step;
        const first = startRunner();
        expect(await first.run()).toMatchObject({ broken: 1 });
        await first.stop();
        app.clock.advance(leaseMs);
        const second = startRunner();
        await second.run();
        await second.stop();
        expect(deadlyStep).toBeUndefined();
        expect(issuances).toBe(1);
        // an order whose URL was lost gets no certificate
        expect(orders.size).toBe(step === 'ordered' ? 2 : 1);
        await expectRenewedOnce(fqdn, step === 'settled' ? 1 : 2);
      },
    );

    test('records a certificate that could not be stored, and requests no second one', async () => {
      const { app } = place;
      const fqdn = await renewedFqdn(place);
      await moveToRenewal(app, fqdn);
      const before = signatures();
      deadlyStep = 'storing';
      const runner = startRunner('one call');
      expect(await runner.run()).toMatchObject({ broken: 1 });
      const [row] = await storedRenewals(app.database, fqdn.id);
      expect(row?.status).toBe('processing');
      expect(await app.database.read((tx) => listIssuances(tx, [row?.issuanceId ?? '']))).toMatchObject([
        { issued: { upstreamId: expect.any(String) } },
      ]);
      expect(await certificatesOf(app, fqdn)).toHaveLength(1);
      app.clock.advance(leaseMs);
      expect(await runner.run()).toMatchObject({ renewed: 1 });
      await runner.stop();
      expect(signatures() - before).toBe(1);
      await expectRenewedOnce(fqdn, 2);
    });

    test('continues a failed order in the next attempt if the provider still has it', async () => {
      orders = new Map();
      issuances = 0;
      const { app, ca } = place;
      const fqdn = await renewedFqdn(place);
      await moveToRenewal(app, fqdn);
      const runner = startRunner();
      ca.answer('with a fault');
      expect((await runner.run()).failed).toHaveLength(1);
      ca.answer('normally');
      await moveToRenewal(app, fqdn);
      expect(await runner.run()).toMatchObject({ renewed: 1 });
      await runner.stop();
      expect([orders.size, issuances]).toEqual([1, 1]);
    });
  });
});

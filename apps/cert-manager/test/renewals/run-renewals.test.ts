import { randomUUID } from 'node:crypto';
import type { Fqdn } from '@certloop/contracts';
import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { builtInCaller, builtInUserIds, internalOrigin } from '../../src/access/caller.js';
import { listCsrsOfFqdn } from '../../src/csrs/csrs.repository.js';
import {
  type IssuanceJobRow,
  insertJob,
  updateJob,
} from '../../src/issuance/jobs/issuance-jobs.repository.js';
import { jobCallerOf } from '../../src/issuance/jobs/job-audit.js';
import { updateProvider } from '../../src/providers/providers.repository.js';
import { type RenewalStep, renewalSteps } from '../../src/renewals/queue/renew-certificate.service.js';
import { addCsr, auditEntries } from '../support/inventory.js';
import {
  addTestRenewal,
  certificatesOf,
  clearInventory,
  entriesOf,
  issuedFqdn,
  moveToRenewal,
  openEntryOf,
  queueOf,
  type RenewalPlace,
  renewedFqdn,
  signWith,
  startRenewing,
  switchRenewal,
} from '../support/renewals.js';
import { configure, enable, newCsr } from '../support/signing.js';

const minute = 60_000;
const day = 1440 * minute;
const quiet = {
  renewed: 0,
  failed: [],
  broken: 0,
  lapsed: 0,
  obstacles: [],
  troubled: { count: 0, first: undefined },
  forbidden: { count: 0, first: undefined },
  isDone: true,
};

describeEachDialect('a run of the renewal queue', (open) => {
  let place: RenewalPlace;
  const steps: RenewalStep[] = [];
  beforeAll(async () => {
    const atStep = async (step: RenewalStep) => void steps.push(step);
    place = await startRenewing(open, { renewals: { atStep } });
  });
  afterEach(async () => {
    const { app, ca, providerId } = place;
    ca.answer('normally');
    await configure(app, { id: providerId }, { baseUrl: ca.url, validityDays: 30 }).expect(200);
    await enable(app, { id: providerId }).expect(200);
    await clearInventory(app);
  });
  afterAll(() => place.close());

  const signatures = () => place.ca.paths.filter((path) => path === '/csr').length;
  const inMinutes = (count: number) =>
    new Date(place.app.clock.now().getTime() + count * minute).toISOString();

  test('does nothing before an entry is due', async () => {
    const fqdn = await renewedFqdn(place);
    await moveToRenewal(place.app, fqdn);
    place.app.clock.advance(-1000);
    expect(await place.app.renew()).toEqual(quiet);
    expect(await certificatesOf(place.app, fqdn)).toHaveLength(1);
  });

  test('renews what is due, and plans the next renewal', async () => {
    const { app } = place;
    const fqdn = await renewedFqdn(place);
    const [old] = await certificatesOf(app, fqdn);
    await moveToRenewal(app, fqdn);
    expect(await app.renew()).toEqual({ ...quiet, renewed: 1 });

    const [, renewed, ...others] = await certificatesOf(app, fqdn);
    expect(others).toEqual([]);
    expect(renewed?.pem).not.toBe(old?.pem);
    const [done, next] = await entriesOf(app, fqdn);
    expect(done).toMatchObject({ status: 'completed', certificateId: old?.id, attempt: 1 });
    expect(next).toMatchObject({ status: 'pending', certificateId: renewed?.id, attempt: 1 });
    expect(Date.parse(next?.scheduledAt ?? '')).toBeGreaterThan(app.clock.now().getTime() + 19 * day);
    expect((await auditEntries(app, 'certificate.renew')).at(-1)).toMatchObject({
      resourceType: 'certificate',
      resourceId: renewed?.id,
      spaceId: fqdn.spaceId,
      userId: builtInUserIds.scheduler,
      username: 'scheduler',
      details: { fqdn: fqdn.fqdn, entryId: done?.id, previous: old?.id, actor: { kind: 'scheduler' } },
    });
  });

  describe('a renewal that fails', () => {
    test('is retried after 1, 10 and 100 minutes, with a new entry for each attempt', async () => {
      const { app, ca } = place;
      const fqdn = await renewedFqdn(place);
      await moveToRenewal(app, fqdn);
      ca.answer('with a fault');
      for (const wait of [1, 10, 100]) {
        const before = await openEntryOf(app, fqdn);
        const report = await app.renew();
        expect(report.failed).toMatchObject([
          { fqdn: fqdn.fqdn, reason: 'the CA failed: signing failed', isLongExpired: false },
        ]);
        const next = await openEntryOf(app, fqdn);
        expect(next).toMatchObject({
          scheduledAt: inMinutes(wait),
          attempt: (before.attempt ?? 0) + 1,
          retryOf: before.id,
        });
        app.clock.set(new Date(next.scheduledAt));
      }
      const listed = await queueOf(app, { spaceId: fqdn.spaceId, status: 'pending', include: 'fqdn' });
      expect(listed).toMatchObject([{ attempt: 4, lastError: 'the CA failed: signing failed' }]);
      ca.answer('normally');
      expect(await app.renew()).toMatchObject({ renewed: 1, failed: [] });
      const entries = await entriesOf(app, fqdn);
      expect(entries.map(({ status, attempt, reason }) => [status, attempt, reason])).toEqual([
        ['failed', 1, 'the CA failed: signing failed'],
        ['failed', 2, 'the CA failed: signing failed'],
        ['failed', 3, 'the CA failed: signing failed'],
        ['completed', 4, undefined],
        ['pending', 1, undefined],
      ]);
      expect(await certificatesOf(app, fqdn)).toHaveLength(2);
    });

    test('leaves an audit entry and a line in the log', async () => {
      const { app, ca } = place;
      const fqdn = await renewedFqdn(place);
      const [{ id: certificateId = '' } = {}] = await certificatesOf(app, fqdn);
      await moveToRenewal(app, fqdn);
      ca.answer('by a foreign root');
      await app.renew();
      const reason = expect.stringMatching(
        /^the certificate does not chain to the CA's root: no issuer is known/,
      );
      expect((await auditEntries(app, 'certificate.fail')).at(-1)).toMatchObject({
        resourceId: certificateId,
        outcome: 'failure',
        details: { reason, attempt: 1, next: inMinutes(1) },
      });
      expect(app.logged().at(-1)).toMatchObject({ event: 'renewal.failed', reason });
    });

    test('is reported as troubled after the third failure', async () => {
      const { app, ca } = place;
      const fqdn = await renewedFqdn(place, 'trouble.example.org');
      await moveToRenewal(app, fqdn);
      ca.answer('with a fault');
      for (const count of [0, 0, 1]) {
        const first = count === 0 ? undefined : 'trouble.example.org';
        expect((await app.renew()).troubled).toEqual({ count, first });
        await moveToRenewal(app, fqdn);
      }
      ca.answer('normally');
      expect((await app.renew()).troubled).toEqual({ count: 0, first: undefined });
    });

    test('is retried daily when the CA rejects the CSR, and at once with a new CSR', async () => {
      const { app, ca } = place;
      const fqdn = await renewedFqdn(place);
      await moveToRenewal(app, fqdn);
      ca.answer('with a refusal');
      await app.renew();
      expect((await openEntryOf(app, fqdn)).scheduledAt).toBe(inMinutes(1440));
      ca.answer('normally');
      await addCsr(app, fqdn, await newCsr(fqdn.fqdn));
      expect((await openEntryOf(app, fqdn)).scheduledAt).toBe(inMinutes(0));
      expect(await app.renew()).toMatchObject({ renewed: 1 });
    });

    test('is retried when the CA requests it', async () => {
      const { app, ca } = place;
      const fqdn = await renewedFqdn(place);
      await moveToRenewal(app, fqdn);
      ca.answer('with a demand to wait');
      await app.renew();
      expect(await openEntryOf(app, fqdn)).toMatchObject({ attempt: 2, scheduledAt: inMinutes(120) });
    });

    test('is retried daily from 30 days after the expiry, with an error in the log', async () => {
      const { app, ca } = place;
      const fqdn = await renewedFqdn(place);
      const [certificate] = await certificatesOf(app, fqdn);
      await moveToRenewal(app, fqdn);
      ca.answer('with a fault');
      const late = () => app.clock.now().getTime() - Date.parse(certificate?.expiresAt ?? '');
      let report = await app.renew();
      while (late() <= 32 * day) {
        expect(report.failed.some(({ isLongExpired }) => isLongExpired)).toBe(late() > 30 * day);
        const before = app.clock.now().getTime();
        await moveToRenewal(app, fqdn);
        expect(app.clock.now().getTime() - before).toBeLessThanOrEqual(day);
        report = await app.renew();
      }
      expect(app.logged().at(-1)).toMatchObject({ event: 'renewal.long_expired', fqdn: fqdn.fqdn });
      ca.answer('normally');
      await moveToRenewal(app, fqdn);
      expect(await app.renew()).toMatchObject({ renewed: 1 });
    });
  });

  describe('waits for a provider', () => {
    test.each([
      [
        'that is disabled',
        () => enable(place.app, { id: place.providerId }, false).expect(200),
        'provider is disabled: dummy-ca; an administrator enables it by PUT /providers/{id}/enabled or by certloop providers enable dummy-ca',
      ],
      [
        'whose configuration is gone',
        () => place.app.database.transaction((tx) => updateProvider(tx, place.providerId, { config: null })),
        'provider dummy-ca is not configured: baseUrl is missing; an administrator sets it by PUT /providers/{id}/config',
      ],
    ])('%s: the entry stays pending and says why', async (_, spoil, reason) => {
      const { app, ca, providerId } = place;
      const fqdn = await renewedFqdn(place);
      await moveToRenewal(app, fqdn);
      const before = await openEntryOf(app, fqdn);
      await spoil();
      const asked = signatures();
      expect(await app.renew()).toEqual({ ...quiet, obstacles: [reason] });
      expect(signatures()).toBe(asked);
      expect(await entriesOf(app, fqdn)).toEqual([{ ...before, reason }]);
      await configure(app, { id: providerId }, { baseUrl: ca.url, validityDays: 30 }).expect(200);
      await enable(app, { id: providerId }).expect(200);
      expect(await app.renew()).toEqual({ ...quiet, renewed: 1 });
    });
  });

  test('waits while a request for the FQDN is under way', async () => {
    const { app, providerId } = place;
    const { database, clock } = app;
    const fqdn = await renewedFqdn(place);
    const [csr] = await database.read((tx) => listCsrsOfFqdn(tx, fqdn.id));
    await moveToRenewal(app, fqdn);
    const job: IssuanceJobRow = {
      id: randomUUID(),
      fqdnId: fqdn.id,
      spaceId: fqdn.spaceId,
      csrId: csr?.id ?? '',
      providerId,
      kind: 'request',
      status: 'running',
      caller: jobCallerOf(builtInCaller('cli', internalOrigin('test'))),
      steps: {},
      orderState: null,
      isConfirmed: false,
      replacesId: null,
      certificateId: null,
      message: '',
      attempt: 1,
      leaseUntil: new Date(clock.now().getTime() + minute),
      createdAt: clock.now(),
      finishedAt: null,
    };
    await database.transaction((tx) => insertJob(tx, job));
    expect(await app.renew()).toEqual(quiet);
    await database.transaction((tx) => updateJob(tx, job, { status: 'failed', finishedAt: clock.now() }));
    expect(await app.renew()).toEqual({ ...quiet, renewed: 1 });
  });

  describe('what changes while the CA is at work', () => {
    /** Begins a run, and ends it after `change`. */
    async function changeMeanwhile(change: () => PromiseLike<unknown>) {
      const { app, ca } = place;
      ca.answer('when let go');
      const before = signatures();
      const run = app.renew();
      while (signatures() === before) await new Promise((resolve) => setImmediate(resolve));
      await change();
      return ca.letGoUntil(run);
    }

    test('the FQDN is deleted: nothing is stored, and the certificate is in the audit log', async () => {
      const { app } = place;
      const fqdn = await renewedFqdn(place);
      await moveToRenewal(app, fqdn);
      const path = `/spaces/${fqdn.spaceId}/fqdns/${fqdn.id}`;
      const report = await changeMeanwhile(() =>
        app.request.delete(path).set(app.people.ada.auth).expect(200),
      );
      expect(report).toEqual(quiet);
      expect((await auditEntries(app, 'certificate.issue')).at(-1)).toMatchObject({
        outcome: 'failure',
        spaceId: fqdn.spaceId,
        details: {
          fqdnId: fqdn.id,
          provider: 'dummy-ca',
          serial: expect.stringMatching(/^[0-9a-f]{2,40}$/),
        },
      });
    });

    test('it is switched off: the certificate is stored, and no further one is planned', async () => {
      const { app } = place;
      const fqdn = await renewedFqdn(place);
      await moveToRenewal(app, fqdn);
      expect(await changeMeanwhile(() => switchRenewal(app, fqdn, false))).toEqual({ ...quiet, renewed: 1 });
      expect(await certificatesOf(app, fqdn)).toHaveLength(2);
      expect((await entriesOf(app, fqdn)).map(({ status }) => status)).toEqual(['completed']);
    });

    test('all CSRs are deleted: the certificate is stored, and no further one is planned', async () => {
      const { app } = place;
      const fqdn = await renewedFqdn(place);
      await moveToRenewal(app, fqdn);
      const remove = () => app.request.delete('/csrs?confirm=true').set(app.people.ada.auth).expect(200);
      expect(await changeMeanwhile(remove)).toEqual({ ...quiet, renewed: 1 });
      expect(await certificatesOf(app, fqdn)).toHaveLength(2);
      expect((await entriesOf(app, fqdn)).map(({ status }) => status)).toEqual(['completed']);
    });

    test('it is signed by hand: both certificates are stored, and one renewal is planned', async () => {
      const { app, ca } = place;
      const fqdn = await renewedFqdn(place);
      await moveToRenewal(app, fqdn);
      await changeMeanwhile(async () => {
        ca.answer('normally');
        await signWith(place, fqdn);
      });
      const certificates = await certificatesOf(app, fqdn);
      expect(certificates).toHaveLength(3);
      expect((await openEntryOf(app, fqdn)).certificateId).toBe(certificates.at(-1)?.id);
    });

    test('it is signed by hand and the renewal fails: it is not tried again', async () => {
      const { app, ca } = place;
      const fqdn = await renewedFqdn(place);
      await moveToRenewal(app, fqdn);
      await changeMeanwhile(async () => {
        ca.answer('normally');
        await signWith(place, fqdn);
        ca.answer('with a fault');
      });
      const certificates = await certificatesOf(app, fqdn);
      expect(certificates).toHaveLength(2);
      expect(await openEntryOf(app, fqdn)).toMatchObject({
        attempt: 1,
        certificateId: certificates.at(-1)?.id,
      });
    });
  });

  describe('a test', () => {
    const withCertificate = async (): Promise<Fqdn> => {
      const fqdn = await issuedFqdn(place);
      return fqdn;
    };

    test('is a real renewal, also where renewal is switched off', async () => {
      const { app } = place;
      const fqdn = await withCertificate();
      await addTestRenewal(app, fqdn);
      expect(await app.renew()).toEqual({ ...quiet, renewed: 1 });
      expect(await certificatesOf(app, fqdn)).toHaveLength(2);
      expect((await entriesOf(app, fqdn)).map(({ status, isTest }) => [status, isTest])).toEqual([
        ['completed', true],
      ]);
    });

    test('runs at its minute', async () => {
      const { app } = place;
      const fqdn = await withCertificate();
      await addTestRenewal(app, fqdn, 5);
      app.clock.advance(5 * minute - 1);
      expect(await app.renew()).toEqual(quiet);
      app.clock.advance(1);
      expect(await app.renew()).toEqual({ ...quiet, renewed: 1 });
    });

    test('that fails is not retried', async () => {
      const { app, ca } = place;
      const fqdn = await withCertificate();
      await addTestRenewal(app, fqdn);
      ca.answer('with a fault');
      expect((await app.renew()).failed).toHaveLength(1);
      expect(await entriesOf(app, fqdn)).toMatchObject([
        { status: 'failed', reason: 'the CA failed: signing failed' },
      ]);
    });

    test('without a CSR fails with that reason, and calls no CA', async () => {
      const { app } = place;
      const fqdn = await withCertificate();
      await addTestRenewal(app, fqdn);
      await app.request.delete('/csrs?confirm=true').set(app.people.ada.auth).expect(200);
      const asked = signatures();
      await app.renew();
      expect(signatures()).toBe(asked);
      expect(await entriesOf(app, fqdn)).toMatchObject([
        { status: 'failed', reason: 'no CSR is stored for this FQDN' },
      ]);
    });

    test('waits while the FQDN is being renewed, and then runs', async () => {
      const { app } = place;
      const fqdn = await renewedFqdn(place);
      await moveToRenewal(app, fqdn);
      await addTestRenewal(app, fqdn);
      await addTestRenewal(app, fqdn);
      steps.length = 0;
      expect(await app.renew()).toEqual({ ...quiet, renewed: 3 });
      expect(steps).toEqual([1, 2, 3].flatMap(() => renewalSteps));
      expect(await certificatesOf(app, fqdn)).toHaveLength(4);
    });
  });
});

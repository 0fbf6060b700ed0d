import { describeEachDialect } from '@certloop/db/testing';
import { afterEach, describe, expect, test } from 'vitest';
import { builtInUserIds } from '../../src/access/caller.js';
import { updateIssuance } from '../../src/issuance/signing/issuances.repository.js';
import { updateProvider } from '../../src/providers/providers.repository.js';
import type { RenewalStep } from '../../src/renewals/queue/renew-certificate.service.js';
import { addCsr, auditEntries } from '../support/inventory.js';
import { addJob } from '../support/issuance.js';
import {
  certificatesOf,
  clearInventory,
  entriesOf,
  moveToRenewal,
  openEntryOf,
  queueOf,
  renewedFqdn,
  useRenewing,
} from '../support/renewals.js';
import { configure, enable, newCsr } from '../support/signing.js';
import { describeChangesMeanwhile } from './run-renewals/changed-meanwhile-tests.js';
import { countSignatures, minute, quiet } from './run-renewals/run-facts.js';
import { describeTestRenewals } from './run-renewals/test-renewal-tests.js';

const day = 1440 * minute;

describeEachDialect('a run of the renewal queue', (open) => {
  const steps: RenewalStep[] = [];
  let onClaimed: (() => Promise<void>) | undefined;
  const atStep = async (step: RenewalStep) => {
    steps.push(step);
    if (step === 'claimed') await onClaimed?.();
  };
  const place = useRenewing(open, { renewals: { atStep } });
  afterEach(async () => {
    const { app, ca, providerId } = place;
    ca.answer('normally');
    await configure(app, { id: providerId }, { baseUrl: ca.url, validityDays: 30 }).expect(200);
    await enable(app, { id: providerId }).expect(200);
    await clearInventory(app);
  });

  const inMinutes = (count: number) =>
    new Date(place.app.clock.now().getTime() + count * minute).toISOString();

  test('does nothing before an entry is due', async () => {
    const fqdn = await renewedFqdn(place);
    await moveToRenewal(place.app, fqdn);
    place.app.clock.advance(-1000);
    expect(await place.app.renew()).toEqual(quiet);
    expect(await certificatesOf(place.app, fqdn)).toHaveLength(1);
  });

  test('renews due certificates, and plans their next renewals', async () => {
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

    test('is reported as failing repeatedly after the third failure', async () => {
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
      expect(app.logged().at(-1)).toMatchObject({ event: 'renewal.failed_long_expired', fqdn: fqdn.fqdn });
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
      const asked = countSignatures(place);
      expect(await app.renew()).toEqual({ ...quiet, obstacles: [reason] });
      expect(countSignatures(place)).toBe(asked);
      expect(await entriesOf(app, fqdn)).toEqual([{ ...before, reason }]);
      await configure(app, { id: providerId }, { baseUrl: ca.url, validityDays: 30 }).expect(200);
      await enable(app, { id: providerId }).expect(200);
      expect(await app.renew()).toEqual({ ...quiet, renewed: 1 });
    });
  });

  test.each(['running', 'queued'] as const)(
    'waits while a request for the FQDN is %s, which is no failed try',
    async (state) => {
      const { app } = place;
      const { database, clock } = app;
      const fqdn = await renewedFqdn(place);
      await moveToRenewal(app, fqdn);
      const before = await openEntryOf(app, fqdn);
      const leaseUntil = state === 'running' ? new Date(clock.now().getTime() + minute) : null;
      const { job } = await addJob(app, { fqdnId: fqdn.id, spaceId: fqdn.spaceId, state, leaseUntil });
      expect(await app.renew()).toEqual(quiet);
      expect(await app.renew()).toEqual(quiet);
      expect(await entriesOf(app, fqdn)).toEqual([before]);
      await database.transaction((tx) =>
        updateIssuance(tx, job, { state: 'failed', finishedAt: clock.now() }),
      );
      expect(await app.renew()).toEqual({ ...quiet, renewed: 1 });
    },
  );

  describeChangesMeanwhile(place);
  describeTestRenewals(place, steps);
});

import type { Fqdn } from '@certloop/contracts';
import { until } from '@certloop/contracts/testing';
import { describe, expect, test } from 'vitest';
import { challengeTokens } from '../../../src/acme/acme-accounts.repository.js';
import { orderMoments } from '../../../src/acme/orders/order-steps.js';
import { findJob } from '../../../src/issuance/jobs/issuance-jobs.repository.js';
import { issuances, updateIssuance } from '../../../src/issuance/signing/issuances.repository.js';
import { type Scripted, startScriptedAcme } from '../../support/acme/scripted-acme.js';
import { startAppOn } from '../../support/app.js';
import { addCsr, auditEntries, pathOf } from '../../support/inventory.js';
import { addJob } from '../../support/issuance.js';
import { fqdnWithCsr, newCsr } from '../../support/signing.js';
import { encryptionKeys, type RequestPlace } from './request-place.js';

/** Tests of requests whose process ended, or that failed while the CA had an order. */
export function describeInterruptedRequests(place: RequestPlace): void {
  describe('is continued after the end of a process', () => {
    const jobsOf = ({ id: fqdnId }: Fqdn) =>
      place.app.database.read((tx) => tx.find(issuances, { where: { fqdnId }, order: { id: 'ASC' } }));
    /** Continues what is due after so many minutes, and waits for its end. */
    const takeUpAfter = async (minutes: number, fqdn: Fqdn) => {
      place.app.clock.advance(minutes * 60_000);
      await place.app.takeUpJobs();
      return until(async () => {
        const jobs = await jobsOf(fqdn);
        return jobs.every(({ state }) => state !== 'queued' && state !== 'running') && jobs;
      });
    };

    test.each(orderMoments)('%s: one order, one certificate', async (moment) => {
      const { fqdn } = await fqdnWithCsr(place.app);
      place.deadly = moment;
      await place.request(fqdn, {}, place.app.people.ada, 'wait=0').expect(200);
      await place.quiet();
      expect(place.deadly).toBeUndefined();
      expect(await takeUpAfter(2, fqdn)).toMatchObject([
        { state: 'issued', steps: { store: { status: 'ok' } } },
      ]);
      expect(place.ca.orders).toHaveLength(1);
      expect(place.ca.csrs).toHaveLength(1);
      expect(await place.certificatesOf(fqdn)).toHaveLength(1);
      expect(await place.app.database.read((tx) => tx.count(challengeTokens))).toBe(0);
    });

    test('a CA that lists no orders issues only one certificate', async () => {
      place.ca.listsOrders = false;
      const { fqdn } = await fqdnWithCsr(place.app);
      place.deadly = 'ordered';
      await place.request(fqdn, {}, place.app.people.ada, 'wait=0').expect(200);
      await place.quiet();
      expect(await takeUpAfter(2, fqdn)).toMatchObject([{ state: 'issued' }]);
      expect(place.ca.csrs).toHaveLength(1);
    });

    test('a request that is interrupted again and again is abandoned', async () => {
      const { fqdn } = await fqdnWithCsr(place.app);
      place.deadly = 'account_known';
      await place.request(fqdn, {}, place.app.people.ada, 'wait=0').expect(200);
      await place.quiet();
      for (let tries = 2; tries <= 10; tries += 1) {
        place.deadly = 'account_known';
        place.app.clock.advance(61_000);
        await place.app.takeUpJobs();
        await place.quiet();
        expect(place.deadly).toBeUndefined();
      }
      place.app.clock.advance(61_000);
      await place.app.takeUpJobs();
      expect((await auditEntries(place.app, 'certificate.fail')).at(-1)).toMatchObject({
        resourceId: fqdn.id,
        details: { outcome: 'failure', reason: expect.stringMatching(/failed 10 times/) },
      });
      expect((await place.request(fqdn).expect(200)).body.success).toBe(true);
      expect(place.ca.orders).toHaveLength(1);
    });

    test('continues at once if the process was stopped', async () => {
      const environment = { ACME_DIRECTORY_URL: place.ca.directoryUrl, ENCRYPTION_KEYS: encryptionKeys };
      const other = await startAppOn(place.app.database, { environment, beside: place.app });
      const { fqdn } = await fqdnWithCsr(place.app);
      place.ca.processing = 1_000_000;
      await other.request
        .post(`${pathOf(fqdn, 'request-certificate')}?wait=0`)
        .set(place.app.people.ada.auth)
        .expect(200);
      await other.close();
      place.ca.processing = 0;
      expect(await takeUpAfter(0, fqdn)).toMatchObject([{ state: 'issued' }]);
      expect(place.ca.orders.length).toBeLessThanOrEqual(1);
      expect(place.ca.csrs).toHaveLength(1);
    });

    test('continues the order of a failed request', async () => {
      const { fqdn } = await fqdnWithCsr(place.app);
      place.ca.script('certificate', { status: 503 });
      expect((await place.request(fqdn).expect(200)).body).toMatchObject({
        success: false,
        stepStatus: { download: { status: 'failed' } },
      });
      expect((await place.request(fqdn).expect(200)).body.success).toBe(true);
      expect(place.ca.orders).toHaveLength(1);
    });

    describe('without a further request, once its CSR was sent', () => {
      /** A request whose certificate the CA issued, but did not give. */
      const failedRequest = async () => {
        const { fqdn } = await fqdnWithCsr(place.app);
        place.ca.script('certificate', { status: 503 });
        expect((await place.request(fqdn).expect(200)).body).toMatchObject({ success: false });
        return fqdn;
      };

      test('and its certificate is stored', async () => {
        const fqdn = await failedRequest();
        expect(await takeUpAfter(0, fqdn)).toMatchObject([{ state: 'unknown', attempt: 1 }]);
        place.ca.script('order', { status: 503 });
        expect(await takeUpAfter(1, fqdn)).toMatchObject([{ state: 'unknown', attempt: 2 }]);
        expect(await takeUpAfter(1, fqdn)).toMatchObject([{ state: 'unknown', attempt: 2 }]);
        const [job] = await takeUpAfter(1, fqdn);
        expect(job).toMatchObject({ state: 'issued', attempt: 3, orderState: null, leaseUntil: null });
        expect((await place.certificatesOf(fqdn)).map(({ id }) => id)).toEqual([job?.certificateId]);
        expect([place.ca.orders.length, place.ca.csrs.length]).toEqual([1, 1]);
        const failures = await auditEntries(place.app, 'certificate.fail');
        expect(failures.filter(({ resourceId }) => resourceId === fqdn.id)).toHaveLength(1);
      });

      test('and its certificate is stored although its process ended ten times', async () => {
        const { fqdn } = await fqdnWithCsr(place.app);
        place.deadly = 'finalized';
        await place.request(fqdn, {}, place.app.people.ada, 'wait=0').expect(200);
        await place.quiet();
        for (let tries = 2; tries <= 10; tries += 1) {
          place.deadly = 'account_known';
          place.app.clock.advance(61_000);
          await place.app.takeUpJobs();
          await place.quiet();
        }
        expect(await takeUpAfter(2, fqdn)).toMatchObject([{ state: 'unknown', attempt: 11 }]);
        expect(await takeUpAfter(60, fqdn)).toMatchObject([{ state: 'issued', attempt: 12 }]);
        expect(await place.certificatesOf(fqdn)).toHaveLength(1);
        expect([place.ca.orders.length, place.ca.csrs.length]).toEqual([1, 1]);
      });

      test('unless a request in the meantime has continued it', async () => {
        const fqdn = await failedRequest();
        expect((await place.request(fqdn).expect(200)).body.success).toBe(true);
        expect(await takeUpAfter(60, fqdn)).toMatchObject([
          { state: 'failed', nextAt: null },
          { state: 'issued' },
        ]);
        expect(await place.certificatesOf(fqdn)).toHaveLength(1);
      });

      test('but not after another CSR was uploaded, as the audit log says', async () => {
        const fqdn = await failedRequest();
        await addCsr(place.app, fqdn, await newCsr(fqdn.fqdn));
        expect(await takeUpAfter(1, fqdn)).toMatchObject([{ state: 'failed', nextAt: null }]);
        expect(await place.certificatesOf(fqdn)).toHaveLength(0);
        expect((await auditEntries(place.app, 'certificate.issue')).at(-1)).toMatchObject({
          resourceId: fqdn.id,
          details: { outcome: 'failure', reason: expect.stringMatching(/another CSR was uploaded/) },
        });
      });

      test('but not after its FQDN was deleted, as the audit log says', async () => {
        const { app, ca } = place;
        const { auth } = app.people.ada;
        const fqdn = await failedRequest();
        const [failed] = await jobsOf(fqdn);
        const waiting = await addJob(app);
        const ended = await addJob(app, { state: 'failed', finishedAt: app.clock.now() });
        for (const { id, spaceId } of [fqdn, waiting.fqdn, ended.fqdn])
          await app.request.delete(`/spaces/${spaceId}/fqdns/${id}`).set(auth).expect(200);
        for (const id of [failed?.id, waiting.job.id, ended.job.id])
          await app.request.get(`/issuance-jobs/${id}`).set(auth).expect(404);
        expect(await jobsOf(waiting.fqdn)).toEqual([]);
        expect(await jobsOf(ended.fqdn)).toEqual([]);
        expect(await takeUpAfter(1, fqdn)).toMatchObject([{ state: 'failed', nextAt: null }]);
        expect(ca.csrs).toHaveLength(1);
        const entries = (await auditEntries(app, 'certificate.issue')).filter(
          ({ resourceId }) => resourceId === fqdn.id,
        );
        expect(entries).toMatchObject([
          { outcome: 'failure', spaceId: fqdn.spaceId, details: { serial: '65' } },
        ]);
      });

      test('unless its FQDN has an open request, which delays no other one', async () => {
        const { app } = place;
        // further interruptions end them, so that no CA is needed
        const failed = { state: 'unknown', attempt: 40, finishedAt: app.clock.now() } as const;
        const dueAt = (minutes: number) => new Date(app.clock.now().getTime() - minutes * 60_000);
        const { job: blocked, fqdn } = await addJob(app, { ...failed, nextAt: dueAt(2) });
        const { id: fqdnId, spaceId } = fqdn;
        const { job: open } = await addJob(app, { fqdnId, spaceId, state: 'waiting' });
        const { job: other } = await addJob(app, { ...failed, nextAt: dueAt(1) });
        const stored = ({ id }: { readonly id: string }) => app.database.read((tx) => findJob(tx, id));
        await app.takeUpJobs();
        expect(await stored(blocked)).toEqual(blocked);
        expect(await stored(other)).toMatchObject({ state: 'failed', attempt: 41, nextAt: null });
        await app.database.transaction((tx) => updateIssuance(tx, open, { state: 'failed' }));
        await app.takeUpJobs();
        expect(await stored(blocked)).toMatchObject({ state: 'failed', attempt: 41, nextAt: null });
      });

      test('for a day, after pauses that double up to an hour, then an audit entry names it', async () => {
        const fqdn = await failedRequest();
        let minutes = 0;
        for (let tries = 2; minutes < 24 * 60; tries += 1) {
          const pause = Math.min(2 ** (tries - 2), 60);
          minutes += pause;
          place.ca.script('order', { status: 503 });
          const state = minutes > 24 * 60 ? 'failed' : 'unknown';
          expect(await takeUpAfter(pause, fqdn)).toMatchObject([{ state, attempt: tries }]);
        }
        expect(await takeUpAfter(100_000, fqdn)).toMatchObject([{ state: 'failed', nextAt: null }]);
        expect((await auditEntries(place.app, 'certificate.issue')).at(-1)).toMatchObject({
          resourceId: fqdn.id,
          details: {
            outcome: 'failure',
            serial: '65',
            reason: expect.stringMatching(/^issued, but not stored/),
          },
        });
      });
    });

    const refusedNonces = Array.from({ length: 10 }, () => ({ status: 400, problem: 'badNonce' }));
    test.each<[string, Scripted[]]>([
      ['a gateway that blocks all calls', [{ status: 403, body: {} }]],
      ['a CA that rejects every nonce', refusedNonces],
      ['a CA that does not take the signature', [{ status: 403, problem: 'unauthorized' }]],
    ])('an order whose CSR was sent, after %s', async (_, answers) => {
      const { fqdn } = await fqdnWithCsr(place.app);
      place.ca.processing = 1;
      place.ca.script('order', undefined, ...answers);
      expect((await place.request(fqdn).expect(200)).body).toMatchObject({
        success: false,
        stepStatus: { finalize: { status: 'failed', error: { retryable: true } } },
      });
      expect(place.ca.csrs).toHaveLength(1);
      expect((await place.request(fqdn).expect(200)).body.success).toBe(true);
      expect(place.ca.orders).toHaveLength(1);
    });

    test('does not continue an order that the CA permanently refuses to show', async () => {
      const { fqdn } = await fqdnWithCsr(place.app);
      const refused = { status: 403, problem: 'unauthorized' };
      place.ca.processing = 1;
      place.ca.script('order', undefined, ...Array.from({ length: 5 }, () => refused));
      for (let tries = 0; tries < 5; tries += 1) {
        expect((await place.request(fqdn).expect(200)).body.success).toBe(false);
        expect(place.ca.orders).toHaveLength(1);
      }
      expect((await place.request(fqdn).expect(200)).body.success).toBe(true);
      expect(place.ca.orders).toHaveLength(2);
    });

    test('does not continue an order at another CA', async () => {
      const { fqdn } = await fqdnWithCsr(place.app);
      place.ca.script('certificate', { status: 503 });
      expect((await place.request(fqdn).expect(200)).body.success).toBe(false);
      const other = await startScriptedAcme(() => place.app.clock);
      try {
        await place.configureAcme({ directoryUrl: other.directoryUrl, allowPrivateNetwork: true });
        expect((await place.request(fqdn).expect(200)).body).toMatchObject({ success: true });
        expect(other.orders).toHaveLength(1);
      } finally {
        await place.configureAcme({});
        await other.close();
      }
    });
  });
}

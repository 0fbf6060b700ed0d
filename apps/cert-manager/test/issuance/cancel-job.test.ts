import type { Fqdn } from '@certloop/contracts';
import { describe, expect, test } from 'vitest';
import { challengeTokens } from '../../src/acme/acme-accounts.repository.js';
import { type OrderMoment, orderMoments } from '../../src/acme/orders/order-steps.js';
import { startAppOn, type TestApp } from '../support/app.js';
import { auditEntries } from '../support/inventory.js';
import { addJob } from '../support/issuance.js';
import { fqdnWithCsr } from '../support/signing.js';
import { describeRequests, encryptionKeys } from './request-certificate/request-place.js';

describeRequests('cancelling a request', (place) => {
  const cancel = (id: string, app: TestApp = place.app) =>
    app.request
      .post(`/issuance-jobs/${id}/cancel`)
      .set(app.people.ada.auth)
      .then((response) => response);
  const show = async (id: string) =>
    (await place.app.request.get(`/issuance-jobs/${id}`).set(place.app.people.ada.auth).expect(200)).body;
  const latestJob = async ({ id: fqdnId }: Fqdn) => {
    const { body } = await place.app.request
      .get('/issuance-jobs')
      .query({ fqdnId })
      .set(place.app.people.ada.auth)
      .expect(200);
    return body[0].id as string;
  };
  /** Does this once, when an order comes to the moment. */
  const at = (deadline: OrderMoment, act: () => Promise<void>) => {
    place.atMoment = async (moment) => {
      if (moment !== deadline) return;
      place.atMoment = undefined;
      await act();
    };
  };
  const countTokens = () => place.app.database.read((tx) => tx.count(challengeTokens));

  /** A request that is cancelled when its order comes to the moment. */
  async function cancelledAt(moment: OrderMoment, app: TestApp = place.app) {
    const { fqdn } = await fqdnWithCsr(place.app);
    let cancelled: Awaited<ReturnType<typeof cancel>> | undefined;
    at(moment, async () => {
      cancelled = await cancel(await latestJob(fqdn), app);
    });
    const { body: reply } = await place.request(fqdn).expect(200);
    return { fqdn, reply, cancelled };
  }

  const sent: OrderMoment = 'finalizing';
  const before = orderMoments.slice(0, orderMoments.indexOf(sent));
  const after = orderMoments.slice(orderMoments.indexOf(sent));

  describe('whose CSR was not sent', () => {
    test.each(before)('ends it, and the next request places another order: %s', async (moment) => {
      const { fqdn, reply, cancelled } = await cancelledAt(moment);
      expect(cancelled?.status).toBe(200);
      expect(cancelled?.headers['location']).toBeUndefined();
      expect(cancelled?.body).toMatchObject({
        fqdnId: fqdn.id,
        status: 'failed',
        success: false,
        message: 'cancelled by ada',
        finishedAt: place.app.clock.now().toISOString(),
      });
      expect(reply).toMatchObject({ success: false, message: 'cancelled by ada' });
      expect([place.ca.csrs.length, await countTokens(), await place.certificatesOf(fqdn)]).toEqual([
        0,
        0,
        [],
      ]);
      const orders = place.ca.orders.length;
      expect((await place.request(fqdn).expect(200)).body.success).toBe(true);
      expect([place.ca.orders.length - orders, place.ca.csrs.length]).toEqual([1, 1]);
      expect(await place.certificatesOf(fqdn)).toHaveLength(1);
      expect(await show(cancelled?.body.id)).toEqual(cancelled?.body);
    });

    test('stops the worker in another process', async () => {
      const environment = { ACME_DIRECTORY_URL: place.ca.directoryUrl, ENCRYPTION_KEYS: encryptionKeys };
      const other = await startAppOn(place.app.database, { environment, beside: place.app });
      const { reply, cancelled } = await cancelledAt('answered', other);
      await other.close();
      expect([cancelled?.status, reply.message]).toEqual([200, 'cancelled by ada']);
      expect([place.ca.csrs.length, await countTokens()]).toEqual([0, 0]);
    });

    test('is audited by the name of its caller, and is no failure', async () => {
      const { fqdn, cancelled } = await cancelledAt('published');
      const ofFqdn = async (action: 'certificate.request.cancel' | 'certificate.fail') =>
        (await auditEntries(place.app, action)).filter(({ resourceId }) => resourceId === fqdn.id);
      expect(await ofFqdn('certificate.request.cancel')).toMatchObject([
        {
          outcome: 'success',
          username: 'ada',
          spaceId: fqdn.spaceId,
          details: { jobId: cancelled?.body.id },
        },
      ]);
      expect(await ofFqdn('certificate.fail')).toEqual([]);
    });

    test('ends it although its process has died', async () => {
      const { job } = await addJob(place.app, { state: 'running', leaseUntil: place.app.clock.now() });
      expect((await cancel(job.id)).status).toBe(200);
      place.app.clock.advance(3_600_000);
      await place.app.takeUpJobs();
      expect(await show(job.id)).toMatchObject({ status: 'failed', message: 'cancelled by ada' });
      expect(place.ca.asks).toEqual([]);
    });
  });

  describe('that waits for a person', () => {
    async function waitingJob() {
      await place.configureAcme({ challenge: { type: 'manual' } });
      const { fqdn } = await fqdnWithCsr(place.app);
      await place.request(fqdn).expect(200);
      await place.configureAcme({});
      const id = await latestJob(fqdn);
      expect((await show(id)).status).toBe('waiting');
      return { fqdn, id };
    }
    const goOn = (id: string) =>
      place.app.request
        .post(`/issuance-jobs/${id}/continue`)
        .set(place.app.people.ada.auth)
        .then((response) => response);

    test('ends it, so that it cannot be continued', async () => {
      const { fqdn, id } = await waitingJob();
      expect((await cancel(id)).body).toMatchObject({
        status: 'failed',
        stepStatus: {
          challenges: { status: 'failed', error: { code: 'job_cancelled', message: 'cancelled by ada' } },
          finalize: { status: 'pending' },
        },
      });
      expect((await goOn(id)).body.code).toBe('job_not_waiting');
      expect((await place.request(fqdn).expect(200)).body.success).toBe(true);
      expect(place.ca.orders).toHaveLength(2);
    });

    test.each(['continue', 'cancel'])(
      'and is continued at once, first %s: one of the two wins',
      async (first) => {
        const { fqdn, id } = await waitingJob();
        const acts = first === 'continue' ? [goOn, cancel] : [cancel, goOn];
        const answers = await Promise.all(acts.map((act) => act(id)));
        const { status, body } = answers[acts.indexOf(cancel)] as Awaited<ReturnType<typeof cancel>>;
        // attaches to what goes on, if anything does
        if (status !== 200) await place.request(fqdn, { confirmed: true });
        if (status !== 200) expect(body.code).toMatch(/^job_(csr_sent|ended)$/);
        expect((await show(id)).status).toBe(status === 200 ? 'failed' : 'completed');
        expect(place.ca.csrs.length > 0).toBe(status !== 200);
      },
    );
  });

  describe('is refused', () => {
    test.each(after)('once the CSR may have been sent: %s', async (moment) => {
      const { fqdn, reply, cancelled } = await cancelledAt(moment);
      expect([cancelled?.status, cancelled?.body.code]).toEqual([409, 'job_csr_sent']);
      expect(cancelled?.body.detail).toContain('revoke the certificate');
      expect([reply.success, place.ca.csrs.length]).toEqual([true, 1]);
      expect(await place.certificatesOf(fqdn)).toHaveLength(1);
    });

    test('the second time, and after the request has ended', async () => {
      const { job } = await addJob(place.app);
      const both = await Promise.all([cancel(job.id), cancel(job.id)]);
      expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
      expect((await cancel(job.id)).body.code).toBe('job_ended');
      const { fqdn } = await fqdnWithCsr(place.app);
      await place.request(fqdn).expect(200);
      expect((await cancel(await latestJob(fqdn))).body.code).toBe('job_ended');
    });
  });

  test.each([0, 2, 4, 8, 16, 32, 64])(
    'at the moment when the CSR is sent either ends the request or is refused: after %d turns',
    async (turns) => {
      const { fqdn } = await fqdnWithCsr(place.app);
      let racing: ReturnType<typeof cancel> | undefined;
      at('answered', async () => {
        const id = await latestJob(fqdn);
        const later = async () => {
          for (let turn = 0; turn < turns; turn += 1) await new Promise((resolve) => setImmediate(resolve));
          return cancel(id);
        };
        racing = later();
      });
      const { body: reply } = await place.request(fqdn).expect(200);
      const status = (await racing)?.status;
      expect([200, 409]).toContain(status);
      const isCancelled = status === 200;
      expect([reply.success, place.ca.csrs.length]).toEqual(isCancelled ? [false, 0] : [true, 1]);
      expect(await place.certificatesOf(fqdn)).toHaveLength(isCancelled ? 0 : 1);
    },
  );
});

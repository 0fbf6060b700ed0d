import type { Fqdn } from '@certloop/contracts';
import { csrLabels, parsePem } from '@certloop/crypto';
import { describe, expect, test } from 'vitest';
import { challengeTokens } from '../../src/acme/acme-accounts.repository.js';
import type { OrderMoment } from '../../src/acme/orders/order-steps.js';
import { issuances } from '../../src/issuance/signing/issuances.repository.js';
import { auditEntries, pathOf } from '../support/inventory.js';
import { addJob } from '../support/issuance.js';
import { fqdnWithCsr, providerOf } from '../support/signing.js';
import { testCaAnswers } from './request-certificate/ca-answer-tests.js';
import { describeInterruptedRequests } from './request-certificate/interrupted-request-tests.js';
import { describeRefusedRequests } from './request-certificate/refused-request-tests.js';
import { describeRequests } from './request-certificate/request-place.js';

describeRequests('requesting a certificate', (place) => {
  test('returns a certificate, and sends the CSR byte for byte', async () => {
    const { fqdn, csr } = await fqdnWithCsr(place.app);
    const { body, headers } = await place.request(fqdn).expect(200);
    expect(body).toMatchObject({
      success: true,
      certificate: (await place.certificatesOf(fqdn)).map(shown)[0],
    });
    expect(headers['location']).toBeUndefined();
    expect(place.ca.csrs).toEqual([parsePem(csr.csrPem, csrLabels).toString('base64url')]);
    expect((await auditEntries(place.app, 'certificate.request')).at(-1)).toMatchObject({
      outcome: 'success',
    });
  });

  test('publishes the challenge response without authentication, as text', async () => {
    const { fqdn } = await fqdnWithCsr(place.app);
    place.ca.script('challenge', { status: 500, problem: 'serverInternal' });
    place.deadly = 'published';
    await place.request(fqdn, {}, place.app.people.ada, 'wait=0').expect(200);
    await place.quiet();
    const [row] = await place.app.database.read((tx) => tx.find(challengeTokens));
    const path = `/.well-known/acme-challenge/${row?.token}`;
    const { text, headers } = await place.app.request.get(path).expect(200);
    expect(text).toBe(row?.keyAuthorization);
    expect(headers).toMatchObject({ 'content-type': 'text/plain', 'cache-control': 'no-store' });
    await place.app.request.get('/.well-known/acme-challenge/evaGxfADs6pSRb2LAv9IZf17').expect(404, '');
    await place.app.request.get('/.well-known/acme-challenge/..%2f..%2fetc').expect(404, '');
    place.app.clock.advance(120_000);
    await place.app.takeUpJobs();
    await place.request(fqdn).expect(200);
  });

  describe('when the FQDN is deleted in the meantime', () => {
    /** Requests a certificate, or has the CSR signed, and deletes the FQDN at the moment. */
    async function deletedAt(
      deadline: OrderMoment,
      ask = (fqdn: Fqdn) => place.request(fqdn),
    ): Promise<Fqdn> {
      const { fqdn } = await fqdnWithCsr(place.app);
      const path = `/spaces/${fqdn.spaceId}/fqdns/${fqdn.id}`;
      place.atMoment = async (moment) => {
        if (moment !== deadline) return;
        place.atMoment = undefined;
        await place.app.request.delete(path).set(place.app.people.ada.auth).expect(200);
      };
      const { body } = await ask(fqdn).expect(404);
      const detail = 'the FQDN was deleted while the certificate was being requested';
      expect(body).toMatchObject({ code: 'fqdn_not_found', detail });
      return fqdn;
    }

    test('does not say of the signing of a CSR that it is in progress', async () => {
      const { id: providerId } = await providerOf(place.app, 'acme');
      await deletedAt('published', (fqdn) =>
        place.app.request.post(pathOf(fqdn, 'csr/sign')).set(place.app.people.ada.auth).send({ providerId }),
      );
    });
    const lost = async (fqdn: Fqdn) =>
      (await auditEntries(place.app, 'certificate.issue')).filter(
        ({ outcome, resourceId }) => outcome === 'failure' && resourceId === fqdn.id,
      );
    const published = () => place.app.database.read((tx) => tx.find(challengeTokens));

    test.each(['proofs_stored', 'published', 'answered', 'finalizing'] as const)(
      'at %s, withdraws the proofs and leaves at most what the CA issued in the audit log',
      async (moment) => {
        const fqdn = await deletedAt(moment);
        expect(await published()).toEqual([]);
        expect(await lost(fqdn)).toHaveLength(place.ca.csrs.length);
      },
    );

    test.each(['finalizing', 'finalized', 'downloaded'] as const)(
      'at %s, names the certificate in the audit log',
      async (moment) => {
        const fqdn = await deletedAt(moment);
        expect(place.ca.csrs).toHaveLength(1);
        expect(await lost(fqdn)).toMatchObject([
          {
            spaceId: fqdn.spaceId,
            details: {
              fqdn: fqdn.fqdn,
              provider: 'acme',
              serial: expect.stringMatching(/^[0-9a-f]{2,40}$/),
              spkiSha256: expect.stringMatching(/^[0-9a-f]{64}$/),
            },
          },
        ]);
        expect(await published()).toEqual([]);
      },
    );
  });

  test.each(['finalizing', 'finalized', 'downloaded'] as const)(
    'names the certificate in one audit entry if the CSR is deleted at %s',
    async (deadline) => {
      const { fqdn } = await fqdnWithCsr(place.app);
      place.atMoment = async (moment) => {
        if (moment !== deadline) return;
        place.atMoment = undefined;
        await place.app.request.delete('/csrs?confirm=true').set(place.app.people.ada.auth).expect(200);
      };
      expect((await place.request(fqdn).expect(200)).body).toMatchObject({
        success: false,
        message: 'the CSR was deleted while the certificate was being requested',
      });
      expect(place.ca.csrs).toHaveLength(1);
      const entries = await auditEntries(place.app, 'certificate.issue');
      expect(entries.filter(({ resourceId }) => resourceId === fqdn.id)).toMatchObject([
        { outcome: 'failure', details: { serial: expect.stringMatching(/^[0-9a-f]{2,40}$/) } },
      ]);
      const [job] = await place.app.database.read((tx) => tx.find(issuances, { where: { fqdnId: fqdn.id } }));
      expect(job).toMatchObject({ state: 'failed', orderState: null, leaseUntil: null, nextAt: null });
    },
  );

  testCaAnswers(place);

  describe('when a valid certificate exists', () => {
    test('asks for confirmation, and calls no CA', async () => {
      const { fqdn } = await fqdnWithCsr(place.app);
      const first = await place.request(fqdn).expect(200);
      place.ca.forget();
      const { body } = await place.request(fqdn).expect(200);
      expect(body).toMatchObject({
        success: false,
        message:
          'A valid certificate exists until 2026-05-30T12:00:00.000Z; send confirmed:true to replace it',
        certificate: first.body.certificate,
        requiresConfirmation: true,
        stepStatus: { csrCheck: { status: 'pending' }, existing: { status: 'needs_confirmation' } },
      });
      expect(place.ca.asks).toEqual([]);
      expect(await auditEntries(place.app, 'certificate.request.needs_confirmation')).not.toEqual([]);
    });

    test('needs no confirmation once its time to be renewed has come', async () => {
      const { fqdn } = await fqdnWithCsr(place.app);
      await place.request(fqdn).expect(200);
      place.app.clock.advance(65 * 86_400_000);
      try {
        expect((await place.request(fqdn).expect(200)).body.success).toBe(true);
      } finally {
        place.app.clock.advance(-65 * 86_400_000);
      }
    });
  });

  test('is shared by a second call while it runs', async () => {
    const { fqdn } = await fqdnWithCsr(place.app);
    place.ca.processing = 5;
    const [one, other] = await Promise.all([
      place.request(fqdn, { confirmed: true }),
      place.request(fqdn, { confirmed: true }),
    ]);
    expect(one.body.certificate.id).toBe(other.body.certificate.id);
    expect(place.ca.orders).toHaveLength(1);
  });

  test('continues after the call times out, and can be polled', async () => {
    const { job, fqdn } = await addJob(place.app, {
      state: 'running',
      leaseUntil: new Date('2027-03-01T12:00:00Z'),
    });
    const { body, headers } = await place.request(fqdn, {}, place.app.people.ada, 'wait=0').expect(200);
    expect(body).toMatchObject({ success: false, stepStatus: { order: { status: 'pending' } } });
    expect(headers['location']).toBe(`/issuance-jobs/${job.id}`);
    const shownJob = await place.app.request
      .get(`/issuance-jobs/${job.id}`)
      .set(place.app.people.ada.auth)
      .expect(200);
    expect(shownJob.body).toMatchObject({ id: job.id, fqdnId: fqdn.id, status: 'running', success: false });
  });

  test('by csr/sign does not wait longer than the call states', async () => {
    const { job, fqdn } = await addJob(place.app, {
      state: 'running',
      leaseUntil: new Date('2027-03-01T12:00:00Z'),
    });
    const { id: providerId } = await providerOf(place.app, 'acme');
    const sign = (query: string) =>
      place.app.request
        .post(`${pathOf(fqdn, 'csr/sign')}?${query}`)
        .set(place.app.people.ada.auth)
        .send({ providerId });
    const { body, headers } = await sign('wait=0').expect(200);
    expect(body).toEqual({ success: false, message: 'waiting' });
    expect(headers['location']).toBe(`/issuance-jobs/${job.id}`);
    await sign('wait=121').expect(400);
  });

  describeInterruptedRequests(place);
  describeRefusedRequests(place);
});

function shown({ id, pem }: { readonly id: string; readonly pem: string }) {
  return { id, pem };
}

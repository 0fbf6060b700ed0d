import type { Fqdn } from '@certloop/contracts';
import { until } from '@certloop/contracts/testing';
import { executeSql } from '@certloop/db';
import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { challengeTokens } from '../../src/acme/acme-accounts.repository.js';
import { orderMoments } from '../../src/acme/orders/order-steps.js';
import { orderingEnvironment } from '../support/acme/ordering-place.js';
import { orderingByHttp, type ScriptedAcme, startScriptedAcme } from '../support/acme/scripted-acme.js';
import type { SuiteApp } from '../support/app.js';
import type { FakeCa } from '../support/cas/fake-ca.js';
import { beginLife, deathOf } from '../support/dying-process.js';
import { addCsr, auditEntries, pathOf } from '../support/inventory.js';
import { addJob } from '../support/issuance.js';
import { certificatesOf } from '../support/renewals.js';
import {
  configure,
  countOpenRequests,
  fqdnWithCsr,
  newCsr,
  providerOf,
  startAppWithCa,
} from '../support/signing.js';

const leaseMs = 60_000;

describeEachDialect('a process that is killed', (open) => {
  let app: SuiteApp;
  let ca: FakeCa;
  let acme: ScriptedAcme;
  let close: () => Promise<void>;
  let environment: Readonly<Record<string, string>>;
  beforeAll(async () => {
    acme = await startScriptedAcme(() => app.clock);
    const ordering = orderingEnvironment(acme);
    const orders = { leaseMs, pause: async () => undefined };
    ({ app, ca, close } = await startAppWithCa(open, ordering, { orders }));
    environment = { ...ordering, DUMMY_CA_URL: ca.url };
    await configure(app, await providerOf(app, 'acme'), orderingByHttp(acme)).expect(200);
  });
  beforeEach(() => acme.forget());
  afterAll(async () => {
    await close();
    await acme.close();
  });

  describe('while the dummy CA signs a CSR', () => {
    const sign = async (fqdn: Fqdn) => {
      const { id: providerId } = await providerOf(app, 'dummy-ca');
      return { path: pathOf(fqdn, 'csr/sign'), auth: app.people.ada.auth, body: { providerId } };
    };

    /** Kills a process after the CA's answer; how many certificates the CA had issued before. */
    const dieSigning = async (call: Awaited<ReturnType<typeof sign>>) => {
      const before = ca.ids.length;
      ca.answer('with silence');
      const child = beginLife({
        databaseUrl: app.databaseUrl,
        environment,
        now: app.clock.now(),
        work: call,
      });
      await ca.hasIssued(before + 1);
      child.kill('SIGKILL');
      expect(await deathOf(child)).toBe('SIGKILL');
      ca.answer('normally');
      return before;
    };
    const requests = () => countOpenRequests(app);
    const failuresOf = async ({ id }: Fqdn) =>
      (await auditEntries(app, 'certificate.issue')).filter(({ resourceId }) => resourceId === id);

    test('its certificate is stored after its lease expires, even if another was stored in the meantime', async () => {
      const { fqdn } = await fqdnWithCsr(app);
      const call = await sign(fqdn);
      const other = await sign(fqdn);
      const before = await dieSigning(call);
      // one that lives may still be at work
      await app.recoverSigning();
      expect([await requests(), ca.ids.length - before]).toEqual([1, 1]);

      app.clock.advance(3 * leaseMs);
      ca.answer('with a fault');
      await app.recoverSigning();
      ca.answer('normally');
      // the first call gets what was issued for the one that died
      await app.request.post(other.path).set(other.auth).send(other.body).expect(200);
      await app.request.post(other.path).set(other.auth).send(other.body).expect(200);
      expect([await requests(), ca.ids.length - before]).toEqual([1, 2]);
      app.clock.advance(leaseMs);
      await app.recoverSigning();
      expect(await requests()).toBe(0);
      expect(ca.ids.length - before).toBe(2);
      const stored = await certificatesOf(app, fqdn);
      expect(new Set(stored.map(({ pem }) => pem)).size).toBe(stored.length);
      expect(stored).toHaveLength(2);
    });

    test('its certificate is stored although the newest one belongs to another request', async () => {
      const { fqdn } = await fqdnWithCsr(app);
      const call = await sign(fqdn);
      ca.answer('normally');
      await app.request.post(call.path).set(call.auth).send(call.body).expect(200);
      const before = await dieSigning(call);
      // as a renewal or a request by another provider does
      const rename = `update issuances set idempotency_key = 'another key' where fqdn_id = $1`;
      await app.database.transaction((tx) => executeSql(tx, rename, [fqdn.id]));
      app.clock.advance(3 * leaseMs);
      ca.answer('with a fault');
      await app.recoverSigning();
      expect(await certificatesOf(app, fqdn)).toHaveLength(1);
      ca.answer('normally');
      app.clock.advance(leaseMs);
      await app.recoverSigning();
      expect(await certificatesOf(app, fqdn)).toHaveLength(2);
      expect(ca.ids.length - before).toBe(2);
      expect(await requests()).toBe(0);
    });

    test.each([
      [
        'another CSR was uploaded',
        async (fqdn: Fqdn) => void (await addCsr(app, fqdn, await newCsr(fqdn.fqdn))),
      ],
      [
        'the FQDN was deleted',
        async (fqdn: Fqdn) =>
          void (await app.request
            .delete(`/spaces/${fqdn.spaceId}/fqdns/${fqdn.id}`)
            .set(app.people.ada.auth)),
      ],
    ])('an audit entry names the certificate that may have been issued where %s', async (reason, change) => {
      const { fqdn } = await fqdnWithCsr(app);
      await dieSigning(await sign(fqdn));
      await change(fqdn);
      app.clock.advance(3 * leaseMs);
      await app.recoverSigning();
      expect(await failuresOf(fqdn)).toMatchObject([
        {
          outcome: 'failure',
          details: {
            fqdn: fqdn.fqdn,
            spkiSha256: expect.stringMatching(/^[0-9a-f]{64}$/),
            reason: expect.stringContaining(reason),
          },
        },
      ]);
      expect(await requests()).toBe(0);
    });

    test('a caller that repeats its request gets the certificate that was issued for it', async () => {
      const { fqdn } = await fqdnWithCsr(app);
      const call = await sign(fqdn);
      const before = await dieSigning(call);
      expect(await certificatesOf(app, fqdn)).toEqual([]);

      // until then the call that died counts as running
      app.clock.advance(leaseMs);
      const { body } = await app.request.post(call.path).set(call.auth).send(call.body).expect(200);
      expect(body.success).toBe(true);
      expect(ca.ids.length - before).toBe(1);
      expect(await certificatesOf(app, fqdn)).toHaveLength(1);
      app.clock.advance(3 * leaseMs);
      await app.recoverSigning();
      expect(await certificatesOf(app, fqdn)).toHaveLength(1);
      expect([ca.ids.length - before, await requests()]).toEqual([1, 0]);
    });

    test.each([
      ['what its CA issued to be stored later, where no answer came in time', 'with silence', 1],
      ['nothing, where its CA answered with a fault', 'with a fault', 0],
    ] as const)('a call that failed leaves %s', async (_, manner, count) => {
      const provider = await providerOf(app, 'dummy-ca');
      const { fqdn } = await fqdnWithCsr(app);
      const { path, auth, body } = await sign(fqdn);
      const before = ca.ids.length;
      if (count === 1) await configure(app, provider, { baseUrl: ca.url, timeoutMs: 2000 }).expect(200);
      ca.answer(manner);
      const { body: answer } = await app.request.post(path).set(auth).send(body).expect(200);
      expect(answer).toEqual({ success: false, message: expect.stringContaining('the CA failed') });
      await configure(app, provider, { baseUrl: ca.url }).expect(200);
      await ca.hasIssued(before + count);
      ca.answer('normally');
      expect([await requests(), await certificatesOf(app, fqdn)]).toEqual([count, []]);

      app.clock.advance(3 * leaseMs);
      await app.recoverSigning();
      expect(await certificatesOf(app, fqdn)).toHaveLength(count);
      expect([ca.ids.length - before, await requests()]).toEqual([count, 0]);
    });

    test('a call after a stored certificate requests another certificate', async () => {
      const { fqdn } = await fqdnWithCsr(app);
      const { path, auth, body } = await sign(fqdn);
      await app.request.post(path).set(auth).send(body).expect(200);
      await app.request.post(path).set(auth).send(body).expect(200);
      expect(new Set((await certificatesOf(app, fqdn)).map(({ pem }) => pem)).size).toBe(2);
    });

    test('concurrent calls get the same certificate', async () => {
      const { fqdn } = await fqdnWithCsr(app);
      const { path, auth, body } = await sign(fqdn);
      await Promise.all([1, 2, 3].map(() => app.request.post(path).set(auth).send(body).expect(200)));
      expect(new Set((await certificatesOf(app, fqdn)).map(({ pem }) => pem)).size).toBe(1);
    });
  });

  test('while it revokes a certificate: the next process completes it after the lease expires', async () => {
    const { fqdn } = await fqdnWithCsr(app);
    const { auth } = app.people.ada;
    const { id: providerId } = await providerOf(app, 'dummy-ca');
    await app.request.post(pathOf(fqdn, 'csr/sign')).set(auth).send({ providerId }).expect(200);
    const path = pathOf(fqdn, `certificates/${(await certificatesOf(app, fqdn)).at(-1)?.id}/revoke`);
    const body = { reason: 'keyCompromise' };
    const before = ca.revocations.reasons().length;
    ca.revocations.answer('with silence');
    const child = beginLife({
      databaseUrl: app.databaseUrl,
      environment,
      now: app.clock.now(),
      work: { path, auth, body },
    });
    await ca.revocations.hasRevoked(before + 1);
    child.kill('SIGKILL');
    expect(await deathOf(child)).toBe('SIGKILL');
    ca.revocations.answer('normally');
    const stored = async () => (await certificatesOf(app, fqdn)).map((one) => one.revocationReason);
    // one that lives may still be at work
    await app.finishRevocations();
    expect(await stored()).toEqual([undefined]);
    app.clock.advance(4 * leaseMs);
    await app.finishRevocations();
    expect(await stored()).toEqual(['keyCompromise']);
    const revoked = (await auditEntries(app, 'certificate.revoke')).filter(
      ({ details }) => details['fqdnId'] === fqdn.id,
    );
    expect(revoked).toMatchObject([{ outcome: 'success', username: app.people.ada.username }]);
    await app.request.post(pathOf(fqdn, 'csr/sign')).set(auth).send({ providerId }).expect(400);
  });

  describe('while it requests a certificate by ACME', () => {
    test.each(orderMoments)('at %s: one order, one certificate', async (deadly) => {
      const { job, fqdn } = await addJob(app, { state: 'queued' });
      const now = app.clock.now();
      const child = beginLife({ databaseUrl: app.databaseUrl, environment, now, work: 'requests', deadly });
      expect(await deathOf(child)).toBe('SIGKILL');
      // no one takes it from a process that may be alive, nor does another request begin a second one
      await app.takeUpJobs();
      const { auth } = app.people.ada;
      const { body } = await app.request
        .post(`${pathOf(fqdn, 'request-certificate')}?wait=0`)
        .set(auth)
        .expect(200);
      expect(body).toMatchObject({ success: false, stepStatus: { store: { status: 'pending' } } });
      expect(await certificatesOf(app, fqdn)).toEqual([]);

      app.clock.advance(leaseMs);
      await app.takeUpJobs();
      const show = async () => (await app.request.get(`/issuance-jobs/${job.id}`).set(auth).expect(200)).body;
      await until(async () => (await show()).status !== 'running');
      const [{ id, pem } = {}] = await certificatesOf(app, fqdn);
      expect(await show()).toMatchObject({
        status: 'completed',
        certificate: { id, pem },
        stepStatus: { store: { status: 'ok' } },
      });
      expect([acme.orders.length, acme.csrs.length]).toEqual([1, 1]);
      expect(await certificatesOf(app, fqdn)).toHaveLength(1);
      expect(await app.database.read((tx) => tx.count(challengeTokens))).toBe(0);
    });
  });
});

import { randomBytes } from 'node:crypto';
import { type Client, createClient, dummyCaAdminContract } from '@certloop/contracts';
import { describeCertificate, parseCertificate, splitChain } from '@certloop/crypto';
import { executeSql, openDatabase } from '@certloop/db';
import { beforeEach, describe, expect, test } from 'vitest';
import { judgeCertificate, type Place } from '../../src/main-job.js';
import { runCommand } from '../../src/service-process.js';
import {
  answeringAtOnePort,
  awaitCertificates,
  placeWithCsr,
  request,
  useAcme,
} from '../support/acme-place.js';
import { renewalIdOf } from '../support/renewal-id.js';
import { describeStack } from '../support/running-stack.js';

const eab = { kid: 'kid-1', hmacKey: randomBytes(32).toString('base64url') };

type Fault = Parameters<Client<typeof dummyCaAdminContract>['addFault']>[0]['body'];

describeStack(
  'orders by ACME',
  (running) => {
    let admin: Client<typeof dummyCaAdminContract>;
    beforeEach(async () => {
      admin = createClient(dummyCaAdminContract, { baseUrl: running().stack.plan.urls['dummy-ca'] });
      await admin.clearFaults({});
      await admin.clearRequests({});
      await useAcme(running());
    });

    test('are placed, proven and renewed without the key of the CSR', async () => {
      const { clients } = running();
      const params = { id: await useAcme(running()) };
      const { place, csrPem } = await placeWithCsr(clients, 'shop.example.test');
      const first = await request(clients, place);
      expect(first).toMatchObject({ success: true, stepStatus: { challenges: { status: 'ok' } } });
      await judgeCertificate(clients, first.certificate?.pem ?? '', csrPem);
      expect((await clients.manager.testProvider({ params, body: {} })).body).toEqual({
        success: true,
        message: 'the directory is valid and hands out nonces; the account is known',
      });
      const entry = { certificateId: first.certificate?.id ?? '', ...place, minutesFromNow: 0 };
      await clients.manager.createTestRenewal({ body: entry });
      await clients.manager.triggerRenewals({});
      const renewed = await awaitCertificates(clients, place, 2);
      const facts = await judgeCertificate(clients, renewed[1]?.pem ?? '', csrPem);
      expect(facts.dnsNames).toEqual(['shop.example.test']);
    });

    test('return a certificate that the account revokes, and a replacement', async () => {
      const { clients, stack } = running();
      const { place } = await placeWithCsr(clients, 'revoked.example.test');
      const { certificate } = await request(clients, place);
      const params = { ...place, certId: certificate?.id ?? '' };
      const hold = clients.manager.revokeCertificate({ params, body: { reason: 'certificateHold' } });
      await expect(hold).rejects.toThrow(
        /the CA refused the reason: .*; give another one, such as superseded/,
      );
      const { body } = await clients.manager.revokeCertificate({ params, body: { reason: 'superseded' } });
      expect(body).toMatchObject({ id: params.certId, revocationReason: 'superseded' });
      const [leaf = Buffer.alloc(0)] = splitChain(body.pem);
      const { serialNumber } = parseCertificate(leaf);
      const status = await fetch(`${stack.plan.urls['dummy-ca']}/certificate-status/${serialNumber}`);
      expect(await status.json()).toMatchObject({ status: 'revoked', reason: 'superseded' });
      // the newest one is revoked: no confirmation is needed, and the order names it as replaced
      expect(await request(clients, place)).toMatchObject({ success: true });
    });

    test('are placed and renewed over https by an account with an external account binding', async () => {
      const { clients, stack } = running();
      const caBundlePem = await (await fetch(`${stack.plan.urls['dummy-ca']}/root`)).text();
      const directoryUrl = `${stack.plan.httpsUrl}/acme/directory`;
      const { place, csrPem } = await placeWithCsr(clients, 'bound.example.test');
      const wrong = { ...eab, hmacKey: randomBytes(32).toString('base64url') };
      await useAcme(running(), { directoryUrl, caBundlePem, eab: wrong });
      expect(await request(clients, place)).toMatchObject({ success: false });
      await useAcme(running(), { directoryUrl, caBundlePem, eab });
      const first = await request(clients, place);
      expect(first).toMatchObject({ success: true });
      const entry = { certificateId: first.certificate?.id ?? '', ...place, minutesFromNow: 0 };
      await clients.manager.createTestRenewal({ body: entry });
      await clients.manager.triggerRenewals({});
      const renewed = await awaitCertificates(clients, place, 2);
      await judgeCertificate(clients, renewed[1]?.pem ?? '', csrPem);
      expect(await asked('newAccount')).toEqual({ 403: 1, 201: 1 });
    });

    test('continue with a new account when the CA has forgotten everything', async () => {
      const { clients, stack } = running();
      const { place, csrPem } = await placeWithCsr(clients, 'lost.example.test');
      expect(await request(clients, place)).toMatchObject({ success: true });
      await stack.end('dummy-ca', 'kill');
      await stack.start('dummy-ca');
      const again = await request(clients, place, true);
      expect(again).toMatchObject({ success: true });
      await judgeCertificate(clients, again.certificate?.pem ?? '', csrPem);
    });

    const err = async (...faults: Fault[]) => {
      for (const body of faults) await admin.addFault({ body });
    };
    /** Number of responses of an endpoint, by status; 0 for closed connections. */
    const asked = async (endpoint: string) => (await admin.countRequests({})).body.requests[endpoint];
    const certificatesOf = async (params: Place) =>
      (await running().clients.manager.listCertificates({ params })).body;

    test('repeat a request whose nonce is rejected', async () => {
      const { clients } = running();
      const { place, csrPem } = await placeWithCsr(clients, 'nonce.example.test');
      await err(
        { fault: 'badNonce', endpoint: 'newOrder', times: 5 },
        { fault: 'badNonce', endpoint: 'authorization', times: 5 },
        { fault: 'badNonce', endpoint: 'finalize', times: 5 },
      );
      const reply = await request(clients, place);
      expect(reply).toMatchObject({ success: true });
      await judgeCertificate(clients, reply.certificate?.pem ?? '', csrPem);
      expect(await asked('newOrder')).toEqual({ 400: 5, 201: 1 });
      expect(await asked('finalize')).toEqual({ 400: 5, 200: 1 });
    });

    test.each([
      [503, 'serverInternal'],
      [429, 'rateLimited'],
    ] as const)('are delayed by a %i until its Retry-After, and placed once', async (status, code) => {
      const { clients } = running();
      const { place } = await placeWithCsr(clients, `busy-${status}.example.test`);
      await err({ fault: 'status', status, endpoint: 'newOrder', times: 1, retryAfterSeconds: 30 });
      const before = Date.now();
      const refused = await request(clients, place);
      expect(refused).toMatchObject({
        success: false,
        stepStatus: {
          order: {
            status: 'failed',
            error: { code, retryable: true, caProblemType: `urn:ietf:params:acme:error:${code}` },
          },
        },
      });
      const retryAt = Date.parse(refused.stepStatus.order?.error?.retryAt ?? '');
      expect(retryAt - 28_000).toBeGreaterThan(before);
      expect(retryAt - 31_000).toBeLessThan(Date.now());
      expect(await request(clients, place)).toMatchObject({ success: true });
      expect(await asked('newOrder')).toEqual({ [status]: 1, 201: 1 });
    });

    test('succeed when some reads fail', async () => {
      const { clients } = running();
      const { place } = await placeWithCsr(clients, 'reading.example.test');
      await err(
        { fault: 'status', status: 503, endpoint: 'authorization', times: 2 },
        { fault: 'drop', endpoint: 'order', times: 1 },
      );
      expect(await request(clients, place)).toMatchObject({ success: true });
      expect(await asked('newOrder')).toEqual({ 201: 1 });
    });

    test.each([
      ['the order was made', 'newOrder'],
      ['the challenge was answered', 'challenge'],
      ['the CSR was handed in', 'finalize'],
      ['the certificate was sent', 'certificate'],
    ] as const)('resume when the connection breaks after %s', async (_, endpoint) => {
      const { clients } = running();
      const { place, csrPem } = await placeWithCsr(clients, `drop-${endpoint.toLowerCase()}.example.test`);
      await err({ fault: 'drop', endpoint, times: 1 });
      const first = await request(clients, place);
      const reply = first.success ? first : await request(clients, place);
      expect(reply).toMatchObject({ success: true });
      await judgeCertificate(clients, reply.certificate?.pem ?? '', csrPem);
      expect(await certificatesOf(place)).toHaveLength(1);
      const orders = Object.values((await asked('newOrder')) ?? {});
      expect(orders).toEqual([1]);
      expect((await asked(endpoint))?.[0]).toBe(1);
    });

    test('wait for a slow CA', async () => {
      const { clients } = running();
      const { place } = await placeWithCsr(clients, 'slow.example.test');
      await err({ fault: 'processing', endpoint: 'finalize', seconds: 3 });
      expect(await request(clients, place)).toMatchObject({
        success: true,
        stepStatus: { finalize: { status: 'ok' } },
      });
      expect((await asked('order'))?.[200]).toBeGreaterThan(1);
    });

    test('have the configured profile', async () => {
      const { clients } = running();
      await useAcme(running(), { profile: 'shortlived' });
      const { place } = await placeWithCsr(clients, 'profile.example.test');
      const { certificate } = await request(clients, place);
      const [leaf] = splitChain(certificate?.pem ?? '');
      const { notBefore, notAfter } = describeCertificate(parseCertificate(leaf ?? Buffer.alloc(0)));
      const seconds = (notAfter.getTime() - notBefore.getTime()) / 1000;
      // six and two thirds of a day, the last second included or not
      expect(Math.abs(seconds - 576_000)).toBeLessThanOrEqual(1);
    });

    test('name the certificate that they replace, unless another one replaced it', async () => {
      const { clients, stack } = running();
      const { place } = await placeWithCsr(clients, 'replaced.example.test');
      await request(clients, place);
      const second = await request(clients, place, true);
      expect(await asked('newOrder')).toEqual({ 201: 2 });
      // as after a restored backup: cert-manager knows only the first certificate
      await deleteCertificate(stack.plan.environments['cert-manager'], second.certificate?.id ?? '');
      expect(await request(clients, place, true)).toMatchObject({ success: true });
      expect(await asked('newOrder')).toEqual({ 201: 3, 409: 1 });
    });

    test('renew early when the CA moves the window of a certificate', async () => {
      const { clients, stack } = running();
      const { place, csrPem } = await placeWithCsr(clients, 'window.example.test');
      const { certificate } = await request(clients, place);
      await clients.manager.setRenewalEnabled({ params: place, body: { renewalEnabled: true } });
      const day = 86_400_000;
      const window = [2 * day, day].map((ms) => new Date(Date.now() - ms).toISOString());
      const [start = '', end = ''] = window;
      const certId = renewalIdOf(certificate?.pem ?? '');
      await admin.setRenewalWindow({ params: { certId }, body: { start, end } });
      // after its start, cert-manager asks at once
      await stack.end('cert-manager', 'stop');
      await stack.start('cert-manager');
      const renewed = await awaitCertificates(clients, place, 2);
      expect(renewed).toHaveLength(2);
      await judgeCertificate(clients, renewed[1]?.pem ?? '', csrPem);
      expect((await asked('renewalInfoOf'))?.[200]).toBeGreaterThanOrEqual(1);
      const explanation = await clients.manager.explainRenewal({ params: place });
      expect(explanation.body).toMatchObject({ outlook: 'scheduled', certificate: { id: renewed[1]?.id } });
    });

    describe('continue after the key of the account was changed', () => {
      test.each([
        ['and the CA never got it', 'before'],
        ['and its answer was lost', 'after'],
      ] as const)('%s', async (_, when) => {
        const { clients, stack } = running();
        const params = { id: await useAcme(running()) };
        const { place } = await placeWithCsr(clients, `key-${when}.example.test`);
        await request(clients, place);
        await err({ fault: 'drop', when, endpoint: 'keyChange', times: 1 });
        const environment = stack.plan.environments['cert-manager'];
        await expect(runCommand('cert-manager', ['acme', 'new-key'], environment)).rejects.toThrow(
          /the CA did not answer/,
        );
        expect((await clients.manager.testProvider({ params, body: {} })).body).toMatchObject({
          success: true,
          message: expect.stringMatching(/the account is known$/),
        });
        expect(await request(clients, place, true)).toMatchObject({ success: true });
      });
    });
  },
  async () => ({
    ...(await answeringAtOnePort()),
    DUMMY_CA_ADMIN: 'true',
    DUMMY_CA_RENEWAL_INFO_SECONDS: '60',
    DUMMY_CA_EAB: `${eab.kid}:${eab.hmacKey}`,
  }),
);

async function deleteCertificate(environment: Readonly<Record<string, string>>, id: string): Promise<void> {
  const url = environment['CERT_MANAGER_DATABASE_URL'] ?? '';
  const database = await openDatabase({ url, schema: { entities: () => [], migrations: [] } });
  await database.transaction(async (tx) => {
    // the one before is in use again
    const before = `update certificates set replaced_at = null where id = (
      select b.id from certificates a join certificates b on b.fqdn_id = a.fqdn_id and b.position < a.position
      where a.id = $1 order by b.position desc limit 1)`;
    await executeSql(tx, 'update certificates set replaced_at = created_at where id = $1', [id]);
    await executeSql(tx, before, [id]);
    await executeSql(tx, 'delete from certificates where id = $1', [id]);
  });
  await database.close();
}

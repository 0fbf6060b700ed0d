import type { Provider } from '@certloop/contracts';
import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { directoryAt, type FakeAcme, startFakeAcme } from '../support/acme/fake-acme.js';
import type { TestApp } from '../support/app.js';
import type { FakeCa } from '../support/cas/fake-ca.js';
import { addFqdn, addSpace, auditEntries, badIds, pathOf, unknownId } from '../support/inventory.js';
import { configure, enable, fqdnWithCsr, providerOf, startAppWithCa } from '../support/signing.js';
import { silentAddress } from '../support/small-server.js';

describeEachDialect('testing a provider', (open) => {
  let app: TestApp;
  let ca: FakeCa;
  let acmeServer: FakeAcme;
  let close: () => Promise<void>;
  let dummyCa: Provider;
  let acme: Provider;

  beforeAll(async () => {
    acmeServer = await startFakeAcme();
    ({ app, ca, close } = await startAppWithCa(open, { ACME_DIRECTORY_URL: acmeServer.directoryUrl }));
    dummyCa = await providerOf(app, 'dummy-ca');
    acme = await providerOf(app, 'acme');
  });
  afterEach(async () => {
    ca.answer('normally');
    acmeServer.answer();
    await configure(app, dummyCa, { baseUrl: ca.url }).expect(200);
  });
  afterAll(async () => {
    await close();
    await acmeServer.close();
  });

  const run = (provider: Pick<Provider, 'id'>, body?: object) => {
    const request = app.request.post(`/providers/${provider.id}/test`).set(app.people.ada.auth);
    return body === undefined ? request : request.send(body);
  };

  describe('the list with include=usage', () => {
    const list = async (person = app.people.ada, query = '?include=usage') => {
      const { body } = await app.request.get(`/providers${query}`).set(person.auth).expect(200);
      return (body as Provider[]).find(({ id }) => id === dummyCa.id);
    };

    test('shows administrators the last test, until the configuration changes', async () => {
      ca.answer('with a refusal');
      const { body: failed } = await run(dummyCa, { deep: true }).expect(200);
      const at = app.clock.now().toISOString();
      expect((await list())?.lastTest).toEqual({ at, ...failed, success: false, durationMs: 0 });
      ca.answer('normally');
      await run(dummyCa).expect(200);
      expect((await list())?.lastTest).toMatchObject({ success: true });
      expect(await list(app.people.cleo)).not.toHaveProperty('lastTest');
      expect(await list(app.people.ada, '')).not.toHaveProperty('lastTest');
      await configure(app, dummyCa, { baseUrl: ca.url }).expect(200);
      expect(await list()).not.toHaveProperty('lastTest');
    });

    test('counts the users of each provider in readable spaces', async () => {
      expect((await list())?.usage).toEqual({ fqdns: 0, pendingRenewals: 0 });
      const { fqdn } = await fqdnWithCsr(app, 'used.example.org');
      ca.answer('with a certificate that is due');
      await configure(app, dummyCa, { baseUrl: ca.url, validityDays: 30 }).expect(200);
      await app.request
        .post(pathOf(fqdn, 'csr/sign'))
        .set(app.people.ada.auth)
        .send({ providerId: dummyCa.id })
        .expect(200);
      const issuedAt = app.clock.now().toISOString();
      await app.request
        .put(pathOf(fqdn, 'renewal-enabled'))
        .set(app.people.ada.auth)
        .send({ renewalEnabled: true })
        .expect(200);
      // answers for those who may read all are up to ten seconds old
      expect((await list())?.usage?.fqdns).toBe(0);
      app.clock.advance(10_000);
      ca.answer('with a refusal');
      await app.runRenewalJob();
      expect((await list())?.usage).toEqual({
        fqdns: 1,
        pendingRenewals: 1,
        spaces: [{ id: fqdn.spaceId, name: 'space', fqdns: 1 }],
        lastIssuedAt: issuedAt,
        lastFailure: { at: app.clock.now().toISOString(), message: 'the CA refused: this CSR is not liked' },
      });
      expect((await list(app.people.cleo))?.usage).toEqual({ fqdns: 0, pendingRenewals: 0 });
      await app.request.get('/providers?include=other').set(app.people.ada.auth).expect(400);
    });

    test('names the ten spaces with the most FQDNs, and counts the FQDNs of all', async () => {
      app.clock.advance(10_000);
      const before = (await list())?.usage?.fqdns ?? 0;
      const names = Array.from({ length: 12 }, (_, place) => `team ${String.fromCharCode(97 + place)}`);
      for (const [place, name] of names.entries()) {
        const { id } = await addSpace(app, name);
        // the last two have most
        for (let count = Math.max(1, place - 8); count > 0; count -= 1) {
          const fqdn = await addFqdn(app, id, `n${count}.s${place}.example.org`);
          const body = { providerId: dummyCa.id };
          await app.request
            .put(`/spaces/${id}/fqdns/${fqdn.id}`)
            .set(app.people.ada.auth)
            .send(body)
            .expect(200);
        }
      }
      app.clock.advance(10_000);
      const { fqdns, spaces } = (await list())?.usage ?? {};
      expect(fqdns).toBe(before + 15);
      expect(spaces?.slice(0, 2).map(({ name, fqdns }) => [name, fqdns])).toEqual([
        ['team l', 3],
        ['team k', 2],
      ]);
      expect(spaces?.slice(2).map((space) => space.fqdns)).toEqual(Array.from({ length: 8 }, () => 1));
    });
  });

  describe('a dummy CA', () => {
    test('succeeds if it responds, without signing anything', async () => {
      const before = ca.ids.length;
      const { body } = await run(dummyCa).expect(200);
      expect(body).toEqual({ success: true, message: 'the CA answers, its root is CN=Fake CA' });
      expect(ca.ids).toHaveLength(before);
      expect((await auditEntries(app, 'provider.test')).at(-1)).toMatchObject({
        resourceId: dummyCa.id,
        outcome: 'success',
        details: { provider: 'dummy-ca', depth: 'shallow' },
      });
    });

    test.each([[{}], [{ deep: false }]])('accepts the body %j', async (body) => {
      expect((await run(dummyCa, body).expect(200)).body.success).toBe(true);
    });

    test('signs a throwaway CSR in a deep test', async () => {
      const before = ca.ids.length;
      const { body } = await run(dummyCa, { deep: true }).expect(200);
      expect(body).toEqual({
        success: true,
        message: 'the CA answers, its root is CN=Fake CA, and it signs',
      });
      expect(ca.ids).toHaveLength(before + 1);
    });

    test('fails only the deep test if it returns wrong certificates', async () => {
      ca.answer('for another key');
      expect((await run(dummyCa).expect(200)).body.success).toBe(true);
      const { body } = await run(dummyCa, { deep: true }).expect(200);
      expect(body).toEqual({
        success: false,
        message: 'the certificate is for another key than the CSR',
      });
    });

    test('works if it is disabled', async () => {
      await enable(app, dummyCa, false).expect(200);
      expect((await run(dummyCa).expect(200)).body.success).toBe(true);
      await enable(app, dummyCa).expect(200);
    });

    test('fails with the reason if it does not respond, and writes an audit entry', async () => {
      const baseUrl = await silentAddress();
      await configure(app, dummyCa, { baseUrl, allowPrivateNetwork: true }).expect(200);
      const { body } = await run(dummyCa).expect(200);
      expect(body).toEqual({ success: false, message: 'the CA failed: GET /health: ECONNREFUSED' });
      expect((await auditEntries(app, 'provider.test')).at(-1)).toMatchObject({
        outcome: 'failure',
        details: { reason: body.message },
      });
    });

    test('fails if its root is not the pinned one', async () => {
      await configure(app, dummyCa, { baseUrl: ca.url, rootPem: ca.rootPem() }).expect(200);
      expect((await run(dummyCa).expect(200)).body.success).toBe(true);
      await ca.restart();
      const { body } = await run(dummyCa).expect(200);
      expect(body).toEqual({ success: false, message: "the CA's root is not the pinned one" });
    });
  });

  describe('an ACME CA', () => {
    test('succeeds with a valid directory and nonces', async () => {
      const { body } = await run(acme).expect(200);
      expect(body).toEqual({ success: true, message: 'the directory is valid and hands out nonces' });
      expect(acmeServer.paths.slice(-2)).toEqual(['GET /directory', 'HEAD /nonce']);
    });

    const elsewhere = { ...directoryAt('http://127.0.0.1:1'), newNonce: 'http://169.254.169.254/nonce' };
    test.each([
      ['is not JSON', 200, 'directory', /not an ACME directory/],
      ['lacks a resource', 200, '{}', /not an ACME directory: newNonce is missing/],
      ['points to another host', 200, JSON.stringify(elsewhere), /another host: 169\.254\.169\.254/],
      ['is not there', 404, '', /answered with 404/],
      [
        'is a redirect',
        302,
        '',
        /the CA answers with a redirect to another path of http:.*: use that address/,
      ],
    ])('fails if its directory %s', async (_, status, text, message) => {
      const before = acmeServer.paths.length;
      acmeServer.answer(status, text);
      const { body } = await run(acme).expect(200);
      expect(body).toEqual({ success: false, message: expect.stringMatching(message) });
      expect(acmeServer.paths.slice(before)).toEqual(['GET /directory']);
    });

    test('fails if it requires an external account that is not configured', async () => {
      const base = new URL(acmeServer.directoryUrl).origin;
      const meta = { externalAccountRequired: true };
      acmeServer.answer(200, JSON.stringify({ ...directoryAt(base), meta }));
      const { body } = await run(acme).expect(200);
      expect(body).toEqual({
        success: false,
        message:
          'the CA requires an external account: eab is missing; set eab.kid and eab.hmacKey, as the CA gave them, in the configuration of the provider',
      });
    });
  });

  describe('is refused', () => {
    test.each([unknownId, ...badIds])('for the provider %s', async (id) => {
      await run({ id }).expect(404);
    });

    test('for an unknown depth', async () => {
      await run(dummyCa, { deep: 'yes' }).expect(400);
    });

    test('to everyone but administrators, without a call', async () => {
      const before = ca.paths.length;
      const path = `/providers/${dummyCa.id}/test`;
      await app.request.post(path).set(app.people.ben.auth).expect(403);
      await app.request.post(path).expect(401);
      expect(ca.paths).toHaveLength(before);
    });
  });
});

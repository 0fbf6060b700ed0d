import type { Certificate, Fqdn } from '@certloop/contracts';
import { certificateLabel, describeCertificate, parseCertificate, parsePem } from '@certloop/crypto';
import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { deleteEveryCsr, findCsr, lockCsrsForShare } from '../../src/csrs/csrs.repository.js';
import type { TestApp } from '../support/app.js';
import type { FakeCa, Manner } from '../support/cas/fake-ca.js';
import { grant } from '../support/factories.js';
import { addFqdn, addSpace, auditEntries, badIds, pathOf, unknownId } from '../support/inventory.js';
import type { Person } from '../support/people.js';
import { configure, enable, fqdnWithCsr, providerOf, startAppWithCa } from '../support/signing.js';
import { silentAddress } from '../support/small-server.js';

describeEachDialect('signing a CSR', (open) => {
  let app: TestApp;
  let ca: FakeCa;
  let close: () => Promise<void>;
  let providerId: string;

  beforeAll(async () => {
    ({ app, ca, close } = await startAppWithCa(open));
    ({ id: providerId } = await providerOf(app, 'dummy-ca'));
  });
  afterEach(async () => {
    ca.answer('normally');
    await configure(app, { id: providerId }, { baseUrl: ca.url }).expect(200);
    await enable(app, { id: providerId }).expect(200);
  });
  afterAll(() => close());

  const sign = (fqdn: Fqdn, person: Person = app.people.ada, body: object = { providerId }) =>
    app.request.post(pathOf(fqdn, 'csr/sign')).set(person.auth).send(body);
  const certificatesOf = async (fqdn: Fqdn): Promise<Certificate[]> => {
    const { body } = await app.request.get(pathOf(fqdn, 'certificates')).set(app.people.ada.auth).expect(200);
    return body as Certificate[];
  };

  test('returns a certificate for the key and the names of the CSR, and stores it', async () => {
    const { fqdn, csr } = await fqdnWithCsr(app);
    const { body } = await sign(fqdn).expect(200);
    expect(body).toEqual({
      success: true,
      message: 'signed by dummy-ca, valid until 2027-03-01T11:59:00.000Z',
      certificate: expect.stringMatching(/^-----BEGIN CERTIFICATE-----\n[^-]+-----END CERTIFICATE-----\n$/),
    });
    const leaf = describeCertificate(parseCertificate(parsePem(body.certificate, [certificateLabel])));
    expect(leaf.dnsNames).toEqual(['www.example.org']);
    expect(await certificatesOf(fqdn)).toEqual([
      {
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        fqdnId: fqdn.id,
        spaceId: fqdn.spaceId,
        pem: body.certificate,
        issuer: 'CN=Fake CA',
        expiresAt: '2027-03-01T11:59:00.000Z',
        createdAt: '2026-03-01T12:00:00.000Z',
      },
    ]);
    const entries = await auditEntries(app, 'csr.sign');
    expect(entries.at(-1)).toMatchObject({
      resourceType: 'csr',
      resourceId: csr.id,
      spaceId: fqdn.spaceId,
      outcome: 'success',
      details: { fqdn: 'www.example.org', provider: 'dummy-ca', serial: leaf.serialNumber },
    });
  });

  test('asks for the configured validity', async () => {
    const { fqdn } = await fqdnWithCsr(app);
    await configure(app, { id: providerId }, { baseUrl: ca.url, validityDays: 7 }).expect(200);
    await sign(fqdn).expect(200);
    expect(ca.validityDays.at(-1)).toBe(7);
    expect((await certificatesOf(fqdn))[0]?.expiresAt).toBe('2026-03-08T11:59:00.000Z');
  });

  test('the same FQDN signed twice at once has one certificate, which both calls return', async () => {
    const { fqdn } = await fqdnWithCsr(app);
    const replies = await Promise.all([sign(fqdn), sign(fqdn)]);
    expect(replies.map(({ status, body }) => [status, body.success])).toEqual([
      [200, true],
      [200, true],
    ]);
    const [{ pem } = { pem: '' }, ...others] = await certificatesOf(fqdn);
    expect(others).toEqual([]);
    expect(replies.map(({ body }) => body.certificate)).toEqual([pem, pem]);
  });

  describe('a CA that fails', () => {
    test.each<[Manner, RegExp]>([
      ['for another key', /^the certificate is for another key than the CSR$/],
      ['with a further name', /^the certificate has a name that the CSR has not: stray\.example\.org$/],
      [
        'by a foreign root',
        /^the certificate does not chain to the CA's root: no issuer is known for "CN=www\.example\.org"$/,
      ],
      ['with an expired certificate', /^the certificate expired at /],
      ['with a refusal', /^the CA refused: this CSR is not liked$/],
      ['with a fault', /^the CA failed: signing failed$/],
      ['without a certificate', /^the CA's answer is not a certificate: /],
      ['without JSON', /^the CA may have issued, but its answer is lost: POST \/csr: /],
      ['with a redirect', /^the CA failed: POST \/csr was answered with 302$/],
      ['without end', /^the CA failed: the answer is larger than 1048576 bytes$/],
    ])('%s: 200 with the reason, and nothing stored', async (manner, reason) => {
      const { fqdn, csr } = await fqdnWithCsr(app);
      ca.answer(manner);
      const { body } = await sign(fqdn).expect(200);
      expect(body).toEqual({ success: false, message: expect.stringMatching(reason) });
      expect(await certificatesOf(fqdn)).toEqual([]);
      expect((await auditEntries(app, 'csr.sign')).at(-1)).toMatchObject({
        resourceId: csr.id,
        outcome: 'failure',
        details: { reason: body.message },
      });
      expect(ca.paths).not.toContain('/elsewhere');
    });

    test('without a response: 200 with the reason after the timeout', async () => {
      const { fqdn } = await fqdnWithCsr(app);
      await configure(app, { id: providerId }, { baseUrl: ca.url, timeoutMs: 150 }).expect(200);
      ca.answer('never');
      const { body } = await sign(fqdn).expect(200);
      expect(body).toEqual({
        success: false,
        message: 'the CA failed: POST /csr: no answer in time',
      });
    });

    test('that is unavailable: 200 with the reason', async () => {
      const { fqdn } = await fqdnWithCsr(app);
      const away = { baseUrl: await silentAddress(), allowPrivateNetwork: true };
      await configure(app, { id: providerId }, away).expect(200);
      const { body } = await sign(fqdn).expect(200);
      expect(body).toEqual({ success: false, message: 'the CA failed: POST /csr: ECONNREFUSED' });
    });
  });

  describe('the root', () => {
    test('is read again after a restart of the CA', async () => {
      const { fqdn } = await fqdnWithCsr(app);
      expect((await sign(fqdn)).body).toMatchObject({ success: true });
      await ca.restart();
      expect((await sign(fqdn)).body).toMatchObject({ success: true });
    });

    test('is read once for many certificates', async () => {
      const { fqdn } = await fqdnWithCsr(app);
      await sign(fqdn).expect(200);
      const before = ca.paths.filter((path) => path === '/root').length;
      await sign(fqdn).expect(200);
      expect(ca.paths.filter((path) => path === '/root')).toHaveLength(before);
    });

    test('when pinned, no other one is accepted', async () => {
      const { fqdn } = await fqdnWithCsr(app);
      await configure(app, { id: providerId }, { baseUrl: ca.url, rootPem: ca.rootPem() }).expect(200);
      expect((await sign(fqdn)).body).toMatchObject({ success: true });
      await ca.restart();
      expect((await sign(fqdn)).body).toEqual({
        success: false,
        message: "the CA's root is not the pinned one",
      });
    });
  });

  test('runs at most the configured number of requests at once', async () => {
    const fqdns: Fqdn[] = [];
    while (fqdns.length < 6) fqdns.push((await fqdnWithCsr(app)).fqdn);
    await configure(app, { id: providerId }, { baseUrl: ca.url, maxConcurrency: 2 }).expect(200);
    ca.answer('when let go');
    const replies = fqdns.map((fqdn) => sign(fqdn).then(({ body }) => body.success as boolean));
    expect(await ca.letGoUntil(Promise.all(replies))).toEqual(Array.from({ length: 6 }, () => true));
    expect(ca.maxConcurrent()).toBeLessThanOrEqual(2);
  });

  describe('an object deleted while the CA works', () => {
    test.each([
      ['the FQDN', (fqdn: Fqdn) => app.request.delete(`/spaces/${fqdn.spaceId}/fqdns/${fqdn.id}`)],
      ['the CSR', () => app.request.delete('/csrs?confirm=true')],
    ])('%s: returns 404, stores nothing, and records the certificate in the audit log', async (_, remove) => {
      const { fqdn } = await fqdnWithCsr(app);
      ca.answer('when let go');
      const before = ca.paths.length;
      const reply = sign(fqdn).then((answer) => answer);
      while (ca.paths.length === before) await new Promise((resolve) => setImmediate(resolve));
      await remove(fqdn).set(app.people.ada.auth).expect(200);
      expect((await ca.letGoUntil(reply)).status).toBe(404);
      const { spaceId } = fqdn;
      expect((await auditEntries(app, 'certificate.issue')).at(-1)).toMatchObject({
        outcome: 'failure',
        resourceType: 'fqdn',
        resourceId: fqdn.id,
        spaceId,
        details: {
          fqdn: fqdn.fqdn,
          fqdnId: fqdn.id,
          provider: 'dummy-ca',
          providerId,
          spkiSha256: expect.stringMatching(/^[0-9a-f]{64}$/),
          serial: expect.stringMatching(/^[0-9a-f]{2,40}$/),
          reason: expect.stringContaining('issued, but not stored'),
        },
      });
    });

    test('the CSR, while the certificate is being stored: is deleted afterwards', async () => {
      const { csr } = await fqdnWithCsr(app);
      const { database } = app;
      let begin = (): void => undefined;
      const locked = new Promise<void>((resolve) => {
        begin = resolve;
      });
      const deletion = locked.then(() => database.transaction(deleteEveryCsr));
      await database.transaction(async (tx) => {
        expect(await lockCsrsForShare(tx, [csr.id])).toEqual([csr.id]);
        begin();
        // time enough for a deletion that waits for no one
        for (let look = 0; look < 100; look += 1) expect(await findCsr(tx, csr.id)).toBeDefined();
      });
      expect(await deletion).toBeGreaterThan(0);
    });
  });

  describe('is refused', () => {
    test('for a provider that is disabled', async () => {
      const { fqdn } = await fqdnWithCsr(app);
      await enable(app, { id: providerId }, false).expect(200);
      const { body } = await sign(fqdn).expect(400);
      expect(body).toMatchObject({
        code: 'provider_disabled',
        detail:
          'provider is disabled: dummy-ca; an administrator enables it by PUT /providers/{id}/enabled or by certloop providers enable dummy-ca',
      });
    });

    test('for a provider that is not configured, naming the key', async () => {
      const { fqdn } = await fqdnWithCsr(app);
      const acme = await providerOf(app, 'acme');
      await enable(app, acme).expect(200);
      const { body } = await sign(fqdn, app.people.ada, { providerId: acme.id }).expect(400);
      expect(body).toMatchObject({
        code: 'provider_incomplete',
        detail:
          'provider acme is not configured: directoryUrl is missing; an administrator sets it by PUT /providers/{id}/config',
      });
    });

    test('for an FQDN without a CSR', async () => {
      const { id } = await addSpace(app);
      const { body } = await sign(await addFqdn(app, id)).expect(404);
      expect(body).toMatchObject({ code: 'csr_not_found' });
    });

    test('for an unknown provider', async () => {
      const { fqdn } = await fqdnWithCsr(app);
      const { body } = await sign(fqdn, app.people.ada, { providerId: unknownId }).expect(404);
      expect(body).toMatchObject({ code: 'provider_not_found' });
    });

    test.each([unknownId, ...badIds])('for the FQDN %s', async (id) => {
      const space = await addSpace(app);
      await app.request
        .post(`/spaces/${space.id}/fqdns/${id}/csr/sign`)
        .set(app.people.ada.auth)
        .send({ providerId })
        .expect(404);
    });

    test('for an FQDN of another space', async () => {
      const { fqdn } = await fqdnWithCsr(app);
      const elsewhere = await addSpace(app);
      await sign({ ...fqdn, spaceId: elsewhere.id }).expect(404);
    });

    test.each([
      ['no provider', {}],
      ['null', { providerId: null }],
      ['a number', { providerId: 7 }],
      ['no uuid', { providerId: 'dummy-ca' }],
    ])('for a body with %s', async (_, body) => {
      const { fqdn } = await fqdnWithCsr(app);
      await sign(fqdn, app.people.ada, body).expect(400);
    });

    test('to callers without the permission', async () => {
      const { fqdn } = await fqdnWithCsr(app, 'permission.example.org');
      const { ben, cleo } = app.people;
      await grant(app, ben, 'READ', [fqdn.spaceId]);
      await sign(fqdn, ben).expect(403);
      await sign(fqdn, cleo).expect(404);
      await app.request.post(pathOf(fqdn, 'csr/sign')).send({ providerId }).expect(401);
      await grant(app, ben, 'READ_WRITE', [fqdn.spaceId]);
      expect((await sign(fqdn, ben).expect(200)).body).toMatchObject({ success: true });
    });
  });
});

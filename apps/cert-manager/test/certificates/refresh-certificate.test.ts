import type { Certificate, Csr, Fqdn } from '@certloop/contracts';
import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { certificates, updateCertificate } from '../../src/certificates/certificates.repository.js';
import type { TestApp } from '../support/app.js';
import type { FakeCa } from '../support/cas/fake-ca.js';
import { grant } from '../support/factories.js';
import { addCsr, auditEntries, badIds, pathOf, unknownId } from '../support/inventory.js';
import type { Person } from '../support/people.js';
import { configure, enable, fqdnWithCsr, newCsr, providerOf, startAppWithCa } from '../support/signing.js';

describeEachDialect('refreshing a certificate', (open) => {
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
  });
  afterAll(() => close());

  const list = async (fqdn: Fqdn): Promise<Certificate[]> => {
    const { body } = await app.request.get(pathOf(fqdn, 'certificates')).set(app.people.ada.auth).expect(200);
    return body as Certificate[];
  };
  /** Signs the newest CSR; the certificate and what the CA calls it. */
  const sign = async (fqdn: Fqdn) => {
    const path = pathOf(fqdn, 'csr/sign');
    const { body } = await app.request.post(path).set(app.people.ada.auth).send({ providerId }).expect(200);
    expect(body.success).toBe(true);
    const certificate = (await list(fqdn)).at(-1);
    const upstreamId = ca.ids.at(-1);
    if (certificate === undefined || upstreamId === undefined) throw new Error('nothing was signed');
    return { certificate, upstreamId };
  };
  const signed = async () => {
    const { fqdn, csr } = await fqdnWithCsr(app);
    return { fqdn, csr, ...(await sign(fqdn)) };
  };
  /** PEM of a certificate of 10 days that the CA issues, and that is not stored. */
  const issuedFor = async ({ csrPem }: Csr): Promise<string> => {
    const csr = Buffer.from(csrPem).toString('base64');
    const body = JSON.stringify({ csr, validity_days: 10 });
    const answer = await fetch(`${ca.url}/csr`, { method: 'POST', body });
    return ((await answer.json()) as { certificate: string }).certificate;
  };
  const refresh = (fqdn: Fqdn, { id }: Pick<Certificate, 'id'>, person: Person = app.people.ada) =>
    app.request.post(pathOf(fqdn, `certificates/${id}/refresh`)).set(person.auth);

  test('returns it unchanged and writes an audit entry if the CA returns the same one', async () => {
    const { fqdn, certificate } = await signed();
    const { body } = await refresh(fqdn, certificate).expect(200);
    expect(body).toEqual(certificate);
    expect(await list(fqdn)).toEqual([certificate]);
    expect((await auditEntries(app, 'certificate.refresh')).at(-1)).toMatchObject({
      resourceType: 'certificate',
      resourceId: certificate.id,
      spaceId: fqdn.spaceId,
      outcome: 'success',
      details: { status: 'found', provider: 'dummy-ca' },
    });
  });

  test('accepts a response with only the required members', async () => {
    const { fqdn } = await fqdnWithCsr(app);
    ca.answer('with few words');
    const { certificate } = await sign(fqdn);
    const { body } = await refresh(fqdn, certificate).expect(200);
    expect(body).toEqual(certificate);
  });

  test('stores a newer one for the same key', async () => {
    const { fqdn, csr, certificate, upstreamId } = await signed();
    const pem = await issuedFor(csr);
    ca.swap(upstreamId, pem);
    const { body } = await refresh(fqdn, certificate).expect(200);
    expect(body).toEqual({ ...certificate, pem, expiresAt: '2026-03-11T11:59:00.000Z' });
    expect(await list(fqdn)).toEqual([body]);
  });

  test('returns it unchanged as missing if the CA returns another stored one', async () => {
    const { fqdn, certificate, upstreamId } = await signed();
    const { certificate: other } = await sign(fqdn);
    ca.swap(upstreamId, other.pem);
    const { body } = await refresh(fqdn, certificate).expect(200);
    expect(body).toEqual({ ...certificate, providerStatus: 'missing' });
    expect(await list(fqdn)).toEqual([certificate, other]);
  });

  test('returns 502 and stores nothing if the CA returns one for another key', async () => {
    const { fqdn, certificate, upstreamId } = await signed();
    await addCsr(app, fqdn, await newCsr(fqdn.fqdn));
    const { certificate: other } = await sign(fqdn);
    ca.swap(upstreamId, other.pem);
    const { body } = await refresh(fqdn, certificate).expect(502);
    expect(body).toMatchObject({ detail: 'the CA answered with a certificate for another key' });
    expect((await list(fqdn))[0]).toEqual(certificate);
    expect((await auditEntries(app, 'certificate.refresh')).at(-1)).toMatchObject({
      resourceId: certificate.id,
      outcome: 'failure',
      details: { reason: body.detail },
    });
  });

  test('returns 502 if the CA does not return a certificate', async () => {
    const { fqdn, certificate, upstreamId } = await signed();
    ca.swap(upstreamId, 'no certificate');
    await refresh(fqdn, certificate).expect(502);
    expect(await list(fqdn)).toEqual([certificate]);
  });

  test('returns the stored one as missing if the CA has forgotten it', async () => {
    const { fqdn, certificate } = await signed();
    await ca.restart();
    const { body } = await refresh(fqdn, certificate).expect(200);
    expect(body).toEqual({ ...certificate, providerStatus: 'missing' });
    expect(await list(fqdn)).toEqual([certificate]);
    expect((await auditEntries(app, 'certificate.refresh')).at(-1)?.details).toMatchObject({
      status: 'missing',
    });
  });

  test('works after the certificate has expired', async () => {
    const { fqdn } = await fqdnWithCsr(app);
    await configure(app, { id: providerId }, { baseUrl: ca.url, validityDays: 1 }).expect(200);
    const { certificate } = await sign(fqdn);
    const before = app.clock.now();
    app.clock.advance(2 * 86_400_000);
    const { body } = await refresh(fqdn, certificate).expect(200);
    expect(body).toEqual(certificate);
    app.clock.set(before);
  });

  test('works while the provider is disabled', async () => {
    const { fqdn, certificate } = await signed();
    await enable(app, { id: providerId }, false).expect(200);
    await refresh(fqdn, certificate).expect(200);
    await enable(app, { id: providerId }).expect(200);
  });

  test.each([
    ['that no provider issued', { providerId: null }],
    ['for which its provider has no id', { upstreamId: null }],
  ])('leaves %s unchanged, without a call', async (_, change) => {
    const { fqdn, certificate } = await signed();
    await app.database.transaction((tx) => updateCertificate(tx, certificate.id, change));
    const before = ca.paths.length;
    const { body } = await refresh(fqdn, certificate).expect(200);
    expect(body).toEqual(certificate);
    expect(ca.paths).toHaveLength(before);
  });

  test('returns 502 if the CA fails, and 504 if it does not respond', async () => {
    const { fqdn, certificate } = await signed();
    ca.answer('with a fault');
    const { body } = await refresh(fqdn, certificate).expect(502);
    expect(body.detail).toBe('the CA failed: out of order');
    await configure(app, { id: providerId }, { baseUrl: ca.url, timeoutMs: 100 }).expect(200);
    ca.answer('never');
    await refresh(fqdn, certificate).expect(504);
    expect(await list(fqdn)).toEqual([certificate]);
  });

  describe('is refused', () => {
    test.each([unknownId, ...badIds])('for the certificate %s', async (id) => {
      const { fqdn } = await fqdnWithCsr(app);
      await refresh(fqdn, { id }).expect(404);
    });

    test('for a certificate of another FQDN', async () => {
      const { certificate } = await signed();
      const { fqdn: other } = await fqdnWithCsr(app);
      await refresh(other, certificate).expect(404);
    });

    test('to callers without the permission', async () => {
      const { fqdn, certificate } = await signed();
      const { ben, cleo } = app.people;
      await grant(app, ben, 'READ', [fqdn.spaceId]);
      await refresh(fqdn, certificate, ben).expect(403);
      await refresh(fqdn, certificate, cleo).expect(404);
      await app.request.post(pathOf(fqdn, `certificates/${certificate.id}/refresh`)).expect(401);
      await grant(app, ben, 'READ_WRITE', [fqdn.spaceId]);
      await refresh(fqdn, certificate, ben).expect(200);
    });
  });

  describe('the list of certificates', () => {
    test('returns them oldest first', async () => {
      const { fqdn, certificate } = await signed();
      app.clock.advance(1000);
      const { certificate: second } = await sign(fqdn);
      expect(await list(fqdn)).toEqual([certificate, second]);
    });

    test('is empty before the first certificate', async () => {
      const { fqdn } = await fqdnWithCsr(app);
      expect(await list(fqdn)).toEqual([]);
    });

    test('keeps them when the CSRs are deleted, and is deleted with the FQDN', async () => {
      const { fqdn, certificate } = await signed();
      await app.request.delete('/csrs?confirm=true').set(app.people.ada.auth).expect(200);
      expect(await list(fqdn)).toEqual([certificate]);
      const path = `/spaces/${fqdn.spaceId}/fqdns/${fqdn.id}`;
      await app.request.delete(path).set(app.people.ada.auth).expect(200);
      await app.request.get(pathOf(fqdn, 'certificates')).set(app.people.ada.auth).expect(404);
      expect(await app.database.read((tx) => tx.countBy(certificates, { fqdnId: fqdn.id }))).toBe(0);
    });

    test('is shown to readers only', async () => {
      const { fqdn, certificate } = await signed();
      const { ben, cleo } = app.people;
      const read = (person: Person) => app.request.get(pathOf(fqdn, 'certificates')).set(person.auth);
      await read(cleo).expect(404);
      await app.request.get(pathOf(fqdn, 'certificates')).expect(401);
      await grant(app, ben, 'READ', [fqdn.spaceId]);
      expect((await read(ben).expect(200)).body).toEqual([certificate]);
    });

    test.each([unknownId, ...badIds])('returns 404 for the FQDN %s', async (id) => {
      const { fqdn } = await fqdnWithCsr(app);
      await app.request
        .get(pathOf({ ...fqdn, id }, 'certificates'))
        .set(app.people.ada.auth)
        .expect(404);
    });
  });
});

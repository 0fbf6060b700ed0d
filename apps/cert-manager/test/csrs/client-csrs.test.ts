import { randomUUID } from 'node:crypto';
import type { Csr, Fqdn } from '@certloop/contracts';
import { newRowId } from '@certloop/db';
import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { listLastCertificates } from '../../src/certificates/newest-certificates.repository.js';
import { csrRulesOf } from '../../src/csrs/csr-findings.js';
import { type CsrRow, findCsr, insertCsr } from '../../src/csrs/csrs.repository.js';
import { validateCsr } from '../../src/csrs/validate-csr.service.js';
import { lockFqdn } from '../../src/fqdns/fqdns.repository.js';
import { type OrderingPlace, startOrdering } from '../support/acme/ordering-place.js';
import { addCsr, addFqdn, addSpace, csrUpload, pathOf } from '../support/inventory.js';
import { certificatesOf, clearInventory, switchRenewal } from '../support/renewals.js';
import { newCsr, providerOf } from '../support/signing.js';

describeEachDialect('the CSR of an order of an ACME client', (open) => {
  let place: OrderingPlace;
  beforeAll(async () => {
    place = await startOrdering(open, {});
  });
  afterEach(() => clearInventory(place.app));
  afterAll(() => place.close());

  /** Stores a CSR with a key of its own as that of an order. */
  const storeClientCsr = async (fqdn: Fqdn): Promise<CsrRow> => {
    const { database, clock } = place.app;
    const file = Buffer.from(await newCsr(fqdn.fqdn));
    const upload = { spaceId: fqdn.spaceId, fqdnId: fqdn.id, file, stated: fqdn };
    const now = clock.now();
    return database.transaction(async (tx) => {
      const held = await lockFqdn(tx, fqdn.spaceId, fqdn.id);
      const stored = await validateCsr(upload, held, csrRulesOf(undefined, fqdn.fqdn));
      return insertCsr(tx, { id: newRowId(now), fqdnId: fqdn.id, ...stored, createdAt: now }, randomUUID());
    });
  };

  const get = async (path: string, status = 200) =>
    (await place.app.request.get(path).set(place.app.people.ada.auth).expect(status)).body;

  const readAll = async (fqdn: Fqdn, hasCsr: boolean) => {
    const { spaceId, id } = fqdn;
    const reads: Record<string, unknown> = {};
    for (const path of [
      pathOf(fqdn, 'csr'),
      pathOf(fqdn, 'csr?limit=1'),
      pathOf(fqdn, 'csr?limit=1&order=desc'),
      pathOf(fqdn, 'renewal-explanation'),
      pathOf(fqdn, 'challenge-setup'),
      `/spaces/${spaceId}/fqdns`,
      `/spaces/${spaceId}/fqdns/${id}`,
      `/fqdns?spaceId=${spaceId}`,
      '/stats',
      '/stats?details=true',
    ])
      reads[path] = await get(path);
    reads['latest'] = await get(pathOf(fqdn, 'csr?latest=true'), hasCsr ? 200 : 404);
    const { app } = place;
    const policy = {
      allowedNames: {
        names: ['elsewhere.test'],
        suffixes: [],
        wildcards: false,
        cidrs: [],
        beyondFqdn: true,
      },
    };
    const dryRun = app.request.put(`/spaces/${spaceId}/issuance-policy?dryRun=true`).set(app.people.ada.auth);
    reads['policy'] = (await dryRun.send(policy).expect(200)).body;
    return JSON.parse(JSON.stringify(reads, (name, value) => (name === 'requestId' ? undefined : value)));
  };

  test.each([true, false])('changes no answer that reads CSRs (an uploaded one: %s)', async (hasCsr) => {
    const { app } = place;
    const { id: spaceId } = await addSpace(app);
    const fqdn = await addFqdn(app, spaceId, 'www.example.org');
    if (hasCsr) await addCsr(app, fqdn, await newCsr(fqdn.fqdn));
    await switchRenewal(app, fqdn, true);
    const before = await readAll(fqdn, hasCsr);
    await storeClientCsr(fqdn);
    await storeClientCsr(fqdn);
    expect(await readAll(fqdn, hasCsr)).toEqual(before);
    const { body } = await csrUpload(app, fqdn, await newCsr(fqdn.fqdn))
      .query({ dryRun: 'true' })
      .expect(200);
    expect(body.differs !== undefined).toBe(hasCsr);
  });

  test('is not signed by csr/sign, request-certificate or a renewal: the uploaded one is', async () => {
    const { app } = place;
    const { id: spaceId } = await addSpace(app);
    const fqdn = await addFqdn(app, spaceId, 'www.example.org');
    const uploaded: Csr = await addCsr(app, fqdn, await newCsr(fqdn.fqdn));
    const ofClient = await storeClientCsr(fqdn);
    expect(ofClient.position).toBe(-1);
    await switchRenewal(app, fqdn, true);
    const { id: direct } = await providerOf(app, 'dummy-ca');
    const call = (path: string, body: object) =>
      app.request.post(pathOf(fqdn, path)).set(app.people.ada.auth).send(body).expect(200);
    await call('csr/sign', { providerId: direct });
    await call('request-certificate', { confirmed: true });
    const [{ id: certificateId } = { id: '' }] = await certificatesOf(app, fqdn);
    await app.request
      .post('/renewal-queue/test/create')
      .set(app.people.ada.auth)
      .send({ spaceId, fqdnId: fqdn.id, certificateId, minutesFromNow: 0 })
      .expect(201);
    await app.renew();
    const certificates = await app.database.read((tx) => listLastCertificates(tx, fqdn.id, 10));
    expect(certificates.map(({ csrId }) => csrId)).toEqual([uploaded.id, uploaded.id, uploaded.id]);
  });

  test('is none for csr/sign, request-certificate and renewals of an FQDN without an uploaded one', async () => {
    const { app } = place;
    const { id: spaceId } = await addSpace(app);
    const fqdn = await addFqdn(app, spaceId, 'www.example.org');
    await storeClientCsr(fqdn);
    const { id: providerId } = await providerOf(app, 'dummy-ca');
    const codes = [];
    for (const [path, body] of [
      ['csr/sign', { providerId }],
      ['request-certificate', {}],
    ] as const) {
      const answer = await app.request.post(pathOf(fqdn, path)).set(app.people.ada.auth).send(body);
      codes.push([answer.status, answer.body.code]);
    }
    expect(codes).toEqual([
      [404, 'csr_not_found'],
      [404, 'csr_not_found'],
    ]);
  });

  test('stays if an administrator deletes all CSRs, and does not count among those', async () => {
    const { app } = place;
    const { id: spaceId } = await addSpace(app);
    const fqdn = await addFqdn(app, spaceId, 'www.example.org');
    await addCsr(app, fqdn, await newCsr(fqdn.fqdn));
    const { id } = await storeClientCsr(fqdn);
    const { body } = await app.request.delete('/csrs?confirm=true').set(app.people.ada.auth).expect(200);
    expect(body.deletedCount).toBe(1);
    expect(await app.database.read((tx) => findCsr(tx, id))).toMatchObject({ id });
    const next = await addCsr(app, fqdn, await newCsr(fqdn.fqdn));
    expect(await get(pathOf(fqdn, 'csr'))).toMatchObject([{ id: next.id }]);
  });
});

import { request as httpRequest } from 'node:http';
import { deliveredCertificateSchema, type Fqdn } from '@certloop/contracts';
import { until } from '@certloop/contracts/testing';
import { describeEachDialect } from '@certloop/db/testing';
import { createTestServer } from '@certloop/server/testing';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startAppOn } from '../support/app.js';
import { foreignCertificate, foreignPem } from '../support/cas/foreign-ca.js';
import { grant } from '../support/factories.js';
import { addFqdn, addSpace, auditEntries, pathOf } from '../support/inventory.js';
import { useRenewing } from '../support/renewals.js';

const day = 86_400_000;

describeEachDialect('waiting for a newer certificate', (open) => {
  const place = useRenewing(open, { environment: { METRICS_OPEN: 'true' } });
  let fqdn: Fqdn;
  let etag: string;
  const get = (rest: string, headers: object = {}) =>
    place.app.request.get(pathOf(fqdn, rest)).set({ ...place.app.people.ada.auth, ...headers });
  const known = () => ({ 'If-None-Match': etag });
  const store = async () => {
    const pem = await foreignPem(fqdn.fqdn, new Date(place.app.clock.now().getTime() + day));
    await place.app.request
      .post(pathOf(fqdn, 'certificates/import'))
      .set(place.app.people.ada.auth)
      .send({ pem })
      .expect(201);
    return pem;
  };
  const held = async () => {
    const { text } = await place.app.request.get('/metrics').expect(200);
    return Number(/^cert_manager_held_requests (\d+)$/m.exec(text)?.[1]);
  };
  /** Sends a request; `isHeld` resolves once the service holds it. */
  const started = (sent: PromiseLike<{ status: number; text: string; headers: object }>) => ({
    answer: Promise.resolve(sent),
    isHeld: until(async () => (await held()) === 1),
  });

  beforeAll(async () => {
    fqdn = await addFqdn(place.app, (await addSpace(place.app)).id, 'held.example.org');
  });
  beforeEach(async () => {
    await store();
    etag = (await get('certificate')).headers['etag'] ?? '';
  });

  test('a caller without the newest one is answered at once', async () => {
    await get('certificate?wait=120').expect(200);
    await get('certificate?wait=120&format=leaf', known()).expect(200);
  });

  test('a commit of this process ends the wait, and only then the download is recorded', async () => {
    const { answer, isHeld } = started(get('certificate?wait=120', known()));
    await isHeld;
    const before = (await auditEntries(place.app, 'certificate.download')).length;
    const pem = await store();
    const { status, text } = await answer;
    expect({ status, text }).toEqual({ status: 200, text: pem });
    expect((await auditEntries(place.app, 'certificate.download')).length).toBe(before + 1);
    expect(await held()).toBe(0);
  });

  test('a certificate of another process ends the wait at the next round', async () => {
    const other = await startAppOn(place.app.database, { beside: place.app });
    const { answer, isHeld } = started(get('certificate?wait=120', known()));
    await isHeld;
    await place.app.jobs.run('certificates.held');
    expect(await held()).toBe(1);
    const pem = await foreignPem(fqdn.fqdn, new Date(place.app.clock.now().getTime() + day));
    const path = pathOf(fqdn, 'certificates/import');
    await other.request.post(path).set(place.app.people.ada.auth).send({ pem }).expect(201);
    await other.close();
    expect(await held()).toBe(1);
    await place.app.jobs.run('certificates.held');
    expect((await answer).text).toBe(pem);
  });

  test('the wait ends with 304 after its time, which is recorded as no download', async () => {
    const { answer, isHeld } = started(get('certificate?wait=90', known()));
    await isHeld;
    const before = (await auditEntries(place.app, 'certificate.download')).length;
    place.app.clock.advance(89_000);
    await place.app.jobs.run('certificates.held');
    expect(await held()).toBe(1);
    place.app.clock.advance(1000);
    await place.app.jobs.run('certificates.held');
    const { status, headers } = await answer;
    expect({ status, headers }).toMatchObject({ status: 304, headers: { etag } });
    expect(headers).not.toHaveProperty('retry-after');
    expect((await auditEntries(place.app, 'certificate.download')).length).toBe(before);
  });

  test('who may no longer read the space gets nothing at the end', async () => {
    const { ben } = place.app.people;
    await grant(place.app, ben, 'READ', [fqdn.spaceId]);
    const sent = place.app.request.get(pathOf(fqdn, 'certificate?wait=120')).set({ ...ben.auth, ...known() });
    const { answer, isHeld } = started(sent);
    await isHeld;
    await place.app.request
      .put(`/users/${ben.id}`)
      .set(place.app.people.ada.auth)
      .send({ enabled: false })
      .expect(200);
    await store();
    expect((await answer).status).toBe(404);
  });

  test('an FQDN that is deleted ends the wait', async () => {
    const gone = await addFqdn(place.app, (await addSpace(place.app, 'gone')).id, 'gone.example.org');
    const pem = await foreignPem(gone.fqdn, new Date(place.app.clock.now().getTime() + day));
    const { auth } = place.app.people.ada;
    await place.app.request.post(pathOf(gone, 'certificates/import')).set(auth).send({ pem }).expect(201);
    const { headers } = await place.app.request.get(pathOf(gone, 'certificate')).set(auth);
    const sent = place.app.request
      .get(pathOf(gone, 'certificate?wait=120'))
      .set({ ...auth, 'If-None-Match': headers['etag'] ?? '' });
    const { answer, isHeld } = started(sent);
    await isHeld;
    await place.app.request.delete(pathOf(gone, '').replace(/\/$/, '')).set(auth).expect(200);
    await place.app.jobs.run('certificates.held');
    expect((await answer).status).toBe(404);
  });

  test('a client that closes its connection is forgotten', async () => {
    const server = createTestServer(place.app.http).listen(0, '127.0.0.1');
    afterAll(() => void server.close());
    await until(() => server.listening);
    const { port } = server.address() as { port: number };
    const path = pathOf(fqdn, 'certificate?wait=120');
    const headers = { ...place.app.people.ada.auth, ...known() };
    const client = httpRequest({ port, host: '127.0.0.1', path, headers }).end();
    client.on('error', () => undefined);
    await until(async () => (await held()) === 1);
    client.destroy();
    await until(async () => (await held()) === 0);
  });

  test('a service that stops ends all waits', async () => {
    const other = await startAppOn(place.app.database, {
      beside: place.app,
      environment: { METRICS_OPEN: 'true' },
    });
    const sent = other.request
      .get(pathOf(fqdn, 'certificate?wait=120'))
      .set({ ...place.app.people.ada.auth, ...known() });
    const answer = Promise.resolve(sent.then((reply) => reply.status));
    await until(async () =>
      /^cert_manager_held_requests 1$/m.test((await other.request.get('/metrics')).text),
    );
    other.drain();
    expect(await answer).toBe(304);
    await other.close();
  });

  test.each(['121', '-1', '1.5', 'x'])('rejects a wait of %s', async (wait) => {
    const { body } = await get(`certificate?wait=${wait}`).expect(400);
    expect(body.errors[0].path).toBe('query.wait');
  });

  test('JSON has the parts of the certificate and its facts', async () => {
    const [notBefore, notAfter] = [
      new Date(place.app.clock.now().getTime() - day),
      new Date(place.app.clock.now().getTime() + 59 * day),
    ];
    const { leafPem, rootPem } = await foreignCertificate({ dnsNames: [fqdn.fqdn], notBefore, notAfter });
    const { auth } = place.app.people.ada;
    const pem = `${leafPem}${rootPem}`;
    const path = pathOf(fqdn, 'certificates/import');
    const { body: stored } = await place.app.request.post(path).set(auth).send({ pem }).expect(201);
    const detail = (await get(`certificates/${stored.id}`).expect(200)).body;
    const { body, headers } = await get('certificate?format=json').expect(200);
    expect(headers['content-type']).toBe('application/json');
    const delivered = deliveredCertificateSchema.parse(body);
    expect(delivered).toEqual({
      id: stored.id,
      serialNumber: detail.serialNumber,
      sha256: detail.sha256,
      notBefore: notBefore.toISOString(),
      notAfter: notAfter.toISOString(),
      etag: headers['etag'],
      leaf: leafPem,
      chain: stored.pem.slice(leafPem.length),
      fullchain: stored.pem,
    });
    await get('certificate?format=json', { 'If-None-Match': delivered.etag }).expect(304);
  });
});

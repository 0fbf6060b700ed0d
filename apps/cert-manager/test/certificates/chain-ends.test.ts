import type { Certificate, Fqdn, FqdnStatus } from '@certloop/contracts';
import { executeSql } from '@certloop/db';
import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type OrderingPlace, startOrdering } from '../support/acme/ordering-place.js';
import { type ChainedCa, createChainedCa } from '../support/cas/chained-ca.js';
import { addFqdn, addSpace, auditEntries, pathOf } from '../support/inventory.js';
import {
  certificatesOf,
  clearInventory,
  explanationOf,
  openEntryOf,
  switchRenewal,
} from '../support/renewals.js';
import { fqdnWithCsr, providerOf } from '../support/signing.js';

const hostname = 'www.example.org';
const day = 86_400_000;

describeEachDialect('a chain that ends before its certificate', (open) => {
  let place: OrderingPlace;
  /** Its intermediate ends in 5 days. */
  let ca: ChainedCa;
  beforeAll(async () => {
    place = await startOrdering(open, {});
  });
  beforeEach(async () => {
    place.app.clock.set(new Date('2026-03-01T12:00:00Z'));
    place.acme.forget();
    ca = await createChainedCa(place.app.clock.now(), [{ name: 'Ending', endsIn: 5 }]);
    place.acme.issue = async (csrDer) => [await ca.sign(csrDer), ...ca.intermediates].join('');
  });
  afterEach(() => clearInventory(place.app));
  afterAll(() => place.close());

  const start = () => new Date('2026-03-01T12:00:00Z').getTime();
  const inDays = (days: number) => new Date(start() + days * day).toISOString();
  const ends = { expiresAt: inDays(90), chainExpiresAt: inDays(5) };
  const get = async (path: string) => {
    const { app } = place;
    return (await app.request.get(path).set(app.people.ada.auth).expect(200)).body;
  };
  const statusOf = async (fqdn: Fqdn): Promise<FqdnStatus> =>
    (await get(`/spaces/${fqdn.spaceId}/fqdns/${fqdn.id}`)).status;
  const ordered = async () => {
    const { fqdn } = await fqdnWithCsr(place.app, hostname);
    const { id: providerId } = await providerOf(place.app, 'acme');
    const sign = place.app.request.post(pathOf(fqdn, 'csr/sign')).set(place.app.people.ada.auth);
    expect((await sign.send({ providerId }).expect(200)).body).toMatchObject({ success: true });
    await switchRenewal(place.app, fqdn, true).expect(200);
    const [certificate] = await certificatesOf(place.app, fqdn);
    if (certificate === undefined) throw new Error('nothing was stored');
    return { fqdn, certificate };
  };
  const refresh = (fqdn: Fqdn, { id }: Certificate) =>
    place.app.request.post(pathOf(fqdn, `certificates/${id}/refresh`)).set(place.app.people.ada.auth);
  const download = (fqdn: Fqdn, etag = '') =>
    place.app.request
      .get(pathOf(fqdn, 'certificate'))
      .set(place.app.people.ada.auth)
      .set('If-None-Match', etag);

  test('is accepted, and ends the certificate in plan, states and lists', async () => {
    const { fqdn, certificate } = await ordered();
    expect(certificate).toMatchObject(ends);
    expect(await get(pathOf(fqdn, `certificates/${certificate.id}`))).toMatchObject(ends);
    expect(await get(`/certificates?id=${certificate.id}`)).toMatchObject([ends]);
    const { certificate: explained, plan } = await explanationOf(place.app, fqdn);
    expect(explained).toMatchObject(ends);
    expect(plan?.latest.localeCompare(inDays(5))).toBe(-1);
    expect((await openEntryOf(place.app, fqdn)).scheduledAt.localeCompare(inDays(5))).toBe(-1);
    const status = await statusOf(fqdn);
    expect(status.certificate).toMatchObject(ends);
    expect(status.reason).toMatch(
      /An intermediate of its chain ends on 2026-03-06T12:00:00\.000Z, .*: fetch the chain again from the CA\.$/,
    );
    const found = await get(`/fqdns?expiresFrom=${inDays(4)}&expiresBefore=${inDays(6)}&limit=10`);
    expect(found).toMatchObject([{ id: fqdn.id }]);
    place.app.clock.advance(5 * day + 1000);
    expect(await statusOf(fqdn)).toMatchObject({ state: 'expired' });
  });

  test('is replaced when the CA is asked again, and the file is news for those who have it', async () => {
    const { fqdn, certificate } = await ordered();
    const { etag = '' } = (await download(fqdn).expect(200)).headers;
    await download(fqdn, etag).expect(304);
    const [leaf = ''] = certificate.pem.split(/(?<=-----END CERTIFICATE-----\n)/);
    const pem = `${leaf}${ca.renewed}`;
    place.acme.script('certificate', { status: 200, body: { pem } });
    const { body } = await refresh(fqdn, certificate).expect(200);
    expect(body).toMatchObject({ pem, expiresAt: inDays(90) });
    expect(body).not.toHaveProperty('chainExpiresAt');
    const { scheduledAt } = await openEntryOf(place.app, fqdn);
    expect(scheduledAt.localeCompare(inDays(50))).toBe(1);
    expect((await statusOf(fqdn)).reason).not.toMatch(/intermediate/);
    expect((await download(fqdn, etag).expect(200)).text).toBe(pem);
  });

  test('stays if the CA still sends an intermediate that has expired', async () => {
    const { fqdn, certificate } = await ordered();
    place.app.clock.advance(6 * day);
    const { body } = await refresh(fqdn, certificate).expect(502);
    expect(body.detail).toMatch(/"CN=Ending" expired at 2026-03-06/);
    expect(await certificatesOf(place.app, fqdn)).toEqual([certificate]);
  });

  test('of an imported certificate is replaced by a later import', async () => {
    const fqdn = await addFqdn(place.app, (await addSpace(place.app)).id, hostname);
    const leaf = await ca.leafFor(hostname);
    const send = (pem: string) =>
      place.app.request
        .post(pathOf(fqdn, 'certificates/import'))
        .set(place.app.people.ada.auth)
        .send({ pem });
    expect((await send(leaf + ca.intermediates.join('')).expect(201)).body).toMatchObject(ends);
    const { body } = await send(`${leaf}${ca.renewed}`).expect(200);
    expect(body).not.toHaveProperty('chainExpiresAt');
    const pem = `${leaf}${ca.renewed}`;
    expect(await certificatesOf(place.app, fqdn)).toMatchObject([{ pem, expiresAt: inDays(90) }]);
    expect((await statusOf(fqdn)).reason).not.toMatch(/intermediate/);
    expect(await auditEntries(place.app, 'certificate.import')).toHaveLength(2);
    // a chain that ends earlier changes nothing
    await send(leaf + ca.intermediates.join('')).expect(200);
    expect(await certificatesOf(place.app, fqdn)).toMatchObject([{ pem }]);
  });

  test('is found for certificates that an earlier version stored', async () => {
    const { fqdn } = await ordered();
    const other = (await fqdnWithCsr(place.app, 'other.example.org')).fqdn;
    const sign = place.app.request.post(pathOf(other, 'csr/sign')).set(place.app.people.ada.auth);
    await sign.send({ providerId: place.providerId }).expect(200);
    const before = await certificatesOf(place.app, other);
    await place.app.database.transaction((tx) =>
      executeSql(tx, 'update certificates set expires_at = leaf_expires_at, leaf_expires_at = null', []),
    );
    expect((await certificatesOf(place.app, fqdn))[0]).not.toHaveProperty('chainExpiresAt');
    await place.app.readChainEnds();
    expect((await certificatesOf(place.app, fqdn))[0]).toMatchObject(ends);
    expect(await certificatesOf(place.app, other)).toEqual(before);
    expect((await statusOf(fqdn)).certificate).toMatchObject(ends);
    expect((await openEntryOf(place.app, fqdn)).scheduledAt.localeCompare(inDays(5))).toBe(-1);
    const reports = () => place.app.logged().filter(({ event }) => event === 'certificates.chains_read');
    expect(reports()).toMatchObject([{ read: 2, earlier: 1 }]);
    await place.app.readChainEnds();
    expect(reports()).toHaveLength(1);
  });
});

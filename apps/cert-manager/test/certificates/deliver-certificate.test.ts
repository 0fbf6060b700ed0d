import type { Fqdn } from '@certloop/contracts';
import { splitChain } from '@certloop/crypto';
import { executeSql } from '@certloop/db';
import { describeEachDialect } from '@certloop/db/testing';
import { beforeAll, expect, test } from 'vitest';
import { foreignCertificate, foreignPem } from '../support/cas/foreign-ca.js';
import { grant } from '../support/factories.js';
import { addFqdn, addSpace, auditEntries, pathOf } from '../support/inventory.js';
import { useRenewing } from '../support/renewals.js';

const day = 86_400_000;

describeEachDialect('delivering a certificate', (open) => {
  const place = useRenewing(open);
  let fqdn: Fqdn;
  let leaf: string;
  let intermediate: string;
  const now = () => place.app.clock.now();
  const get = (rest: string, headers: object = {}) =>
    place.app.request.get(pathOf(fqdn, rest)).set({ ...place.app.people.ada.auth, ...headers });
  const store = async (pem: string): Promise<string> => {
    const path = pathOf(fqdn, 'certificates/import');
    return (await place.app.request.post(path).set(place.app.people.ada.auth).send({ pem }).expect(201)).body
      .id;
  };
  const downloads = async () => (await auditEntries(place.app, 'certificate.download')).length;

  beforeAll(async () => {
    fqdn = await addFqdn(place.app, (await addSpace(place.app)).id, '*.example.org');
  });

  test('returns 404 while there is none', async () => {
    const { body } = await get('certificate').expect(404);
    expect(body.code).toBe('certificate_not_found');
  });

  test('sends the newest one with its ETag, and records the download', async () => {
    const [notBefore, notAfter] = [new Date(now().getTime() - day), new Date(now().getTime() + 59 * day)];
    const { leafPem, rootPem } = await foreignCertificate({
      dnsNames: ['*.example.org'],
      notBefore,
      notAfter,
    });
    const id = await store(leafPem);
    [leaf, intermediate] = [leafPem, rootPem];
    await place.app.database.transaction((tx) =>
      executeSql(tx, 'update certificates set pem = $1 where id = $2', [`${leaf}${intermediate}`, id]),
    );
    const { text, headers } = await get('certificate').expect(200);
    expect(text).toBe(`${leaf}${intermediate}`);
    expect(headers).toMatchObject({
      'content-type': 'application/pem-certificate-chain',
      'content-disposition': 'attachment; filename="_.example.org-fullchain.pem"',
      'content-length': String(text.length),
      'last-modified': now().toUTCString(),
      'x-certificate-not-after': notAfter.toISOString(),
      etag: expect.stringMatching(/^"[0-9a-f]{64}\.fullchain"$/),
    });
    expect((await auditEntries(place.app, 'certificate.download')).at(-1)).toMatchObject({
      resourceId: id,
      spaceId: fqdn.spaceId,
      username: 'ada.lasting',
      details: { fqdn: '*.example.org', format: 'fullchain' },
    });
  });

  test.each([
    ['leaf', () => leaf],
    ['chain', () => intermediate],
    ['fullchain', () => `${leaf}${intermediate}`],
  ])('sends PEM as %s', async (format, content) => {
    expect((await get(`certificate?format=${format}`).expect(200)).text).toBe(content());
  });

  test.each([
    ['der', 'application/pkix-cert', '_.example.org.cer'],
    ['p7b', 'application/x-pkcs7-certificates', '_.example.org.p7b'],
  ])('sends octets as %s', async (format, contentType, name) => {
    const { body, headers } = await get(`certificate?format=${format}`).responseType('blob').expect(200);
    expect(headers['content-type']).toBe(contentType);
    expect(headers['content-disposition']).toBe(`attachment; filename="${name}"`);
    const [der = Buffer.alloc(0)] = splitChain(leaf);
    if (format === 'der') expect(body.equals(der)).toBe(true);
    else expect(body.includes(der)).toBe(true);
  });

  test('returns 304 without an audit entry if the caller has the file in this format', async () => {
    const { headers } = await get('certificate');
    const before = await downloads();
    const known = { 'If-None-Match': headers['etag'] };
    const unchanged = await get('certificate', known).expect(304);
    expect(unchanged.text).toBe('');
    expect(unchanged.headers['etag']).toBe(headers['etag']);
    expect(await downloads()).toBe(before);
    await get('certificate?format=leaf', known).expect(200);
    expect(await downloads()).toBe(before + 1);
  });

  test('returns 200 once there is a newer one, and still sends the previous one by its id', async () => {
    const { headers, text: before } = await get('certificate');
    const { body } = await get('certificates');
    await store(await foreignPem('*.example.org', new Date(now().getTime() + day)));
    const { text } = await get('certificate', { 'If-None-Match': headers['etag'] }).expect(200);
    expect(text).not.toBe(before);
    expect((await get(`certificates/${body[0].id}/download`).expect(200)).text).toBe(before);
    await get(`certificates/${body[0].id}/download`, { 'If-None-Match': headers['etag'] }).expect(304);
  });

  test('has no chain if there are no intermediates', async () => {
    const { body } = await get('certificate?format=chain').expect(404);
    expect(body.code).toBe('no_chain');
    await get('certificate?format=fullchain').expect(200);
  });

  test('rejects other formats, and returns 404 for a missing certificate', async () => {
    const { body } = await get('certificate?format=pfx').expect(400);
    expect(body.errors[0].path).toBe('query.format');
    await get(`certificates/${fqdn.id}/download`).expect(404);
    await get('certificates/newest/download').expect(404);
  });

  test('needs READ on the space', async () => {
    const { ben } = place.app.people;
    const request = () => place.app.request.get(pathOf(fqdn, 'certificate')).set(ben.auth);
    expect((await request()).status).toBe(404);
    await grant(place.app, ben, 'READ', [fqdn.spaceId]);
    expect((await request()).status).toBe(200);
  });
});

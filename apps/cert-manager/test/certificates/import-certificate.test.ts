import type { Certificate, Fqdn } from '@certloop/contracts';
import { describeEachDialect } from '@certloop/db/testing';
import { afterEach, expect, test } from 'vitest';
import { serialOf } from '../support/cas/fake-revocations.js';
import { foreignCertificate, foreignPem } from '../support/cas/foreign-ca.js';
import { addCsr, addFqdn, addSpace, auditEntries, csrUpload, pathOf } from '../support/inventory.js';
import {
  certificatesOf,
  clearInventory,
  explanationOf,
  openEntryOf,
  renewedFqdn,
  switchRenewal,
  useRenewing,
} from '../support/renewals.js';
import { newCsr } from '../support/signing.js';

const day = 86_400_000;

/** A certificate as lists have it: only the response to an import says whether it was verified. */
function stored({ unverified: _unverified, ...certificate }: Certificate): Certificate {
  return certificate;
}

describeEachDialect('importing a certificate', (open) => {
  const place = useRenewing(open);
  afterEach(() => clearInventory(place.app));

  const newFqdn = async (hostname = 'www.example.org') =>
    addFqdn(place.app, (await addSpace(place.app)).id, hostname);
  const send = (fqdn: Fqdn, pem: string) =>
    place.app.request.post(pathOf(fqdn, 'certificates/import')).set(place.app.people.ada.auth).send({ pem });
  const pemFor = (hostname = 'www.example.org') => foreignPem(hostname, place.app.clock.now());
  const inDays = (days: number) => new Date(place.app.clock.now().getTime() + days * day);
  const entries = () => auditEntries(place.app, 'certificate.import');

  test('stores it as imported, without CSR and provider, and writes an audit entry', async () => {
    const fqdn = await newFqdn();
    const pem = await pemFor();
    const { body } = await send(fqdn, pem).expect(201);
    expect(body).toEqual({
      id: expect.any(String),
      fqdnId: fqdn.id,
      spaceId: fqdn.spaceId,
      pem,
      issuer: 'CN=Foreign CA',
      expiresAt: inDays(59).toISOString(),
      createdAt: place.app.clock.now().toISOString(),
      imported: true,
      unverified: true,
    });
    expect(await certificatesOf(place.app, fqdn)).toEqual([stored(body)]);
    expect((await entries()).at(-1)).toMatchObject({
      resourceId: body.id,
      spaceId: fqdn.spaceId,
      outcome: 'success',
      details: { fqdn: fqdn.fqdn, serial: serialOf(pem), issuer: 'CN=Foreign CA', unverified: true },
    });
  });

  test('has the tool from whose files it comes, as the first import named it', async () => {
    const fqdn = await newFqdn();
    const pem = await pemFor();
    const { auth } = place.app.people.ada;
    const post = (body: object) =>
      place.app.request.post(pathOf(fqdn, 'certificates/import')).set(auth).send(body);
    const { body } = await post({ pem, source: 'acme.sh' }).expect(201);
    expect(body.source).toBe('acme.sh');
    expect((await entries()).at(-1)?.details).toMatchObject({ source: 'acme.sh' });
    const { body: again } = await post({ pem, source: 'lego' }).expect(200);
    expect(again).toEqual(body);
    const { body: detail } = await place.app.request
      .get(pathOf(fqdn, `certificates/${body.id}`))
      .set(auth)
      .expect(200);
    expect(detail.source).toBe('acme.sh');
    // only a server that is watched presents one
    await post({ pem, source: 'served' }).expect(400);
  });

  test('sorts a chain and omits its root', async () => {
    const fqdn = await newFqdn('*.example.org');
    const request = { dnsNames: ['*.example.org'], notBefore: inDays(-1), notAfter: inDays(9) };
    const { leafPem, rootPem } = await foreignCertificate(request);
    const { body } = await send(fqdn, `${rootPem}${leafPem}`).expect(201);
    expect(body.pem).toBe(leafPem);
    expect(body).not.toHaveProperty('unverified');
    expect((await entries()).at(-1)?.details).not.toHaveProperty('unverified');
  });

  test('a second time returns 200 with the stored one, and changes nothing', async () => {
    const fqdn = await newFqdn();
    const pem = await pemFor();
    const { body: first } = await send(fqdn, pem).expect(201);
    const { body: other } = await send(fqdn, await pemFor()).expect(201);
    const before = (await entries()).length;
    const { body } = await send(fqdn, pem).expect(200);
    expect(body).toEqual(first);
    expect(await certificatesOf(place.app, fqdn)).toEqual([stored(first), stored(other)]);
    expect(await entries()).toHaveLength(before);
  });

  test('by several at once stores it once', async () => {
    const fqdn = await newFqdn();
    const pem = await pemFor();
    const answers = await Promise.all([0, 1, 2].map(() => send(fqdn, pem)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 201]);
    expect(await certificatesOf(place.app, fqdn)).toHaveLength(1);
  });

  test.each<[string, () => Promise<string>, string, RegExp]>([
    ['for another name', () => pemFor('a.test'), 'name_mismatch', /the DNS names a\.test; this FQDN is www/],
    ['of a label more', () => pemFor('*.org'), 'name_mismatch', /\*\.org/],
    [
      'that has expired',
      async () => {
        const request = { dnsNames: ['www.example.org'], notBefore: inDays(-9), notAfter: inDays(-1) };
        return (await foreignCertificate(request)).leafPem;
      },
      'not_valid_now',
      /expired at .*: import the certificate that is in use/,
    ],
    [
      'that begins tomorrow',
      async () => {
        const request = { dnsNames: ['www.example.org'], notBefore: inDays(1), notAfter: inDays(9) };
        return (await foreignCertificate(request)).leafPem;
      },
      'not_valid_now',
      /not valid before/,
    ],
    [
      'of a CA',
      async () => {
        const request = { dnsNames: ['www.example.org'], notBefore: inDays(-1), notAfter: inDays(9) };
        return (await foreignCertificate(request)).rootPem;
      },
      'not_a_leaf',
      /that of a CA/,
    ],
  ])('refuses one %s, and says what to do', async (_, make, code, message) => {
    const fqdn = await newFqdn();
    const { body } = await send(fqdn, await make()).expect(400);
    expect(body).toMatchObject({ code: 'certificate_not_accepted', errors: [{ path: 'pem', code }] });
    expect(body.detail).toMatch(message);
    expect(await certificatesOf(place.app, fqdn)).toEqual([]);
  });

  test.each<[string, () => Promise<string>]>([
    ['nothing', async () => ''],
    ['no PEM', async () => 'certificate'],
    ['a CSR', () => newCsr('www.example.org')],
    ['two certificates of different CAs', async () => (await pemFor()) + (await pemFor())],
    ['a broken one', async () => (await pemFor()).replace('MII', 'MIJ')],
  ])('refuses %s', async (_, make) => {
    const fqdn = await newFqdn();
    await send(fqdn, await make()).expect(400);
  });

  test('rejects a private key, and never logs it', async () => {
    const fqdn = await newFqdn();
    const key = '-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n-----END PRIVATE KEY-----\n';
    const { body } = await send(fqdn, `${await pemFor()}${key}`).expect(400);
    expect(body.code).toBe('private_key_in_upload');
    expect(JSON.stringify(place.app.logged())).not.toContain('c2VjcmV0');
  });

  test('replaces the last one in use, even if its dates are earlier', async () => {
    const fqdn = await renewedFqdn(place);
    const issued = (await certificatesOf(place.app, fqdn))[0] as Certificate;
    const request = { dnsNames: ['www.example.org'], notBefore: inDays(-30), notAfter: inDays(3) };
    const { body } = await send(fqdn, (await foreignCertificate(request)).leafPem).expect(201);
    expect(await certificatesOf(place.app, fqdn)).toEqual([issued, stored(body)]);
    const stats = await place.app.request
      .get('/stats?detail=true')
      .set(place.app.people.ada.auth)
      .expect(200);
    expect(stats.body).toMatchObject({ expiringWithin7Days: 1 });
    // no CA is asked for an imported one, and the answer says so
    expect(await explanationOf(place.app, fqdn)).toMatchObject({
      willRenew: false,
      outlook: 'no_provider',
      message: expect.stringContaining('was imported, and this FQDN has no provider'),
    });
  });

  test('is never renewed without a CSR, and by the provider of the FQDN with one', async () => {
    const { app, providerId } = place;
    const { id: spaceId } = await addSpace(app);
    const made = await app.request
      .post(`/spaces/${spaceId}/fqdns`)
      .set(app.people.ada.auth)
      .send({ fqdn: 'www.example.org', providerId })
      .expect(201);
    const fqdn = made.body as Fqdn;
    await send(fqdn, await pemFor()).expect(201);
    await switchRenewal(app, fqdn, true);
    expect(await explanationOf(app, fqdn)).toMatchObject({
      willRenew: false,
      outlook: 'no_csr',
      message: expect.stringContaining('was imported, and no CSR is stored'),
    });
    await addCsr(app, fqdn, await newCsr(fqdn.fqdn));
    app.clock.set(new Date((await openEntryOf(app, fqdn)).scheduledAt));
    await app.renew();
    const [imported, renewed] = await certificatesOf(app, fqdn);
    expect([imported?.imported, renewed?.imported, renewed?.issuer]).toEqual([true, undefined, 'CN=Fake CA']);
  });

  test('is rejected if the policy of the space does not allow the FQDN', async () => {
    const fqdn = await newFqdn();
    const allowedNames = { names: [], suffixes: ['a.test'], wildcards: false, cidrs: [], beyondFqdn: true };
    await place.app.request
      .put(`/spaces/${fqdn.spaceId}/issuance-policy`)
      .set(place.app.people.ada.auth)
      .send({ allowedNames, confirmed: true })
      .expect(200);
    const { body } = await send(fqdn, await pemFor()).expect(400);
    expect(body.code).toBe('name_not_allowed');
    expect(await certificatesOf(place.app, fqdn)).toEqual([]);
  });

  test('is stored with names and by a CA that the policy does not allow for issuance', async () => {
    const { app } = place;
    const fqdn = await newFqdn();
    const allowedNames = {
      names: ['www.example.org'],
      suffixes: [],
      wildcards: false,
      cidrs: [],
      beyondFqdn: false,
    };
    await app.request
      .put(`/spaces/${fqdn.spaceId}/issuance-policy`)
      .set(app.people.ada.auth)
      .send({ allowedNames, providerIds: [] })
      .expect(200);
    const dnsNames = ['www.example.org', 'login.bank.test'];
    const request = { dnsNames, notBefore: inDays(-1), notAfter: inDays(9) };
    const { body } = await send(fqdn, (await foreignCertificate(request)).leafPem).expect(201);
    expect(await certificatesOf(app, fqdn)).toEqual([stored(body)]);
    // what is issued for the FQDN is judged as usual
    const csr = await csrUpload(app, fqdn, await newCsr(...dnsNames)).expect(400);
    expect(csr.body.code).toBe('name_not_allowed');
  });

  test('cannot be revoked here, and the error says where', async () => {
    const fqdn = await newFqdn();
    const { body: imported } = await send(fqdn, await pemFor()).expect(201);
    const path = pathOf(fqdn, `certificates/${imported.id}/revoke`);
    const answer = await place.app.request
      .post(path)
      .set(place.app.people.ada.auth)
      .send({ reason: 'superseded' });
    expect([answer.status, answer.body.code]).toEqual([400, 'cannot_be_revoked']);
  });
});

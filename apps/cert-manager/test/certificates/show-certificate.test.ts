import type { CertificateDetail } from '@certloop/contracts';
import { parseCertificate, spkiSha256, splitChain } from '@certloop/crypto';
import { executeSql } from '@certloop/db';
import { describeEachDialect } from '@certloop/db/testing';
import { expect, test } from 'vitest';
import { foreignCertificate } from '../support/cas/foreign-ca.js';
import { grant } from '../support/factories.js';
import { addCsr, addFqdn, addSpace, badIds, pathOf, unknownId } from '../support/inventory.js';
import { addJob } from '../support/issuance.js';
import { certificatesOf, issuedFqdn, signWith, useRenewing } from '../support/renewals.js';
import { fqdnWithCsr, newCsr } from '../support/signing.js';

describeEachDialect('showing a certificate', (open) => {
  const place = useRenewing(open);
  const show = (
    fqdn: { readonly id: string; readonly spaceId: string },
    id = '',
    person = place.app.people.ada,
  ) => place.app.request.get(pathOf(fqdn, `certificates/${id}`)).set(person.auth);

  test('shows its content, its issuer, its CSR, and the certificates before and after it', async () => {
    const { fqdn, csr } = await fqdnWithCsr(place.app, 'www.example.org');
    await signWith(place, fqdn);
    const first = (await certificatesOf(place.app, fqdn))[0]?.id ?? '';
    await addCsr(place.app, fqdn, await newCsr('www.example.org', 'example.org'));
    await signWith(place, fqdn);
    const [listed, newest] = await certificatesOf(place.app, fqdn);

    const { body: old } = await show(fqdn, first).expect(200);
    const [leaf = Buffer.alloc(0)] = splitChain(old.pem);
    const { spkiDer, serialNumber } = parseCertificate(leaf);
    expect(old).toEqual({
      ...listed,
      subject: 'CN=www.example.org',
      serialNumber,
      notBefore: expect.stringMatching(/Z$/),
      publicKey: { algorithm: 'ECDSA', size: 256, spkiSha256: spkiSha256(spkiDer) },
      signatureAlgorithm: expect.stringMatching(/SHA256/i),
      dnsNames: ['www.example.org'],
      ipAddresses: [],
      extensions: expect.arrayContaining([expect.objectContaining({ oid: '2.5.29.17' })]),
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      chain: [],
      providerId: place.providerId,
      csrId: csr.id,
      replacedAt: place.app.clock.now().toISOString(),
      replacedBy: newest?.id,
    });
    const { body: last } = await show(fqdn, newest?.id).expect(200);
    expect(last).toMatchObject({ replaces: first, dnsNames: ['www.example.org', 'example.org'] });
    for (const absent of ['replacedAt', 'replacedBy', 'lastDownload'])
      expect(last).not.toHaveProperty(absent);
  });

  test('shows the chain, the request that obtained it and the last download', async () => {
    const fqdn = await addFqdn(place.app, (await addSpace(place.app)).id, 'www.example.org');
    const now = place.app.clock.now();
    const { leafPem, rootPem } = await foreignCertificate({
      dnsNames: ['www.example.org'],
      notBefore: now,
      notAfter: new Date(now.getTime() + 86_400_000),
    });
    const { ada } = place.app.people;
    const imported = await place.app.request
      .post(pathOf(fqdn, 'certificates/import'))
      .set(ada.auth)
      .send({ pem: leafPem })
      .expect(201);
    const { id } = imported.body;
    await place.app.database.transaction((tx) =>
      executeSql(tx, 'update certificates set pem = $1 where id = $2', [`${leafPem}${rootPem}`, id]),
    );
    const { job } = await addJob(place.app, {
      fqdnId: fqdn.id,
      spaceId: fqdn.spaceId,
      certificateId: id,
      state: 'issued',
    });
    await place.app.request
      .get(pathOf(fqdn, `certificates/${id}/download`))
      .set(ada.auth)
      .expect(200);
    const body = (await show(fqdn, id).expect(200)).body as CertificateDetail;
    expect(body).toMatchObject({
      imported: true,
      jobId: job.id,
      lastDownload: { at: now.toISOString(), by: 'ada.lasting' },
    });
    const root = parseCertificate(splitChain(rootPem)[0] ?? Buffer.alloc(0));
    expect(body.chain).toEqual([
      {
        subject: body.issuer,
        issuer: body.issuer,
        expiresAt: root.notAfter.toISOString(),
        sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      },
    ]);
    expect(body).not.toHaveProperty('providerId');
  });

  test('shows it only to callers who can read the space', async () => {
    const fqdn = await issuedFqdn(place);
    const [{ id } = { id: '' }] = await certificatesOf(place.app, fqdn);
    await grant(place.app, place.app.people.ben, 'READ', [fqdn.spaceId]);
    await show(fqdn, id, place.app.people.ben).expect(200);
    await show(fqdn, id, place.app.people.cleo).expect(404);
    const other = await fqdnWithCsr(place.app, 'other.example.org');
    await show(other.fqdn, id).expect(404);
    for (const bad of [unknownId, ...badIds]) await show(fqdn, bad).expect(404);
  });
});

import type { Fqdn } from '@certloop/contracts';
import { describeEachDialect } from '@certloop/db/testing';
import { beforeAll, describe, expect, test } from 'vitest';
import type { TestApp } from '../support/app.js';
import { addFqdn, addSpace, auditEntries, csrSample, csrUpload, pathOf } from '../support/inventory.js';
import { describeRefusedUploads } from './upload-csr/refused-upload-tests.js';
import { useUploads } from './upload-csr/upload-place.js';

describeEachDialect('uploading a CSR', (open) => {
  const place = useUploads(open);
  const { upload, bare, storedCount } = place;
  let app: TestApp;
  let fqdn: Fqdn;
  beforeAll(() => {
    ({ app, fqdn } = place);
  });

  describe('that is accepted', () => {
    test('shows every documented field', async () => {
      const { body } = await upload(csrSample('rsa2048')).expect(201);
      expect(body).toEqual({
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        fqdnId: fqdn.id,
        spaceId: fqdn.spaceId,
        fqdn: 'www.example.com',
        csrPem: csrSample('rsa2048'),
        subject: 'CN=www.example.com,O=Example Ltd,ST=Riga,C=LV',
        publicKeyAlgorithm: 'RSA',
        signatureAlgorithm: 'sha256WithRSAEncryption',
        keySize: 2048,
        dnsNames: ['www.example.com'],
        emailAddresses: [],
        ipAddresses: [],
        uris: [],
        extensions: [
          extension('2.5.29.17', false, '3011820f7777772e6578616d706c652e636f6d'),
          extension('2.5.29.15', true, '030205a0', ['Digital Signature', 'Key Encipherment']),
          extension('2.5.29.37', false, '301406082b0601050507030106082b06010505070302', [
            expect.stringContaining('Server'),
            expect.stringContaining('Client'),
          ]),
          extension('2.5.29.19', true, '3000', ['End Entity']),
        ],
        createdAt: app.clock.now().toISOString(),
        findings: [],
      });
    });

    function extension(oid: string, critical: boolean, value: string, purposes: unknown[] = []) {
      const texts = { name: expect.stringMatching(/./), description: expect.stringMatching(/./) };
      return { id: oid, oid, critical, value, purposes, ...texts };
    }

    test.each([
      ['p256', 'ECDSA', 256, 'ecdsa-with-SHA256', []],
      ['p384', 'ECDSA', 384, 'ecdsa-with-SHA256', []],
      ['p521', 'ECDSA', 521, 'ecdsa-with-SHA256', ['curve_not_public']],
      ['ed25519', 'Ed25519', 256, 'ED25519', ['curve_not_public']],
      ['rsa-pss', 'RSA-PSS', 2048, 'rsassaPss', ['key_kind_unusual']],
    ])(
      'may hold a key of the kind %s',
      async (name, publicKeyAlgorithm, keySize, signatureAlgorithm, codes) => {
        const { body } = await upload(csrSample(name)).expect(201);
        const findings = codes.map((code) => expect.objectContaining({ code, severity: 'info' }));
        expect(body).toMatchObject({ publicKeyAlgorithm, keySize, signatureAlgorithm, findings });
      },
    );

    test('lists all requested names by kind', async () => {
      const { body } = await upload(csrSample('many-kinds')).expect(201);
      expect(body).toMatchObject({
        subject: 'O=Example Ltd',
        dnsNames: ['www.example.com', 'example.com', '*.example.com'],
        ipAddresses: ['192.0.2.1', '2001:db8::1'],
        emailAddresses: ['admin@example.com'],
        uris: ['https://www.example.com/'],
        findings: [
          { code: 'more_names', message: expect.stringContaining('example.com'), severity: 'info' },
          { code: 'san_private_address', severity: 'info', rule: 'Baseline Requirements §4.2.2' },
        ],
      });
    });

    test.each([
      ['sha1', ['weak_signature']],
      ['common-name-only', ['no_subject_alt_name']],
      ['wildcard', []],
      ['ca', ['unusual_extensions', 'ca_requested']],
      ['version-2', ['version_not_0']],
    ])('reports findings about %s', async (name, codes) => {
      const { body } = await upload(csrSample(name)).expect(201);
      expect((body.findings as { code: string }[]).map(({ code }) => code)).toEqual(codes);
    });

    test.each<[string, (pem: string) => string | Buffer]>([
      ['line ends of Windows', (pem) => pem.replaceAll('\n', '\r\n')],
      ['one long line of base64', (pem) => oneLine(pem)],
      ['text around it', (pem) => `Certificate Request:\n  Data: ü\n${pem}thanks\n`],
      ['a byte order mark', (pem) => Buffer.from(`\ufeff${pem}`)],
      ['the older label', (pem) => pem.replaceAll('CERTIFICATE REQUEST', 'NEW CERTIFICATE REQUEST')],
      ['without a final line break', (pem) => pem.trimEnd()],
    ])('is stored in one form, its DER to the byte: %s', async (_situation, change) => {
      const { body } = await upload(change(csrSample('p256'))).expect(201);
      expect(body.csrPem).toBe(csrSample('p256'));
    });

    function oneLine(pem: string): string {
      const [begin, ...rest] = pem.trim().split('\n');
      const end = rest.pop();
      return `${begin}\n${rest.join('')}\n${end}\n`;
    }

    test('may be uploaded again', async () => {
      const before = await storedCount();
      const { body: one } = await upload(csrSample('p256')).expect(201);
      const { body: other } = await upload(csrSample('p256')).expect(201);
      expect(other.id).not.toBe(one.id);
      expect(await storedCount()).toBe(before + 2);
    });

    test('can spell the FQDN differently, and can have unknown members', async () => {
      await bare()
        .field('spaceId', fqdn.spaceId.toUpperCase())
        .field('fqdn', 'WWW.Example.com.')
        .field('colour', 'red')
        .attach('csr', Buffer.from(csrSample('p256')), {
          filename: 'request.csr',
          contentType: 'application/pkcs10',
        })
        .expect(201);
    });

    test('leaves an audit entry with the fingerprint of its key', async () => {
      const { body } = await upload(csrSample('p256')).expect(201);
      const entry = (await auditEntries(app, 'csr.upload')).at(-1);
      expect(entry).toMatchObject({
        resourceType: 'csr',
        resourceId: body.id,
        spaceId: fqdn.spaceId,
        details: { fqdn: fqdn.fqdn, fqdnId: fqdn.id, spkiSha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
      });
    });
  });

  describe('as a dry run', () => {
    const review = (other: Fqdn, pem: string, person = app.people.ada) =>
      csrUpload(app, other, pem, person).query({ dryRun: 'true' });

    test('shows the content of the CSR and its differences from the newest, and stores nothing', async () => {
      const other = await addFqdn(app, (await addSpace(app)).id);
      const { body: first } = await review(other, csrSample('sha1')).expect(200);
      expect(first).toMatchObject({ fqdnId: other.id, findings: [{ code: 'weak_signature' }] });
      for (const absent of ['id', 'createdAt', 'differs']) expect(first).not.toHaveProperty(absent);
      const { body: stored } = await csrUpload(app, other, csrSample('p256')).expect(201);
      const entries = await auditEntries(app, 'csr.upload');

      const { id: _, createdAt: __, ...content } = stored;
      const { body: same } = await review(other, csrSample('p256')).expect(200);
      expect(same).toEqual({ ...content, differs: { key: false, names: false } });
      const { body: more } = await review(other, csrSample('many-kinds')).expect(200);
      expect(more).toMatchObject({
        findings: [{ code: 'more_names' }, { code: 'san_private_address' }],
        differs: { key: false, names: true },
      });
      const { body: newKey } = await review(other, csrSample('p384')).expect(200);
      expect(newKey.differs).toEqual({ key: true, names: false });

      const { body: current } = await app.request.get(pathOf(other, 'csr')).set(app.people.ada.auth);
      expect(current).toEqual([stored]);
      expect(await auditEntries(app, 'csr.upload')).toEqual(entries);
    });

    test('rejects the same CSRs as an upload, and writes no audit entry', async () => {
      const before = (await auditEntries(app, 'csr.reject')).length;
      const { body } = await review(fqdn, csrSample('other-name')).expect(400);
      expect(body).toMatchObject({ code: 'csr_san_mismatch', errors: [{ path: 'csr.dnsNames' }] });
      expect(body.detail).toMatch(/other\.example\.com.*www\.example\.com/);
      const policy = {
        allowedNames: { names: [], suffixes: ['test'], wildcards: false, cidrs: [], beyondFqdn: false },
      };
      const limited = await addFqdn(app, (await addSpace(app)).id);
      await app.request
        .put(`/spaces/${limited.spaceId}/issuance-policy`)
        .set(app.people.ada.auth)
        .send({ ...policy, confirmed: true })
        .expect(200);
      expect((await review(limited, csrSample('p256')).expect(400)).body.code).toBe('name_not_allowed');
      expect((await auditEntries(app, 'csr.reject')).length).toBe(before);
      await review(fqdn, csrSample('p256'), app.people.cleo).expect(404);
    });

    test('rejects another value of dryRun', async () => {
      const { body } = await csrUpload(app, fqdn, csrSample('p256')).query({ dryRun: 'yes' }).expect(400);
      expect(body.errors).toMatchObject([{ path: expect.stringContaining('dryRun') }]);
    });
  });

  describe('for a wildcard', () => {
    test('requires that wildcard', async () => {
      const wildcard = await addFqdn(app, fqdn.spaceId, '*.example.com');
      await csrUpload(app, wildcard, csrSample('wildcard')).expect(201);
      await csrUpload(app, wildcard, csrSample('many-kinds')).expect(201);
      await csrUpload(app, wildcard, csrSample('p256')).expect(400);
    });

    test('does not match two labels below it, nor its base name', async () => {
      for (const name of ['a.b.example.com', 'example.com']) {
        const other = await addFqdn(app, fqdn.spaceId, name);
        const { body } = await csrUpload(app, other, csrSample('wildcard')).expect(400);
        expect(body.code).toBe('csr_san_mismatch');
      }
    });
  });
  describeRefusedUploads(place);

  test('concurrent with the deletion of its FQDN is stored before it or returns 404 after it', async () => {
    for (let round = 0; round < 5; round += 1) {
      const gone = await addFqdn(app, fqdn.spaceId, `gone${round}.example.com`);
      const wildcard = csrSample('many-kinds');
      const [uploaded, deleted] = await Promise.all([
        csrUpload(app, gone, wildcard),
        app.request.delete(`/spaces/${gone.spaceId}/fqdns/${gone.id}`).set(app.people.ada.auth),
      ]);
      expect([201, 404]).toContain(uploaded.status);
      expect(deleted.status).toBe(200);
    }
  });
});

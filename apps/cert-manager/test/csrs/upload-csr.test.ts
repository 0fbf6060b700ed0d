import type { Fqdn } from '@certloop/contracts';
import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startApp, type TestApp } from '../support/app.js';
import { grant } from '../support/factories.js';
import {
  addFqdn,
  addSpace,
  auditEntries,
  badIds,
  csrSample,
  csrUpload,
  pathOf,
  unknownId,
} from '../support/inventory.js';

const privateKey = '-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIA==\n-----END PRIVATE KEY-----\n';

describeEachDialect('uploading a CSR', (open) => {
  let app: TestApp;
  let fqdn: Fqdn;
  beforeAll(async () => {
    app = await startApp(open);
    fqdn = await addFqdn(app, (await addSpace(app)).id);
  });
  afterAll(() => app.close());

  const upload = (pem: string | Buffer, person = app.people.ada) => csrUpload(app, fqdn, pem, person);
  const bare = () => app.request.post(pathOf(fqdn, 'csr')).set(app.people.ada.auth);

  async function storedCount(): Promise<number> {
    const { body } = await app.request.get(pathOf(fqdn, 'csr')).set(app.people.ada.auth).expect(200);
    return (body as unknown[]).length;
  }

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
      ['p256', 'ECDSA', 256, 'ecdsa-with-SHA256'],
      ['p384', 'ECDSA', 384, 'ecdsa-with-SHA256'],
      ['p521', 'ECDSA', 521, 'ecdsa-with-SHA256'],
      ['ed25519', 'Ed25519', 256, 'ED25519'],
      ['rsa-pss', 'RSA-PSS', 2048, 'rsassaPss'],
    ])('may hold a key of the kind %s', async (name, publicKeyAlgorithm, keySize, signatureAlgorithm) => {
      const { body } = await upload(csrSample(name)).expect(201);
      expect(body).toMatchObject({ publicKeyAlgorithm, keySize, signatureAlgorithm, findings: [] });
    });

    test('names everything it asks for, by kind', async () => {
      const { body } = await upload(csrSample('many-kinds')).expect(201);
      expect(body).toMatchObject({
        subject: 'O=Example Ltd',
        dnsNames: ['www.example.com', 'example.com', '*.example.com'],
        ipAddresses: ['192.0.2.1', '2001:db8::1'],
        emailAddresses: ['admin@example.com'],
        uris: ['https://www.example.com/'],
        findings: [{ code: 'more_names', message: expect.stringContaining('example.com') }],
      });
    });

    test.each([
      ['sha1', ['weak_signature']],
      ['common-name-only', ['no_subject_alt_name']],
      ['wildcard', []],
      ['ca', ['unusual_extensions', 'ca_requested']],
      ['version-2', ['version_not_0']],
    ])('reports what is odd about %s', async (name, codes) => {
      const { body } = await upload(csrSample(name)).expect(201);
      expect((body.findings as { code: string }[]).map(({ code }) => code)).toEqual(codes);
    });

    test.each<[string, (pem: string) => string | Buffer]>([
      ['line ends of Windows', (pem) => pem.replaceAll('\n', '\r\n')],
      ['one long line of base64', (pem) => oneLine(pem)],
      ['text around it', (pem) => `Certificate Request:\n  Data: ü\n${pem}thanks\n`],
      ['a byte order mark', (pem) => Buffer.from(`\ufeff${pem}`)],
      ['the older label', (pem) => pem.replaceAll('CERTIFICATE REQUEST', 'NEW CERTIFICATE REQUEST')],
      ['no line end at its end', (pem) => pem.trimEnd()],
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

    test('may state the FQDN in another spelling, and what the request does not know', async () => {
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

    test('shows what the CSR says and how it differs from the newest, and stores nothing', async () => {
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
        findings: [{ code: 'more_names' }],
        differs: { key: false, names: true },
      });
      const { body: newKey } = await review(other, csrSample('p384')).expect(200);
      expect(newKey.differs).toEqual({ key: true, names: false });

      const { body: current } = await app.request.get(pathOf(other, 'csr')).set(app.people.ada.auth);
      expect(current).toEqual([stored]);
      expect(await auditEntries(app, 'csr.upload')).toEqual(entries);
    });

    test('refuses what an upload refuses, and leaves no entry', async () => {
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

    test('refuses another word for dryRun', async () => {
      const { body } = await csrUpload(app, fqdn, csrSample('p256')).query({ dryRun: 'yes' }).expect(400);
      expect(body.errors).toMatchObject([{ path: expect.stringContaining('dryRun') }]);
    });
  });

  describe('for a wildcard', () => {
    test('needs that wildcard', async () => {
      const wildcard = await addFqdn(app, fqdn.spaceId, '*.example.com');
      await csrUpload(app, wildcard, csrSample('wildcard')).expect(201);
      await csrUpload(app, wildcard, csrSample('many-kinds')).expect(201);
      await csrUpload(app, wildcard, csrSample('p256')).expect(400);
    });

    test('does not do for two labels under it, nor for its base', async () => {
      for (const name of ['a.b.example.com', 'example.com']) {
        const other = await addFqdn(app, fqdn.spaceId, name);
        const { body } = await csrUpload(app, other, csrSample('wildcard')).expect(400);
        expect(body.code).toBe('csr_san_mismatch');
      }
    });
  });

  describe('that is refused', () => {
    test.each<[string, () => string | Buffer, string]>([
      ['an empty file', () => '', 'wrong_pem_block'],
      ['text', () => 'hello', 'wrong_pem_block'],
      ['DER', () => derOf(csrSample('p256')), 'wrong_pem_block'],
      [
        'base64 without its boundary lines',
        () => csrSample('p256').replace(/-----.*\n/g, ''),
        'wrong_pem_block',
      ],
      ['a certificate', () => csrSample('certificate'), 'wrong_pem_block'],
      ['a certificate labelled as CSR', () => relabelled(csrSample('certificate')), 'malformed_der'],
      ['two CSRs', () => csrSample('p256') + csrSample('p384'), 'wrong_pem_block'],
      ['a CSR and a certificate', () => csrSample('p256') + csrSample('certificate'), 'wrong_pem_block'],
      ['a CSR and a private key', () => csrSample('p256') + privateKey, 'private_key_in_upload'],
      ['a private key', () => privateKey, 'private_key_in_upload'],
      ['an EC private key', () => privateKey.replaceAll('PRIVATE', 'EC PRIVATE'), 'private_key_in_upload'],
      [
        'an encrypted key',
        () => privateKey.replaceAll('PRIVATE', 'ENCRYPTED PRIVATE'),
        'private_key_in_upload',
      ],
      ['no end line', () => csrSample('p256').replace(/-----END.*\n/, ''), 'malformed_pem'],
      ['base64 that is broken', () => csrSample('p256').replace('\nMII', '\nM!I'), 'malformed_pem'],
      [
        'bytes after the DER',
        () => relabelled(pemOf(Buffer.concat([derOf(csrSample('p256')), Buffer.from([0])]))),
        'malformed_der',
      ],
      ['DER cut short', () => pemOf(derOf(csrSample('p256')).subarray(0, -1)), 'malformed_der'],
      ['a broken signature', () => broken(csrSample('rsa2048')), 'invalid_signature'],
      ['MD5', () => csrSample('md5'), 'unsupported_algorithm'],
      ['RSA of 1024 bits', () => csrSample('rsa1024'), 'csr_key_not_accepted'],
      ['secp256k1', () => csrSample('secp256k1'), 'csr_key_not_accepted'],
      ['another name', () => csrSample('other-name'), 'csr_san_mismatch'],
      [
        'the FQDN only as common name beside other DNS names',
        () => csrSample('other-sans'),
        'csr_san_mismatch',
      ],
    ])('%s', async (_situation, file, code) => {
      const before = await storedCount();
      const { body } = await upload(Buffer.from(file())).expect(400);
      expect(body).toMatchObject({ code, errors: [{ path: expect.stringMatching(/^csr/) }] });
      expect(await storedCount()).toBe(before);
    });

    const derOf = (pem: string) => Buffer.from(pem.replace(/-----.*/g, ''), 'base64');
    const relabelled = (pem: string) =>
      pem.replaceAll(/(BEGIN|END) CERTIFICATE-/g, '$1 CERTIFICATE REQUEST-');

    function pemOf(der: Buffer): string {
      const label = 'CERTIFICATE REQUEST';
      return `-----BEGIN ${label}-----\n${der.toString('base64')}\n-----END ${label}-----\n`;
    }

    /** The CSR with the last octet of its signature changed. */
    function broken(pem: string): string {
      const der = derOf(pem);
      der.writeUInt8((der.at(-1) ?? 0) ^ 1, der.length - 1);
      return pemOf(der);
    }

    test('names the FQDN and what the CSR has instead', async () => {
      const { body } = await upload(csrSample('other-name')).expect(400);
      expect(body.detail).toContain('other.example.com');
      expect(body.detail).toContain('www.example.com');
    });

    test('leaves an audit entry with the reason, and no trace of a private key', async () => {
      await upload(csrSample('p256') + privateKey).expect(400);
      const entry = (await auditEntries(app, 'csr.reject')).at(-1);
      expect(entry).toMatchObject({
        resourceType: 'fqdn',
        resourceId: fqdn.id,
        spaceId: fqdn.spaceId,
        outcome: 'failure',
        details: { fqdn: fqdn.fqdn, code: 'private_key_in_upload' },
      });
      const material = 'MC4CAQAwBQYDK2VwBCIEIA';
      expect(JSON.stringify(entry)).not.toContain(material);
      expect(JSON.stringify(app.logged())).not.toContain(material);
    });

    test('is too large over 64 KiB', async () => {
      const fill = (length: number) => csrSample('p256') + '#'.repeat(length - csrSample('p256').length);
      await upload(fill(65_536)).expect(201);
      const { body } = await upload(fill(65_537)).expect(413);
      expect(body.code).toBe('payload_too_large');
      await upload('#'.repeat(2_000_000)).expect(413);
    });
  });

  describe('in a request that is wrong', () => {
    const pem = () => Buffer.from(csrSample('p256'));

    test.each<[string, () => ReturnType<typeof bare>, string]>([
      ['without a file', () => bare().field('spaceId', fqdn.spaceId).field('fqdn', fqdn.fqdn), 'csr'],
      [
        'with the CSR as a field',
        () => bare().field('spaceId', fqdn.spaceId).field('fqdn', fqdn.fqdn).field('csr', csrSample('p256')),
        'csr',
      ],
      [
        'with the file under another name',
        () => bare().field('spaceId', fqdn.spaceId).field('fqdn', fqdn.fqdn).attach('file', pem(), 'a.pem'),
        'csr',
      ],
      ['with two files', () => upload(csrSample('p256')).attach('csr', pem(), 'b.pem'), 'csr'],
      ['with another file beside it', () => upload(csrSample('p256')).attach('key', pem(), 'b.pem'), 'csr'],
      ['without spaceId', () => bare().field('fqdn', fqdn.fqdn).attach('csr', pem(), 'a.pem'), 'spaceId'],
      ['without fqdn', () => bare().field('spaceId', fqdn.spaceId).attach('csr', pem(), 'a.pem'), 'fqdn'],
      [
        'with a spaceId that is no uuid',
        () => bare().field('spaceId', 'x').field('fqdn', fqdn.fqdn).attach('csr', pem(), 'a.pem'),
        'spaceId',
      ],
      [
        'with the spaceId of another space',
        () => bare().field('spaceId', unknownId).field('fqdn', fqdn.fqdn).attach('csr', pem(), 'a.pem'),
        'spaceId',
      ],
      [
        'with another fqdn',
        () => bare().field('spaceId', fqdn.spaceId).field('fqdn', 'a.example').attach('csr', pem(), 'a.pem'),
        'fqdn',
      ],
      [
        'with an fqdn that is none',
        () => bare().field('spaceId', fqdn.spaceId).field('fqdn', '..').attach('csr', pem(), 'a.pem'),
        'fqdn',
      ],
      ['with two spaceIds', () => upload(csrSample('p256')).field('spaceId', fqdn.spaceId), 'spaceId'],
      ['that is JSON', () => bare().send({ csr: csrSample('p256') }), 'body'],
      [
        'that is a form',
        () =>
          bare()
            .type('form')
            .send({ csr: csrSample('p256') }),
        'body',
      ],
      ['without a body', () => bare(), 'body'],
      ['that is no multipart', () => bare().type('multipart/form-data; boundary=x').send('hello'), 'body'],
      ['without a boundary', () => bare().type('multipart/form-data').send('hello'), 'body'],
    ])('%s', async (_situation, request, path) => {
      const before = await storedCount();
      const { body } = await request().expect(400);
      expect((body.errors as { path: string }[]).map((fault) => fault.path)).toContain(path);
      expect(await storedCount()).toBe(before);
    });

    test('knows nothing of an unknown FQDN or space', async () => {
      const places = [
        { ...fqdn, id: unknownId },
        { ...fqdn, spaceId: unknownId },
        { ...fqdn, spaceId: (await addSpace(app)).id },
        ...badIds.map((id) => ({ ...fqdn, id })),
      ];
      for (const place of places) await csrUpload(app, place, csrSample('p256')).expect(404);
    });

    test('is for READ_WRITE on the space, and hides what one may not see', async () => {
      const { ben, cleo } = app.people;
      await upload(csrSample('p256'), cleo).expect(404);
      await grant(app, ben, 'READ', [fqdn.spaceId]);
      await upload(csrSample('p256'), ben).expect(403);
      await upload('nonsense', ben).expect(403);
      await grant(app, ben, 'READ_WRITE', [fqdn.spaceId]);
      await upload(csrSample('p256'), ben).expect(201);
      await app.request.post(pathOf(fqdn, 'csr')).expect(401);
    });
  });

  test('meets the deletion of its FQDN: it is stored before it or not found after it', async () => {
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

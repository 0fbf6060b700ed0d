import { describe, expect, test } from 'vitest';
import { grant } from '../../support/factories.js';
import {
  addSpace,
  auditEntries,
  badIds,
  csrSample,
  csrUpload,
  pathOf,
  unknownId,
} from '../../support/inventory.js';
import type { UploadPlace } from './upload-place.js';

const privateKey = '-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIA==\n-----END PRIVATE KEY-----\n';

/** Tests of CSRs and requests that are refused. */
export function describeRefusedUploads(place: UploadPlace): void {
  const { upload, bare, storedCount } = place;

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
        'the FQDN only as common name, with other DNS names',
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

    test('returns an error with the FQDN and the names of the CSR', async () => {
      const { body } = await upload(csrSample('other-name')).expect(400);
      expect(body.detail).toContain('other.example.com');
      expect(body.detail).toContain('www.example.com');
    });

    test('writes an audit entry with the reason, and without the private key', async () => {
      await upload(csrSample('p256') + privateKey).expect(400);
      const entry = (await auditEntries(place.app, 'csr.reject')).at(-1);
      expect(entry).toMatchObject({
        resourceType: 'fqdn',
        resourceId: place.fqdn.id,
        spaceId: place.fqdn.spaceId,
        outcome: 'failure',
        details: { fqdn: place.fqdn.fqdn, code: 'private_key_in_upload' },
      });
      const material = 'MC4CAQAwBQYDK2VwBCIEIA';
      expect(JSON.stringify(entry)).not.toContain(material);
      expect(JSON.stringify(place.app.logged())).not.toContain(material);
    });

    test('is rejected above 64 KiB', async () => {
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
      [
        'without a file',
        () => bare().field('spaceId', place.fqdn.spaceId).field('fqdn', place.fqdn.fqdn),
        'csr',
      ],
      [
        'with the CSR as a field',
        () =>
          bare()
            .field('spaceId', place.fqdn.spaceId)
            .field('fqdn', place.fqdn.fqdn)
            .field('csr', csrSample('p256')),
        'csr',
      ],
      [
        'with the file under another name',
        () =>
          bare()
            .field('spaceId', place.fqdn.spaceId)
            .field('fqdn', place.fqdn.fqdn)
            .attach('file', pem(), 'a.pem'),
        'csr',
      ],
      ['with two files', () => upload(csrSample('p256')).attach('csr', pem(), 'b.pem'), 'csr'],
      ['with a second file', () => upload(csrSample('p256')).attach('key', pem(), 'b.pem'), 'csr'],
      [
        'without spaceId',
        () => bare().field('fqdn', place.fqdn.fqdn).attach('csr', pem(), 'a.pem'),
        'spaceId',
      ],
      [
        'without fqdn',
        () => bare().field('spaceId', place.fqdn.spaceId).attach('csr', pem(), 'a.pem'),
        'fqdn',
      ],
      [
        'with a spaceId that is not a UUID',
        () => bare().field('spaceId', 'x').field('fqdn', place.fqdn.fqdn).attach('csr', pem(), 'a.pem'),
        'spaceId',
      ],
      [
        'with the spaceId of another space',
        () => bare().field('spaceId', unknownId).field('fqdn', place.fqdn.fqdn).attach('csr', pem(), 'a.pem'),
        'spaceId',
      ],
      [
        'with another fqdn',
        () =>
          bare()
            .field('spaceId', place.fqdn.spaceId)
            .field('fqdn', 'a.example')
            .attach('csr', pem(), 'a.pem'),
        'fqdn',
      ],
      [
        'with an invalid fqdn',
        () => bare().field('spaceId', place.fqdn.spaceId).field('fqdn', '..').attach('csr', pem(), 'a.pem'),
        'fqdn',
      ],
      ['with two spaceIds', () => upload(csrSample('p256')).field('spaceId', place.fqdn.spaceId), 'spaceId'],
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
      ['that is not multipart', () => bare().type('multipart/form-data; boundary=x').send('hello'), 'body'],
      ['without a boundary', () => bare().type('multipart/form-data').send('hello'), 'body'],
    ])('%s', async (_situation, request, path) => {
      const before = await storedCount();
      const { body } = await request().expect(400);
      expect((body.errors as { path: string }[]).map((fault) => fault.path)).toContain(path);
      expect(await storedCount()).toBe(before);
    });

    test('returns 404 for an unknown FQDN or space', async () => {
      const others = [
        { ...place.fqdn, id: unknownId },
        { ...place.fqdn, spaceId: unknownId },
        { ...place.fqdn, spaceId: (await addSpace(place.app)).id },
        ...badIds.map((id) => ({ ...place.fqdn, id })),
      ];
      for (const other of others) await csrUpload(place.app, other, csrSample('p256')).expect(404);
    });

    test('requires READ_WRITE on the space, and returns 404 for unreadable spaces', async () => {
      const { ben, cleo } = place.app.people;
      await upload(csrSample('p256'), cleo).expect(404);
      await grant(place.app, ben, 'READ', [place.fqdn.spaceId]);
      await upload(csrSample('p256'), ben).expect(403);
      await upload('nonsense', ben).expect(403);
      await grant(place.app, ben, 'READ_WRITE', [place.fqdn.spaceId]);
      await upload(csrSample('p256'), ben).expect(201);
      await place.app.request.post(pathOf(place.fqdn, 'csr')).expect(401);
    });
  });
}

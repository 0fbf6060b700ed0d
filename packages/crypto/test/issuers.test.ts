import { randomBytes } from 'node:crypto';
import { InvalidInput } from '@certloop/contracts';
import { beforeAll, describe, expect, test } from 'vitest';
import { parseCertificate } from '../src/certificates/certificate.js';
import { describeCertificate } from '../src/certificates/certificate-description.js';
import { issueCertificate } from '../src/certificates/issue.js';
import { loadIssuer } from '../src/certificates/issuer.js';
import { createRoot } from '../src/certificates/root.js';
import { formatPem } from '../src/der/pem.js';
import { exportPrivateKeyPem, exportSpki, generateKeyPair } from '../src/keys/keys.js';
import { lintCertificate } from '../src/lint/lint.js';
import { days, makeCsr, makeIssuer, now, requestFor, rootValidity } from './issuing.js';

describe('roots', () => {
  test('have the requested serial number and validity', async () => {
    const serialNumber = BigInt(`0x00ff${randomBytes(17).toString('hex')}`);
    const { certificateDer } = await createRoot({
      keyKind: 'P-256',
      subject: { commonName: 'Root', country: 'LV' },
      notBefore: new Date('2026-01-01T00:00:00Z'),
      notAfter: new Date('2126-01-01T00:00:00Z'),
      serialNumber,
    });
    expect(lintCertificate(certificateDer, certificateDer)).toEqual([]);
    expect(describeCertificate(parseCertificate(certificateDer))).toMatchObject({
      subject: 'CN=Root,C=LV',
      issuer: 'CN=Root,C=LV',
      serialNumber: serialNumber.toString(16),
      notBefore: new Date('2026-01-01T00:00:00Z'),
      notAfter: new Date('2126-01-01T00:00:00Z'),
      isCa: true,
    });
  });

  test.each([0n, 2n ** 159n])('rejects the serial number %s', async (serialNumber) => {
    const request = {
      keyKind: 'P-256',
      subject: { commonName: 'Root' },
      ...rootValidity,
      serialNumber,
    } as const;
    await expect(createRoot(request)).rejects.toThrow(InvalidInput);
  });
});

describe('loading an issuer', () => {
  const pem = (der: Buffer): string => formatPem('CERTIFICATE', der);
  let certificatePem: string;
  let privateKeyPem: string;
  beforeAll(async () => {
    const root = await createRoot({
      keyKind: 'P-256',
      subject: { commonName: 'Root' },
      ...rootValidity,
      serialNumber: 1n,
    });
    certificatePem = pem(root.certificateDer);
    privateKeyPem = exportPrivateKeyPem(root.privateKey);
  });

  const codeOf = (files: { certificatePem: string; privateKeyPem: string }, at: Date): string => {
    try {
      loadIssuer(files, at);
      return 'ok';
    } catch (error) {
      if (error instanceof InvalidInput) return error.code;
      throw error;
    }
  };

  test('accepts a matching key and certificate', () => {
    expect(codeOf({ certificatePem, privateKeyPem }, now)).toBe('ok');
  });

  test('rejects a key and certificate that do not match, with the reason', async () => {
    const other = exportPrivateKeyPem((await generateKeyPair('P-256')).privateKey);
    const { privateKey } = await generateKeyPair('P-256');
    const request = { ...requestFor(await makeCsr('P-256', 'leaf.test')), spkiDer: exportSpki(privateKey) };
    const leafPem = pem(await issueCertificate(await makeIssuer('P-256'), request));
    const refused: [string, string, Date, string][] = [
      [certificatePem, other, now, 'issuer_key_mismatch'],
      [leafPem, exportPrivateKeyPem(privateKey), now, 'issuer_not_a_ca'],
      [certificatePem, privateKeyPem, days(-1.5), 'issuer_not_valid'],
      [certificatePem, privateKeyPem, days(36_501), 'issuer_not_valid'],
      [certificatePem + certificatePem, privateKeyPem, now, 'wrong_pem_block'],
      ['', privateKeyPem, now, 'wrong_pem_block'],
      [certificatePem, '', now, 'malformed_private_key'],
      [certificatePem, certificatePem, now, 'malformed_private_key'],
      [pem(Buffer.from('zz')), privateKeyPem, now, 'malformed_der'],
    ];
    for (const [certificate, key, at, code] of refused) {
      expect(codeOf({ certificatePem: certificate, privateKeyPem: key }, at)).toBe(code);
    }
  });
});

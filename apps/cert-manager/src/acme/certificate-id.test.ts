import {
  buildCsr,
  certificateLabel,
  createIssuer,
  createRoot,
  formatPem,
  generateKeyPair,
  issueCertificate,
  keyIdentifier,
  parseCsr,
} from '@certloop/crypto';
import { expect, test } from 'vitest';
import { certificateId } from './certificate-id.js';

// The serial numbers are that of the example in RFC 9773 §4.1, and its neighbours without a high bit.
test.each([
  ['with a high bit', 0x87654321n, 'AIdlQyE'],
  ['without a high bit', 0x07654321n, 'B2VDIQ'],
  ['of one octet', 1n, 'AQ'],
])('a serial number %s', async (_, serialNumber, expected) => {
  const now = new Date('2026-03-01T12:00:00Z');
  const later = new Date(now.getTime() + 86_400_000);
  const issuer = await createIssuer(
    await createRoot({
      keyKind: 'P-256',
      subject: { commonName: 'CA' },
      notBefore: now,
      notAfter: later,
      serialNumber: 1n,
    }),
  );
  const { privateKey } = await generateKeyPair('P-256');
  const { subjectDer, spkiDer } = parseCsr((await buildCsr({ privateKey, dnsNames: ['a.example'] })).der);
  const request = { serialNumber, subjectDer, spkiDer, notBefore: now, notAfter: later };
  const der = await issueCertificate(issuer, {
    ...request,
    subjectAltNames: { dnsNames: ['a.example'] },
  });
  const id = certificateId(formatPem(certificateLabel, der));
  const authority = keyIdentifier(issuer.certificate.spkiDer).toString('base64url');
  expect(id).toBe(`${authority}.${expected}`);
});

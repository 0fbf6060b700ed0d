import { X509Certificate } from 'node:crypto';
import request from 'supertest';
import { describe, expect, test } from 'vitest';
import { authorityKeyTypes } from '../../src/authority/issuance-profile.js';
import { startCa } from '../support/app.js';

describe('GET /root', () => {
  test('shows the root as PEM of the documented type', async () => {
    const ca = await startCa();
    const response = await request(ca.http).get('/root').buffer(true).parse(textOf).expect(200);
    expect(response.headers['content-type']).toBe('application/x-pem-file');
    expect(response.body).toBe(ca.authority.rootPem);
    expect(response.body).toMatch(/^-----BEGIN CERTIFICATE-----\n[\w+/=\n]+\n-----END CERTIFICATE-----\n$/);
  });

  test('shows a root that began one day back and lasts 100 years', async () => {
    const { root } = await startCa({}, { now: new Date('2026-11-21T10:00:00Z') });
    expect(root.validFrom).toBe('Nov 20 10:00:00 2026 GMT');
    expect(root.validTo).toBe('Nov 21 10:00:00 2126 GMT');
    expect(root.ca).toBe(true);
    expect(root.issuer).toBe(root.subject);
    expect(root.verify(root.publicKey)).toBe(true);
  });

  test.each(authorityKeyTypes)('has a root with a key %s that signs what is issued', async (keyType) => {
    const ca = await startCa({ keyType });
    const { certificate } = await ca.issue();
    expect(certificate.verify(ca.root.publicKey)).toBe(true);
    expect(certificate.checkIssued(ca.root)).toBe(true);
    const { namedCurve = '', modulusLength } = ca.root.publicKey.asymmetricKeyDetails ?? {};
    const curves: Readonly<Record<string, string>> = { prime256v1: 'P-256', secp384r1: 'P-384' };
    expect(curves[namedCurve] ?? `RSA-${modulusLength}`).toBe(keyType);
  });

  test('has the configured name', async () => {
    const { root } = await startCa({ commonName: 'Änne & Söhne' });
    expect(root.subject).toBe('O=CertLoop\nCN=Änne & Söhne');
  });

  test('is a new one at every start', async () => {
    const [one, other] = [await startCa(), await startCa()];
    expect(new X509Certificate(one.authority.rootPem).fingerprint256).not.toBe(other.root.fingerprint256);
  });
});

// Superagent reads texts of unknown types only with a parser of ours.
function textOf(response: request.Response, done: (error: Error | null, text: unknown) => void): void {
  let text = '';
  response.setEncoding('utf8');
  response.on('data', (chunk) => {
    text += String(chunk);
  });
  response.on('end', () => done(null, text));
}

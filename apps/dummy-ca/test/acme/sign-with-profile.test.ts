import { X509Certificate } from 'node:crypto';
import { describeCertificate, parseCertificate } from '@certloop/crypto';
import { lintCertificate } from '@certloop/crypto/lint';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startAcme, type TestAcme } from '../support/acme.js';
import { csrField, rsa } from '../support/csrs.js';

const now = new Date('2026-11-21T10:00:00Z');
const daySeconds = 86_400;
let ca: TestAcme;
beforeAll(async () => {
  ca = await startAcme({ now });
});
afterAll(() => ca.close());

async function post(members: object, key?: string, at = ca) {
  const answer = await fetch(`${at.url}/csr`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...(key !== undefined && { 'Idempotency-Key': key }) },
    body: JSON.stringify({ csr: csrField(), action: 'sign', ...members }),
  });
  const body = (await answer.json()) as { readonly certificate: string; readonly error: string };
  return { status: answer.status, body };
}

async function issue(members: object, at = ca): Promise<X509Certificate> {
  const { status, body } = await post(members, undefined, at);
  expect({ status, error: body.error }).toEqual({ status: 200, error: undefined });
  return new X509Certificate(body.certificate);
}

/** Seconds from now to both ends of the validity. */
const boundsOf = ({ validFrom, validTo }: X509Certificate) =>
  [validFrom, validTo].map((text) => (Date.parse(text) - now.getTime()) / 1000);

describe('POST /csr with a profile', () => {
  const server = '1.3.6.1.5.5.7.3.1';
  const serverAndClient = [server, '1.3.6.1.5.5.7.3.2'];

  test.each([
    ['classic', 90 * daySeconds, 'CN=www.example.test', [server], true],
    ['tlsclient', 90 * daySeconds, 'CN=www.example.test', serverAndClient, true],
    ['tlsserver', 45 * daySeconds, undefined, [server], false],
    ['shortlived', 160 * 3600, undefined, [server], false],
  ])(
    'issues %s for its length and with its content',
    async (profile, seconds, subject, purposes, isUsual) => {
      const leaf = await issue({ profile, csr: csrField({ keys: rsa() }) });
      expect(boundsOf(leaf)).toEqual([-60, seconds - 60]);
      expect({ subject: leaf.subject, purposes: leaf.keyUsage }).toEqual({ subject, purposes });
      expect(leaf.subjectAltName).toBe('DNS:www.example.test');
      expect(leaf.verify(new X509Certificate(ca.authority.rootPem).publicKey)).toBe(true);
      const certificate = parseCertificate(leaf.raw);
      expect(certificate.subjectKeyIdentifier !== undefined).toBe(isUsual);
      expect(JSON.stringify(describeCertificate(certificate)).includes('Key Encipherment')).toBe(isUsual);
      // our lint wants a subject key identifier, as RFC 5280 §4.2.1.2 recommends it
      if (isUsual) expect(lintCertificate(leaf.raw)).toEqual([]);
    },
  );

  test('lets seconds and offset of the request win over those of the profile, and days not', async () => {
    expect(boundsOf(await issue({ profile: 'tlsserver', validity_days: 3 }))[1]).toBe(45 * daySeconds - 60);
    expect(boundsOf(await issue({ profile: 'tlsserver', validity_seconds: 3600 }))).toEqual([-60, 3540]);
    const past = await issue({ profile: 'shortlived', not_before_offset_seconds: -3600 });
    expect(boundsOf(past)).toEqual([-3600, 160 * 3600 - 3600]);
  });

  test('obeys the offset of a profile', async () => {
    const profiles = [{ name: 'expired', validitySeconds: 60, notBeforeOffsetSeconds: -3660 }];
    const other = await startAcme({ now, settings: { profiles } });
    expect(boundsOf(await issue({ profile: 'expired' }, other))).toEqual([-3660, -3600]);
    await other.close();
  });

  test.each(['other', 'Classic', ' '])(
    'refuses the profile "%s" and names those there are',
    async (profile) => {
      const { status, body } = await post({ profile });
      const error = 'profile: must be one of classic, tlsserver, shortlived, tlsclient';
      expect({ status, body }).toEqual({ status: 400, body: { error } });
    },
  );

  test.each([[''], [7], [null], ['x'.repeat(65)]])('refuses the profile %p', async (profile) => {
    const { status, body } = await post({ profile });
    expect(status).toBe(400);
    expect(body.error).toMatch(/^profile: /);
  });

  test('refuses a CSR that would leave no name in the certificate', async () => {
    const { status, body } = await post({ profile: 'tlsserver', csr: csrField({ attributes: [] }) });
    expect(status).toBe(400);
    expect(body.error).toBe(
      'profile: its certificates have no common name, so the CSR must have a subjectAltName',
    );
  });

  test('refuses another profile under the same Idempotency-Key', async () => {
    const csr = csrField();
    const first = await post({ csr, profile: 'classic' }, 'one');
    expect(await post({ csr, profile: 'classic' }, 'one')).toEqual(first);
    expect((await post({ csr, profile: 'shortlived' }, 'one')).status).toBe(400);
    expect((await post({ csr }, 'one')).status).toBe(400);
  });
});

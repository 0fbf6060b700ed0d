import { generateKeyPairSync, randomBytes, X509Certificate } from 'node:crypto';
import { signingReplySchema } from '@certloop/contracts';
import { lintCertificate } from '@certloop/crypto/lint';
import { createLogger } from '@certloop/server';
import request from 'supertest';
import { beforeAll, describe, expect, test } from 'vitest';
import { createApp } from '../../src/app.js';
import { startCa, type TestCa, usualStatus } from '../support/app.js';
import {
  algorithms,
  base64,
  type CsrParts,
  commonName,
  csrDer,
  csrField,
  dns,
  email,
  emptyName,
  extension,
  extensionRequest,
  ip,
  nameOf,
  p256,
  pemOf,
  rsa,
  subjectAltName,
  uri,
} from '../support/csrs.js';
import { bitString, integer, nil, oid, printable, sequence, set, utf8, yes } from '../support/der.js';

const now = new Date('2026-11-21T10:00:00.600Z');
const dayMs = 86_400_000;
let ca: TestCa;
beforeAll(async () => {
  ca = await startCa({}, { now });
});

const serialOf = (certificate: X509Certificate) => BigInt(`0x${certificate.serialNumber}`);
const instantsOf = ({ validFrom, validTo }: X509Certificate) => [new Date(validFrom), new Date(validTo)];

describe('POST /csr', () => {
  test('returns a certificate for the key and the names of the CSR', async () => {
    const keys = p256();
    const { body } = await ca.sign({ csr: csrField({ keys }) }).expect(200);
    expect(signingReplySchema.parse(body)).toEqual(body);
    expect(body).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
      status: 'success',
      message: expect.any(String),
      certificate: expect.stringMatching(/^-----BEGIN CERTIFICATE-----\n[\s\S]+-----END CERTIFICATE-----\n$/),
    });
    const certificate = new X509Certificate(body.certificate);
    expect(certificate.publicKey.equals(keys.publicKey)).toBe(true);
    expect(certificate.checkHost('www.example.test')).toBe('www.example.test');
    expect(certificate.subject).toBe('CN=www.example.test');
    expect(certificate.ca).toBe(false);
    expect(certificate.verify(ca.root.publicKey)).toBe(true);
  });

  test.each<[string, object, number]>([
    ['365 days without the member', {}, 365],
    ['1 day', { validity_days: 1 }, 1],
    ['825 days', { validity_days: 825 }, 825],
    ['36500 days', { validity_days: 36_500 }, 36_500],
  ])('issues for %s, from 60 s back', async (_, members, days) => {
    const { certificate } = await ca.issue(members);
    const notBefore = new Date('2026-11-21T09:59:00Z');
    expect(instantsOf(certificate)).toEqual([notBefore, new Date(notBefore.getTime() + days * dayMs)]);
  });

  test('shortens a validity that would outlive the root', async () => {
    const brief = await startCa({ rootValidityDays: 100 }, { now });
    const { certificate } = await brief.issue({ validity_days: 365 });
    expect(certificate.validTo).toBe(brief.root.validTo);
  });

  test('never begins before the root', async () => {
    const early = await startCa({}, { now });
    early.clock.advance(-dayMs);
    const { certificate } = await early.issue();
    expect(certificate.validFrom).toBe(early.root.validFrom);
  });

  test('returns 500 when the root has expired', async () => {
    const ended = await startCa({ rootValidityDays: 2 }, { now });
    ended.clock.advance(dayMs + 60_000);
    const { body } = await ended.sign().expect(500);
    expect(body).toEqual({ error: expect.stringMatching(/root/) });
  });

  test('answers 500 without the reason when signing fails', async () => {
    const authority = { ...ca.authority, issue: () => Promise.reject(new Error('the disk of the key')) };
    const logger = createLogger({ service: 'dummy-ca', level: 'silent' });
    const http = createApp({
      authority,
      storeLimits: { count: 1, octets: 1 },
      status: usualStatus,
      clock: ca.clock,
      logger,
    });
    const { body } = await request(http).post('/csr').send({ csr: csrField(), action: 'sign' }).expect(500);
    expect(body).toEqual({ error: 'the CSR could not be signed' });
  });

  test('reads Base64 in lines', async () => {
    const csr = csrField().replace(/.{76}/g, '$&\n');
    await ca.sign({ csr }).expect(200);
  });

  test('reads the older label, CRLF and text around the block', async () => {
    const pem = pemOf(csrDer(), 'NEW CERTIFICATE REQUEST').replaceAll('\n', '\r\n');
    await ca.sign({ csr: base64(`Certificate Request:\n    Data:\n${pem}\n`) }).expect(200);
  });

  test('issues again for the same CSR, under another identifier and serial number', async () => {
    const csr = csrField();
    const [one, other] = [await ca.issue({ csr }), await ca.issue({ csr })];
    expect(one.id).not.toBe(other.id);
    expect(serialOf(other.certificate)).toBe(serialOf(one.certificate) + 1n);
  });
});

describe('serial numbers', () => {
  test('of certificates signed at once are unique, positive and consecutive', async () => {
    const csr = csrField();
    const issued = await Promise.all(Array.from({ length: 60 }, () => ca.issue({ csr })));
    const serials = issued.map(({ certificate }) => serialOf(certificate)).sort((a, b) => (a < b ? -1 : 1));
    const first = serials[0] ?? 0n;
    expect(serials).toEqual(serials.map((_, place) => first + BigInt(place)));
    expect(first > 0n && first.toString(16).length <= 32).toBe(true);
  });

  test('are not used up by a refused CSR', async () => {
    const before = serialOf((await ca.issue()).certificate);
    await ca.sign({ csr: tampered() }).expect(400);
    expect(serialOf((await ca.issue()).certificate)).toBe(before + 1n);
  });

  test('differ from that of the root, and rise over a restart', async () => {
    const before = serialOf((await ca.issue()).certificate);
    const restarted = await startCa({}, { now: new Date(now.getTime() + 1) });
    expect(serialOf((await restarted.issue()).certificate) > before).toBe(true);
    expect(serialOf(ca.root)).not.toBe(before);
  });
});

function tampered(): string {
  const der = csrDer();
  der.writeUInt8((der.at(-1) ?? 0) ^ 1, der.length - 1);
  return base64(pemOf(der));
}

describe('the names of the CSR', () => {
  const odd = sequence(
    set(sequence(oid('2.5.4.6'), printable('LV'))),
    set(sequence(oid('2.5.4.10'), utf8('Ēdiens & Co'))),
    set(sequence(oid(commonName), printable('many')), sequence(oid('2.5.4.5'), printable('1'))),
    set(sequence(oid('1.3.6.1.4.1.99999.1'), utf8(' blanks '))),
  );
  const names = [
    dns('a.example.test'),
    dns('*.b.example.test'),
    ip(192, 0, 2, 1),
    ip(0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1),
    email('ada@example.test'),
    uri('spiffe://example.test/x'),
  ];

  test('are carried over octet by octet', async () => {
    const san = subjectAltName(...names);
    const { certificate } = await ca.issue({
      csr: csrField({ subject: odd, attributes: [extensionRequest(san)] }),
    });
    expect(certificate.raw.includes(odd)).toBe(true);
    expect(certificate.raw.includes(san)).toBe(true);
  });

  test('are in a critical extension if the subject is empty', async () => {
    const attributes = [extensionRequest(subjectAltName(dns('only.example.test')))];
    const { certificate } = await ca.issue({ csr: csrField({ subject: emptyName, attributes }) });
    const critical = extension('2.5.29.17', sequence(dns('only.example.test')), 'critical');
    expect(certificate.raw.includes(critical)).toBe(true);
    expect(lintCertificate(certificate.raw, ca.root.raw)).toEqual([]);
  });

  test.each<[string, CsrParts]>([
    ['a subject alone', { attributes: [] }],
    ['no name at all', { subject: emptyName, attributes: [] }],
    ['a name that is not a host name', { subject: nameOf([commonName, 'no host!']) }],
    ['a name of 200 letters', { subject: nameOf([commonName, 'x'.repeat(200)]) }],
    [
      '400 names',
      {
        attributes: [
          extensionRequest(
            subjectAltName(...Array.from({ length: 400 }, (_, n) => dns(`h${n}.example.test`))),
          ),
        ],
      },
    ],
    ['a challenge password', { attributes: [sequence(oid('1.2.840.113549.1.9.7'), set(utf8('secret')))] }],
  ])('are not judged: %s', async (_, parts) => {
    const keys = p256();
    const { certificate } = await ca.issue({ csr: csrField({ ...parts, keys }) });
    expect(certificate.publicKey.equals(keys.publicKey)).toBe(true);
  });

  test('are the only copied part: other requests of the CSR are ignored', async () => {
    const asked = [
      extension('2.5.29.19', sequence(yes, integer(3)), 'critical'),
      extension('2.5.29.15', Buffer.of(3, 2, 1, 6), 'critical'),
      extension('2.5.29.37', sequence(oid('1.3.6.1.5.5.7.3.9'))),
      extension('1.3.6.1.5.5.7.1.24', sequence(integer(5))),
      subjectAltName(dns('a.example.test')),
    ];
    const { certificate } = await ca.issue({ csr: csrField({ attributes: [extensionRequest(...asked)] }) });
    expect(certificate.ca).toBe(false);
    expect(certificate.checkHost('a.example.test')).toBe('a.example.test');
    expect(certificate.raw.includes(oid('1.3.6.1.5.5.7.1.24'))).toBe(false);
    expect(certificate.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1', '1.3.6.1.5.5.7.3.2']);
    expect(lintCertificate(certificate.raw, ca.root.raw)).toEqual([]);
  });
});

describe('the key of the CSR', () => {
  const p384 = generateKeyPairSync('ec', { namedCurve: 'P-384' });
  const p521 = generateKeyPairSync('ec', { namedCurve: 'P-521' });
  const sha512 = sequence(oid('1.2.840.10045.4.3.4'));

  test.each<[string, CsrParts]>([
    ['P-256', { keys: p256() }],
    ['P-384', { keys: p384, hash: 'sha384', signatureAlgorithm: algorithms.ecdsaSha384 }],
    ['P-521', { keys: p521, hash: 'sha512', signatureAlgorithm: sha512 }],
    ['RSA-2048', { keys: rsa() }],
    ['RSA-3072', { keys: rsa(3072) }],
    ['Ed25519', { keys: generateKeyPairSync('ed25519'), signatureAlgorithm: algorithms.ed25519 }],
  ])('may be %s', async (_, parts) => {
    const { certificate } = await ca.issue({ csr: csrField(parts) });
    expect(parts.keys?.publicKey.equals(certificate.publicKey)).toBe(true);
    expect(lintCertificate(certificate.raw, ca.root.raw)).toEqual([]);
  });

  test.each([1, 2])('is accepted in a CSR of version %i', async (version) => {
    const { certificate } = await ca.issue({ csr: csrField({ version }) });
    expect(lintCertificate(certificate.raw, ca.root.raw)).toEqual([]);
  });

  test.each<[string, string]>([
    ['whose signature was changed', tampered()],
    [
      'whose signature was made with another key',
      csrField({ keys: { ...p256(), privateKey: p256().privateKey } }),
    ],
    ['whose algorithm does not fit its key', csrField({ signatureAlgorithm: algorithms.rsaSha256 })],
    ['whose algorithm names another hash', csrField({ signatureAlgorithm: algorithms.ecdsaSha384 })],
    ['signed with MD5', csrField({ keys: rsa(), hash: 'md5', signatureAlgorithm: algorithms.rsaMd5 })],
    ['with an unknown algorithm', csrField({ signatureAlgorithm: sequence(oid('1.2.3.4')) })],
    [
      'with an unknown kind of key',
      csrField({ spki: sequence(sequence(oid('1.2.3.4')), bitString(Buffer.of(1))) }),
    ],
    ['with a key that is not a point', csrField({ spki: pointless() })],
    ['of another version', csrField({ version: 3 })],
    [
      'with two SAN extensions',
      csrField({ attributes: [extensionRequest(subjectAltName(dns('a')), subjectAltName(dns('b')))] }),
    ],
    ['that is a NULL', base64(pemOf(nil))],
    ['that is random', base64(pemOf(randomBytes(500)))],
  ])('is refused with its CSR %s', async (_, csr) => {
    const { body } = await ca.sign({ csr }).expect(400);
    expect(body).toEqual({ error: expect.stringMatching(/\S/) });
  });

  function pointless(): Buffer {
    const algorithm = sequence(oid('1.2.840.10045.2.1'), oid('1.2.840.10045.3.1.7'));
    return sequence(algorithm, bitString(Buffer.concat([Buffer.of(4), Buffer.alloc(64, 7)])));
  }
});

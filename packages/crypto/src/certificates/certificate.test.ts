import { X509Certificate } from 'node:crypto';
import { InvalidInput } from '@certloop/contracts';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  authorityParts,
  type CertificateParts,
  type Forger,
  forgeCertificate,
  forgeExtension,
} from '../../test/forge-certificate.js';
import { contextConstructed, contextPrimitive, tag } from '../der/der.js';
import { encode, encodeInteger, encodeNull, encodeSequence } from '../der/der-writer.js';
import { exportSpki, generateKeyPair } from '../keys/keys.js';
import { lintCertificate } from '../lint/lint.js';
import { encodeName } from '../names/names.js';
import { isWithinValidity, parseCertificate } from './certificate.js';
import { describeCertificate } from './certificate-description.js';
import { checkChain } from './chain.js';

let forger: Forger;
let spki: Buffer;
let der: Buffer;

beforeAll(async () => {
  const { privateKey } = await generateKeyPair('P-256');
  forger = { privateKey, name: encodeName({ commonName: 'Root' }) };
  spki = exportSpki((await generateKeyPair('P-384')).publicKey);
  der = await forgeCertificate(forger, spki);
});

const forge = (parts: CertificateParts): Promise<Buffer> => forgeCertificate(forger, spki, parts);

test('a description matches that of Node.js', () => {
  const node = new X509Certificate(der);
  const described = describeCertificate(parseCertificate(der));
  expect(described).toMatchObject({
    subject: 'CN=leaf.test',
    issuer: 'CN=Root',
    dnsNames: ['leaf.test'],
    emailAddresses: [],
    ipAddresses: [],
    uris: [],
    publicKeyAlgorithm: 'ECDSA',
    keySize: 384,
    curve: 'P-384',
    signatureAlgorithm: 'ecdsa-with-SHA256',
    isCa: false,
  });
  expect(described.serialNumber.toUpperCase()).toBe(node.serialNumber);
  expect(described.fingerprint.toUpperCase()).toBe(node.fingerprint256.replaceAll(':', ''));
  expect(described.notBefore).toEqual(new Date(node.validFrom));
  expect(described.notAfter).toEqual(new Date(node.validTo));
  expect(described.subjectKeyIdentifier).toMatch(/^[0-9a-f]{40}$/);
  expect(described.authorityKeyIdentifier).toMatch(/^[0-9a-f]{40}$/);
});

describe('certificates from other sources', () => {
  const time = (identifier: number, text: string): Buffer => encode(identifier, Buffer.from(text));

  test('version 1 has no extensions', async () => {
    const parts: CertificateParts = {
      version: Buffer.alloc(0),
      extensions: {
        basicConstraints: undefined,
        keyUsage: undefined,
        subjectKeyIdentifier: undefined,
        authorityKeyIdentifier: undefined,
        subjectAltName: undefined,
      },
    };
    const certificate = parseCertificate(await forge(parts));
    expect(certificate).toMatchObject({ version: 1, extensions: [], isCa: false, maySignCertificates: true });
  });

  test.each([
    ['positive', encodeInteger(0xabcn), '0abc'],
    ['with its top bit set', encodeInteger(0x80n), '80'],
    ['zero', encodeInteger(0n), '00'],
    ['negative', encodeInteger(-0xabcn), '-0abc'],
  ])('a serial number that is %s', async (_, serialNumber, hex) => {
    expect(parseCertificate(await forge({ serialNumber })).serialNumber).toBe(hex);
  });

  test('an authority key identifier with issuer and serial number', async () => {
    const value = encodeSequence(
      encode(contextPrimitive(0), Buffer.of(1, 2)),
      encode(contextConstructed(1), encode(contextConstructed(4), encodeName({ commonName: 'Root' }))),
      encode(contextPrimitive(2), Buffer.of(7)),
    );
    const extensions = { authorityKeyIdentifier: forgeExtension('authorityKeyIdentifier', false, value) };
    const certificate = parseCertificate(await forge({ extensions }));
    expect(certificate.authorityKeyIdentifier).toEqual(Buffer.of(1, 2));
  });

  const refused: [string, CertificateParts][] = [
    ['version 4', { version: encode(contextConstructed(0), encodeInteger(3n)) }],
    ['a version that is not a number', { version: encode(contextConstructed(0), encodeNull()) }],
    ['two versions', { version: encode(contextConstructed(0), encodeInteger(2n), encodeInteger(2n)) }],
    ['no serial number', { serialNumber: Buffer.alloc(0) }],
    ['an issuer that is not a name', { issuer: encodeSequence(encodeNull()) }],
    ['a validity of one bound', { notAfter: Buffer.alloc(0) }],
    ['a validity with an offset', { notAfter: time(tag.utcTime, '261231235959+0100') }],
    ['an invalid public key', { spki: encodeNull() }],
    [
      'an invalid key identifier',
      { extensions: { subjectKeyIdentifier: forgeExtension('subjectKeyIdentifier', false, encodeNull()) } },
    ],
    [
      'invalid basicConstraints',
      { extensions: { basicConstraints: forgeExtension('basicConstraints', true, Buffer.from('zz')) } },
    ],
  ];
  test.each(refused)('rejects %s', async (_, parts) => {
    const forged = await forge(parts);
    expect(() => parseCertificate(forged)).toThrow(InvalidInput);
  });
});

test('the validity includes both of its bounds', () => {
  const certificate = parseCertificate(der);
  const valid = (instant: string): boolean => isWithinValidity(certificate, new Date(instant));
  expect(valid('2025-12-31T23:59:59.999Z')).toBe(false);
  expect(valid('2026-01-01T00:00:00.000Z')).toBe(true);
  expect(valid('2026-12-31T23:59:59.999Z')).toBe(true);
  expect(valid('2027-01-01T00:00:00.000Z')).toBe(false);
});

test('throws only InvalidInput for any damaged certificate', async () => {
  const root = parseCertificate(
    await forgeCertificate(forger, exportSpki(forger.privateKey), authorityParts('Root')),
  );
  const now = new Date('2026-06-01T00:00:00Z');
  fc.assert(
    fc.property(
      fc.nat(der.length - 1),
      fc.integer({ min: 1, max: 255 }),
      fc.nat(2),
      (place, change, kind) => {
        const octet = (der[place] ?? 0) ^ change;
        const octets = Buffer.from(
          [...der].toSpliced(place, kind === 0 ? 0 : 1, ...(kind === 1 ? [] : [octet])),
        );
        lintCertificate(octets, root.der);
        try {
          const certificate = parseCertificate(octets);
          describeCertificate(certificate);
          expect(checkChain(certificate, [], [root], now).ok).toBe(false);
        } catch (error) {
          if (!(error instanceof InvalidInput)) throw error;
        }
      },
    ),
    { numRuns: 1500 },
  );
});

import { beforeAll, describe, expect, test } from 'vitest';
import {
  authorityParts,
  type CertificateParts,
  type Forger,
  forgeCertificate,
  forgeExtension,
  forgeUncriticalWrittenOut,
} from '../../test/forge-certificate.js';
import { contextConstructed, contextPrimitive, tag } from '../der/der.js';
import {
  encode,
  encodeBitOctets,
  encodeBoolean,
  encodeInteger,
  encodeNamedBits,
  encodeNull,
  encodeOctetString,
  encodeOid,
  encodeSequence,
  encodeSetOf,
} from '../der/der-writer.js';
import { encodeTime } from '../der/times.js';
import { exportSpki, generateKeyPair } from '../keys/keys.js';
import { encodeGeneralNames } from '../names/general-names.js';
import { encodeName } from '../names/names.js';
import { lintCertificate } from './lint.js';

let forger: Forger;
let issuerDer: Buffer;
let spki: Buffer;

beforeAll(async () => {
  const { privateKey } = await generateKeyPair('P-256');
  forger = { privateKey, name: encodeName({ commonName: 'Root' }) };
  issuerDer = await forgeCertificate(forger, exportSpki(privateKey), authorityParts('Root'));
  spki = exportSpki((await generateKeyPair('P-256')).publicKey);
});

const lint = async (parts: CertificateParts): Promise<string[]> =>
  lintCertificate(await forgeCertificate(forger, spki, parts), issuerDer);
const time = (identifier: number, text: string): Buffer => encode(identifier, Buffer.from(text));
const nameOfHost = (octets: string): Buffer =>
  forgeExtension('subjectAltName', false, encodeSequence(encode(0x82, Buffer.from(octets))));

test('reports no faults in a valid leaf and its authority', async () => {
  expect(await lint({})).toEqual([]);
  expect(lintCertificate(issuerDer, issuerDer)).toEqual([]);
  expect(lintCertificate(issuerDer)).toEqual([]);
});

describe('reports each fault, and nothing else', () => {
  const faults: [string, CertificateParts][] = [
    ['the serial number is 0', { serialNumber: encodeInteger(0n) }],
    ['the serial number is negative', { serialNumber: encodeInteger(-5n) }],
    ['the serial number is longer than 20 octets', { serialNumber: encodeInteger(2n ** 160n) }],
    ['the version is not 3', { version: encode(contextConstructed(0), encodeInteger(1n)) }],
    ['the subject key identifier is missing', { extensions: { subjectKeyIdentifier: undefined } }],
    [
      'the subject key identifier is critical',
      {
        extensions: {
          subjectKeyIdentifier: forgeExtension('subjectKeyIdentifier', true, encodeOctetString(Buffer.of(1))),
        },
      },
    ],
    ['the authority key identifier is missing', { extensions: { authorityKeyIdentifier: undefined } }],
    [
      'the authority key identifier is not the key identifier of the issuer',
      {
        extensions: {
          authorityKeyIdentifier: forgeExtension(
            'authorityKeyIdentifier',
            false,
            encodeSequence(encode(contextPrimitive(0), Buffer.of(1))),
          ),
        },
      },
    ],
    ['keyUsage is missing', { extensions: { keyUsage: undefined } }],
    [
      'keyUsage is not critical',
      { extensions: { keyUsage: forgeExtension('keyUsage', false, encodeNamedBits([0])) } },
    ],
    [
      'keyUsage is empty',
      { extensions: { keyUsage: forgeExtension('keyUsage', true, encodeNamedBits([])) } },
    ],
    [
      'keyUsage has trailing zero bits',
      { extensions: { keyUsage: forgeExtension('keyUsage', true, Buffer.from('0303008000', 'hex')) } },
    ],
    [
      'keyUsage has trailing zero bits',
      { extensions: { keyUsage: forgeExtension('keyUsage', true, Buffer.from('03020080', 'hex')) } },
    ],
    [
      'keyUsage lets a leaf sign certificates',
      { extensions: { keyUsage: forgeExtension('keyUsage', true, encodeNamedBits([0, 5])) } },
    ],
    [
      'keyUsage has keyEncipherment for a key of ECDSA',
      { extensions: { keyUsage: forgeExtension('keyUsage', true, encodeNamedBits([0, 2])) } },
    ],
    ['basicConstraints is missing', { extensions: { basicConstraints: undefined } }],
    [
      'basicConstraints is not critical',
      { extensions: { basicConstraints: forgeExtension('basicConstraints', false, encodeSequence()) } },
    ],
    [
      'basicConstraints has cA FALSE written out',
      {
        extensions: {
          basicConstraints: forgeExtension('basicConstraints', true, encodeSequence(encodeBoolean(false))),
        },
      },
    ],
    [
      'basicConstraints bounds the path of a leaf',
      {
        extensions: {
          basicConstraints: forgeExtension('basicConstraints', true, encodeSequence(encodeInteger(0n))),
        },
      },
    ],
    [
      'an extension has critical FALSE written out',
      { furtherExtensions: [forgeUncriticalWrittenOut('1.2.3', Buffer.of(5, 0))] },
    ],
    [
      'the extended key usage is empty',
      { furtherExtensions: [encodeSequence(encodeOid('2.5.29.37'), encodeOctetString(encodeSequence()))] },
    ],
    [
      'a year before 2050 is written as GeneralizedTime',
      { notBefore: time(tag.generalizedTime, '20260101000000Z') },
    ],
    ['notAfter is after that of the issuer', { notAfter: encodeTime(new Date('2027-01-01T00:00:00Z')) }],
    ['notBefore is before that of the issuer', { notBefore: encodeTime(new Date('2025-12-31T23:59:59Z')) }],
    [
      'notAfter is before notBefore',
      {
        notBefore: encodeTime(new Date('2026-06-02T00:00:00Z')),
        notAfter: encodeTime(new Date('2026-06-01T00:00:00Z')),
      },
    ],
    [
      'the ECDSA signature algorithm has parameters',
      { algorithm: encodeSequence(encodeOid('1.2.840.10045.4.3.2'), encodeNull()) },
    ],
    ['the common name is longer than 64 characters', { subject: encodeName({ commonName: 'a'.repeat(65) }) }],
    ['the country is longer than 2 characters', { subject: encodeName({ country: 'LVA' }) }],
    [
      'the IP address 10.0.0.1 is written as a dNSName',
      { extensions: { subjectAltName: nameOfHost('10.0.0.1') } },
    ],
    ['the dNSName "a b" is not a host name', { extensions: { subjectAltName: nameOfHost('a b') } }],
    ['the subjectAltName is missing', { extensions: { subjectAltName: undefined } }],
    ['the subject is empty and the subjectAltName not critical', { subject: encodeSequence() }],
    [
      'there is a subject and the subjectAltName is critical',
      {
        extensions: {
          subjectAltName: forgeExtension(
            'subjectAltName',
            true,
            encodeGeneralNames({ dnsNames: ['a.test'] }),
          ),
        },
      },
    ],
  ];
  test.each(faults)('%s', async (sentence, parts) => {
    expect(await lint(parts)).toEqual([sentence]);
  });

  test('values at the bounds', async () => {
    expect(await lint({ serialNumber: encodeInteger(2n ** 159n - 1n) })).toEqual([]);
    expect(await lint({ subject: encodeName({ commonName: 'é'.repeat(64) }) })).toEqual([]);
  });

  test('RSA without its NULL', async () => {
    const { privateKey } = await generateKeyPair('RSA-2048');
    const rsa = { privateKey, name: encodeName({ commonName: 'Root' }) };
    const algorithm = encodeSequence(encodeOid('1.2.840.113549.1.1.11'));
    expect(lintCertificate(await forgeCertificate(rsa, spki, { algorithm }))).toEqual([
      'the RSA signature algorithm lacks its NULL',
    ]);
    expect(lintCertificate(await forgeCertificate(rsa, spki))).toEqual([]);
  });
});

describe('faults that OpenSSL does not report', () => {
  test('an issuer with the same text in another encoding', async () => {
    const printable = encodeSequence(
      encodeSetOf(encodeSequence(encodeOid('2.5.4.3'), encode(tag.printableString, Buffer.from('Root')))),
    );
    expect(await lint({ issuer: printable })).toEqual([
      'the issuer is not byte for byte the subject of its certificate',
    ]);
  });

  test('a signature by another key', async () => {
    const { privateKey } = await generateKeyPair('P-256');
    const der = await forgeCertificate({ ...forger, privateKey }, spki);
    expect(lintCertificate(der, issuerDer)).toEqual([
      'the authority key identifier is not the key identifier of the issuer',
      'the signature of the issuer is wrong: the signature does not verify',
    ]);
  });
});

describe('reports an unreadable certificate in one sentence', () => {
  const unreadable: [string, CertificateParts, RegExp][] = [
    ['a NUL in a host name', { extensions: { subjectAltName: nameOfHost('a\0b') } }, /printable ASCII/],
    [
      'an empty list of names',
      { extensions: { subjectAltName: forgeExtension('subjectAltName', false, encodeSequence()) } },
      /contains no name/,
    ],
    ['UTCTime without seconds', { notBefore: time(tag.utcTime, '2601010000Z') }, /not a UTCTime/],
    [
      'two signature algorithms',
      { innerAlgorithm: encodeSequence(encodeOid('1.2.840.10045.4.3.3')) },
      /fields of the signature algorithm differ/,
    ],
    [
      'an extension twice',
      { furtherExtensions: [forgeExtension('keyUsage', true, encodeNamedBits([0]))] },
      /twice/,
    ],
    ['a signature with unused bits', { signature: encode(tag.bitString, Buffer.of(1, 2)) }, /unused bits/],
    [
      'a serial number with a leading zero',
      { serialNumber: encode(tag.integer, Buffer.of(0, 1)) },
      /not minimal/,
    ],
  ];
  test.each(unreadable)('%s', async (_, parts, sentence) => {
    expect(await lint(parts)).toEqual([expect.stringMatching(sentence)]);
  });

  test('a trailing byte', async () => {
    const der = Buffer.concat([await forgeCertificate(forger, spki), Buffer.of(0)]);
    expect(lintCertificate(der)).toEqual([expect.stringMatching(/follow its end/)]);
  });

  test('an empty input', () => {
    expect(lintCertificate(Buffer.alloc(0))).toHaveLength(1);
    expect(lintCertificate(encodeBitOctets(Buffer.of(1)))).toHaveLength(1);
  });
});

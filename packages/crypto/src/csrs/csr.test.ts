import { generateKeyPairSync } from 'node:crypto';
import { AppError, InvalidInput } from '@certloop/contracts';
import { beforeAll, describe, expect, test } from 'vitest';
import { type CsrParts, forgeCsr, forgeRequest } from '../../test/forge.js';
import { encodeExtension } from '../certificates/extensions.js';
import { contextConstructed, tag } from '../der/der.js';
import {
  encode,
  encodeBitOctets,
  encodeInteger,
  encodeNull,
  encodeOid,
  encodeSequence,
  encodeSetOf,
} from '../der/der-writer.js';
import { oid } from '../der/oids.js';
import { exportSpki, generateKeyPair, type KeyPair, keyKinds } from '../keys/keys.js';
import { encodeGeneralNames } from '../names/general-names.js';
import { buildCsr } from './build-csr.js';
import { parseCsr, verifyCsr } from './csr.js';
import { describeCsr } from './csr-description.js';

let pair: KeyPair;
beforeAll(async () => {
  pair = await generateKeyPair('P-256');
});

const attributes = (...parts: Buffer[]): Buffer => encode(contextConstructed(0), ...parts);
const subjectAltName = (value: Buffer): Buffer =>
  encodeExtension({ oid: oid.subjectAltName, critical: false, value });
const oneName = subjectAltName(encodeGeneralNames({ dnsNames: ['a.test'] }));
const password = encodeSequence(
  encodeOid('1.2.840.113549.1.9.7'),
  encodeSetOf(encode(tag.utf8String, Buffer.from('secret'))),
);

describe('requests that are accepted', () => {
  const accepted: [string, CsrParts, readonly string[]][] = [
    ['only a subject', {}, []],
    ['no attributes at all', { tail: [] }, []],
    ['an empty subject', { subject: encodeSequence() }, []],
    ['a name', { tail: [attributes(forgeRequest([oneName]))] }, ['a.test']],
    [
      'the attribute of older Windows',
      { tail: [attributes(forgeRequest([oneName], oid.microsoftExtensionRequest))] },
      ['a.test'],
    ],
    ['an empty list of extensions', { tail: [attributes(forgeRequest([]))] }, []],
    ['with a challenge password', { tail: [attributes(password, forgeRequest([oneName]))] }, ['a.test']],
    ['version 1', { version: encodeInteger(1n) }, []],
    ['version 2', { version: encodeInteger(2n) }, []],
    [
      'a request for extensions without a value',
      { tail: [attributes(encodeSequence(encodeOid(oid.extensionRequest), encodeSetOf()))] },
      [],
    ],
    [
      'an unknown attribute without values',
      { tail: [attributes(encodeSequence(encodeOid('1.2.3'), encodeSetOf()))] },
      [],
    ],
    [
      'ECDSA with NULL parameters',
      { algorithm: encodeSequence(encodeOid('1.2.840.10045.4.3.2'), encodeNull()) },
      [],
    ],
  ];
  test.each(accepted)('%s', async (_, parts, dnsNames) => {
    const csr = parseCsr(await forgeCsr(pair.privateKey, parts));
    expect(await verifyCsr(csr)).toEqual({ ok: true });
    expect(describeCsr(csr).dnsNames).toEqual(dnsNames);
  });
});

const named = (type: string, value: Buffer): Buffer =>
  encodeSequence(encodeSetOf(encodeSequence(encodeOid(type), value)));
const serialNumberOfX520 = '2.5.4.5';

describe('subjects', () => {
  test.each<[string, Buffer]>([
    ['UTF8String', named(oid.commonName, encode(tag.utf8String, Buffer.from('zoë.test')))],
    ['PrintableString', named(oid.commonName, encode(tag.printableString, Buffer.from('a.test')))],
    ['IA5String', named(oid.commonName, encode(tag.ia5String, Buffer.from('a.test')))],
    ['NumericString', named(serialNumberOfX520, encode(tag.numericString, Buffer.from('42')))],
    ['TeletexString', named(oid.commonName, encode(tag.teletexString, Buffer.from('zo\xeb', 'latin1')))],
    ['BMPString', named(oid.commonName, encode(tag.bmpString, Buffer.from('0061', 'hex')))],
    ['UniversalString', named(oid.commonName, encode(tag.universalString, Buffer.from('00000061', 'hex')))],
    ['a bit string of a type that is not known', named('2.5.4.45', encodeBitOctets(Buffer.of(1)))],
    ['a sequence of a type that is not known', named('1.2.3', encodeSequence())],
  ])('accepts %s', async (_, subject) => {
    const csr = parseCsr(await forgeCsr(pair.privateKey, { subject }));
    expect(csr.subjectDer).toEqual(subject);
  });

  test.each<[string, Buffer, string]>([
    ['octets that are not UTF-8', named(oid.commonName, encode(tag.utf8String, Buffer.of(0xff))), 'CN'],
    ['a lone surrogate', named(oid.commonName, encode(tag.bmpString, Buffer.from('d800', 'hex'))), 'CN'],
    ['a surrogate pair', named(oid.commonName, encode(tag.bmpString, Buffer.from('d83dde00', 'hex'))), 'CN'],
    ['a BMPString of odd length', named('2.5.4.10', encode(tag.bmpString, Buffer.of(0))), 'O'],
    ['a PrintableString beyond ASCII', named('2.5.4.6', encode(tag.printableString, Buffer.of(0xe9))), 'C'],
    ['a VisibleString', named(oid.commonName, encode(tag.visibleString, Buffer.from('a.test'))), 'CN'],
    ['a GeneralString', named(oid.commonName, encode(0x1b, Buffer.from('a.test'))), 'CN'],
    ['an INTEGER', named(oid.commonName, encodeInteger(7n)), 'CN'],
    ['an INTEGER of a type that is not known', named('1.2.3', encodeInteger(7n)), '1.2.3'],
    ['a bit string as common name', named(oid.commonName, encodeBitOctets(Buffer.of(1))), 'CN'],
  ])('refuses %s', async (_, subject, type) => {
    const der = await forgeCsr(pair.privateKey, { subject });
    expect(() => parseCsr(der)).toThrow(`its subject has no readable text as ${type}`);
  });
});

describe('the parameters of an RSA key', () => {
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const usual = exportSpki(rsa.publicKey);
  const algorithmOf = (...parameters: Buffer[]) =>
    encodeSequence(encodeOid(oid.rsaEncryption), ...parameters);
  const bits = usual.subarray(4 + algorithmOf(encodeNull()).length);

  test.each<[string, Buffer[]]>([
    ['NULL', [encodeNull()]],
    ['absent', []],
  ])('may be %s, and are NULL in what is certified', async (_, parameters) => {
    const spki = encodeSequence(algorithmOf(...parameters), bits);
    const csr = parseCsr(await forgeCsr(rsa.privateKey, { spki }));
    expect(csr.spkiDer).toEqual(usual);
    expect(await verifyCsr(csr)).toEqual({ ok: true });
  });

  test('must not be a number', async () => {
    const der = await forgeCsr(rsa.privateKey, {
      spki: encodeSequence(algorithmOf(encodeInteger(7n)), bits),
    });
    expect(() => parseCsr(der)).toThrow('the parameters of its RSA key are not NULL');
  });
});

describe('requests that are rejected', () => {
  const malformed = 'malformed_der';
  const twice = forgeRequest([oneName]);
  const refused: [string, CsrParts, string][] = [
    ['version 3', { version: encodeInteger(3n) }, malformed],
    ['a version of two octets', { version: encodeInteger(256n) }, malformed],
    ['a negative version', { version: encodeInteger(-1n) }, malformed],
    ['a version that is not a number', { version: encodeNull() }, malformed],
    ['a subject that is not a name', { subject: encodeSequence(encodeNull()) }, malformed],
    ['an invalid public key', { spki: encodeSequence() }, malformed],
    ['something after the attributes', { tail: [attributes(), encodeNull()] }, malformed],
    ['an invalid attribute', { tail: [attributes(encodeNull())] }, malformed],
    ['an attribute without its set', { tail: [attributes(encodeSequence(encodeOid('1.2.3')))] }, malformed],
    ['extensions requested in two attributes', { tail: [attributes(twice, twice)] }, 'duplicate_attribute'],
    [
      'extensions requested in both ways',
      { tail: [attributes(twice, forgeRequest([], oid.microsoftExtensionRequest))] },
      'duplicate_attribute',
    ],
    [
      'two lists of extensions in one attribute',
      {
        tail: [
          attributes(
            encodeSequence(encodeOid(oid.extensionRequest), encodeSetOf(encodeSequence(), encodeSequence())),
          ),
        ],
      },
      malformed,
    ],
    ['an extension twice', { tail: [attributes(forgeRequest([oneName, oneName]))] }, 'duplicate_extension'],
    [
      'a list of names that is not DER',
      { tail: [attributes(forgeRequest([subjectAltName(Buffer.from('zz'))]))] },
      malformed,
    ],
    [
      'an empty list of names',
      { tail: [attributes(forgeRequest([subjectAltName(encodeSequence())]))] },
      malformed,
    ],
    [
      'a NUL in a host name',
      {
        tail: [attributes(forgeRequest([subjectAltName(encodeSequence(encode(0x82, Buffer.from('a\0b'))))]))],
      },
      malformed,
    ],
    ['a signature with unused bits', { signature: encode(tag.bitString, Buffer.of(1, 2)) }, malformed],
    [
      'an algorithm with odd parameters',
      { algorithm: encodeSequence(encodeOid('1.2.840.10045.4.3.2'), encodeSequence()) },
      malformed,
    ],
  ];
  test.each(refused)('%s', async (_, parts, code) => {
    const der = await forgeCsr(pair.privateKey, parts);
    expect(() => parseCsr(der)).toThrow(InvalidInput);
    expect(() => parseCsr(der)).toThrow(expect.objectContaining({ code }));
  });

  test('trailing bytes', async () => {
    const der = await forgeCsr(pair.privateKey);
    expect(() => parseCsr(Buffer.concat([der, Buffer.of(0)]))).toThrow(AppError);
  });

  test('a certificate, a key, and an empty text', async () => {
    for (const der of [encodeSequence(), exportSpki(pair.publicKey), Buffer.alloc(0)]) {
      expect(() => parseCsr(der)).toThrow(InvalidInput);
    }
  });
});

describe('proof of possession', () => {
  const verdict = async (parts: CsrParts) => {
    const result = await verifyCsr(parseCsr(await forgeCsr(pair.privateKey, parts)));
    return result.ok ? 'ok' : result.code;
  };

  // larger RSA keys take seconds to generate and are checked in the same way
  const quickKinds = keyKinds.filter((kind) => kind !== 'RSA-3072' && kind !== 'RSA-4096');
  test.each(quickKinds)(
    'verifies a request with a key of %s, but not with a changed signature',
    async (kind) => {
      const { privateKey } = await generateKeyPair(kind);
      const { der } = await buildCsr({ privateKey, dnsNames: ['a.test'] });
      expect(await verifyCsr(parseCsr(der))).toEqual({ ok: true });
      const changed = Buffer.from(der);
      changed.writeUInt8((changed.at(-1) ?? 0) ^ 1, changed.length - 1);
      expect(await verifyCsr(parseCsr(changed))).toMatchObject({ ok: false, code: 'invalid_signature' });
    },
  );

  test("detects another party's key in the request", async () => {
    const stranger = await generateKeyPair('P-256');
    expect(await verdict({ spki: exportSpki(stranger.publicKey) })).toBe('invalid_signature');
  });

  const algorithm = (dotted: string, ...parameters: Buffer[]): Buffer =>
    encodeSequence(encodeOid(dotted), ...parameters);
  const spki = (algorithmDer: Buffer, key: Buffer): Buffer =>
    encodeSequence(algorithmDer, encodeBitOctets(key));
  const rsaKey = (modulus: bigint, exponent: bigint): Buffer =>
    spki(
      algorithm(oid.rsaEncryption, encodeNull()),
      encodeSequence(encodeInteger(modulus), encodeInteger(exponent)),
    );
  const rsaSha256 = algorithm('1.2.840.113549.1.1.11', encodeNull());
  const odd = 2n ** 2047n + 1n;
  const point = Buffer.concat([Buffer.of(4), Buffer.alloc(64, 1)]);
  const cases: [string, CsrParts, string][] = [
    ['MD5', { algorithm: algorithm('1.2.840.113549.1.1.4', encodeNull()) }, 'unsupported_algorithm'],
    ['an unknown algorithm', { algorithm: algorithm('1.2.3.4') }, 'unsupported_algorithm'],
    ['PSS without parameters', { algorithm: algorithm(oid.rsassaPss) }, 'unsupported_algorithm'],
    ['RSA over an EC key', { algorithm: rsaSha256 }, 'invalid_signature'],
    ['Ed25519 over an EC key', { algorithm: algorithm(oid.ed25519) }, 'invalid_signature'],
    ['a DSA key', { spki: spki(algorithm(oid.dsa), encodeInteger(5n)) }, 'unsupported_algorithm'],
    ['an X25519 key', { spki: spki(algorithm(oid.x25519), Buffer.alloc(32, 9)) }, 'unsupported_algorithm'],
    ['an unknown key', { spki: spki(algorithm('1.2.3.4'), Buffer.alloc(32, 9)) }, 'unsupported_algorithm'],
    [
      'an unknown curve',
      { spki: spki(algorithm(oid.ecPublicKey, encodeOid('1.3.132.0.1')), point) },
      'unsupported_algorithm',
    ],
    [
      'an explicit curve',
      { spki: spki(algorithm(oid.ecPublicKey, encodeSequence()), point) },
      'unsupported_algorithm',
    ],
    [
      'a point off P-256',
      { spki: spki(algorithm(oid.ecPublicKey, encodeOid('1.2.840.10045.3.1.7')), point) },
      'unsupported_key',
    ],
    [
      'a point off secp256k1',
      { spki: spki(algorithm(oid.ecPublicKey, encodeOid('1.3.132.0.10')), point) },
      'unsupported_key',
    ],
    [
      'a modulus of 16385 bits',
      { spki: rsaKey(2n ** 16384n + 1n, 65537n), algorithm: rsaSha256 },
      'unsupported_key',
    ],
    ['an even modulus', { spki: rsaKey(odd + 1n, 65537n), algorithm: rsaSha256 }, 'unsupported_key'],
    ['a modulus of 0', { spki: rsaKey(0n, 65537n), algorithm: rsaSha256 }, 'unsupported_key'],
    ['an exponent of 1', { spki: rsaKey(odd, 1n), algorithm: rsaSha256 }, 'unsupported_key'],
    ['an even exponent', { spki: rsaKey(odd, 65536n), algorithm: rsaSha256 }, 'unsupported_key'],
    [
      'an exponent above 2^32',
      { spki: rsaKey(odd, 2n ** 32n + 1n), algorithm: rsaSha256 },
      'unsupported_key',
    ],
    [
      'an exponent of 2^32 - 1',
      { spki: rsaKey(odd, 2n ** 32n - 1n), algorithm: rsaSha256 },
      'invalid_signature',
    ],
    ['an empty signature', { signature: encodeBitOctets(Buffer.alloc(0)) }, 'invalid_signature'],
    ['a signature that is not DER', { signature: encodeBitOctets(Buffer.from('zz')) }, 'invalid_signature'],
  ];
  test.each(cases)('rejects %s', async (_, parts, code) => {
    expect(await verdict(parts)).toBe(code);
  });

  const malformedKeys: [string, Buffer][] = [
    ['a negative modulus', rsaKey(-5n, 65537n)],
    ['an RSA key that is not DER', spki(algorithm(oid.rsaEncryption, encodeNull()), Buffer.from('zz'))],
    ['an EC key without a curve', spki(algorithm(oid.ecPublicKey), point)],
    [
      'a point of the wrong length',
      spki(algorithm(oid.ecPublicKey, encodeOid('1.2.840.10045.3.1.7')), point.subarray(1)),
    ],
    ['an Ed25519 key of 31 octets', spki(algorithm(oid.ed25519), Buffer.alloc(31, 1))],
  ];
  test.each(malformedKeys)('%s is malformed', async (_, key) => {
    const der = await forgeCsr(pair.privateKey, { spki: key });
    expect(() => parseCsr(der)).toThrow(expect.objectContaining({ code: 'malformed_der' }));
  });
});

test('a description contains every documented field', async () => {
  const { der } = await buildCsr({
    privateKey: pair.privateKey,
    subject: { commonName: 'a.test', organization: 'Oak, Ltd' },
    dnsNames: ['a.test', '*.b.test'],
    emailAddresses: ['m@a.test'],
    ipAddresses: ['10.0.0.1', '2001:db8::1'],
    uris: ['https://a.test/'],
    extensions: [{ oid: '1.2.3.4', critical: true, value: Buffer.of(0xab) }],
  });
  expect(describeCsr(parseCsr(der))).toEqual({
    subject: 'CN=a.test,O=Oak\\, Ltd',
    commonNames: ['a.test'],
    publicKeyAlgorithm: 'ECDSA',
    signatureAlgorithm: 'ecdsa-with-SHA256',
    keySize: 256,
    curve: 'P-256',
    dnsNames: ['a.test', '*.b.test'],
    emailAddresses: ['m@a.test'],
    ipAddresses: ['10.0.0.1', '2001:db8::1'],
    uris: ['https://a.test/'],
    extensions: [
      expect.objectContaining({ oid: '2.5.29.17', name: 'subjectAltName', critical: false }),
      {
        id: '1.2.3.4',
        oid: '1.2.3.4',
        name: '1.2.3.4',
        critical: true,
        value: 'ab',
        description: 'Unknown extension',
        purposes: [],
      },
    ],
  });
});

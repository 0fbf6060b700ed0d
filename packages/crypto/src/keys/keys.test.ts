import { createHash, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { InvalidInput } from '@certloop/contracts';
import { beforeAll, describe, expect, test } from 'vitest';
import { encodeBitOctets, encodeOid, encodeSequence } from '../der/der-writer.js';
import { formatPem } from '../der/pem.js';
import {
  exportPrivateKeyPem,
  exportSpki,
  generateKeyPair,
  importPrivateKey,
  type KeyKind,
  keyIdentifier,
  publicKeysEqual,
  spkiSha256,
} from './keys.js';
import { describePublicKey } from './public-keys.js';

describe('kinds of key', () => {
  const kinds: [KeyKind, object][] = [
    ['P-256', { algorithm: 'ECDSA', keySize: 256, curve: 'P-256' }],
    ['P-384', { algorithm: 'ECDSA', keySize: 384, curve: 'P-384' }],
    ['P-521', { algorithm: 'ECDSA', keySize: 521, curve: 'P-521' }],
    ['secp256k1', { algorithm: 'ECDSA', keySize: 256, curve: 'secp256k1' }],
    ['RSA-2048', { algorithm: 'RSA', keySize: 2048 }],
    ['Ed25519', { algorithm: 'Ed25519', keySize: 256 }],
    ['Ed448', { algorithm: 'Ed448', keySize: 456 }],
  ];
  test.each(kinds)('generates and describes %s', async (kind, described) => {
    const { privateKey, publicKey } = await generateKeyPair(kind);
    expect(describePublicKey(exportSpki(publicKey))).toEqual(described);
    expect(exportSpki(privateKey)).toEqual(exportSpki(publicKey));
  });

  const foreign: [string, () => { publicKey: KeyObject }, object][] = [
    [
      'RSA-PSS',
      () => generateKeyPairSync('rsa-pss', { modulusLength: 1024 }),
      { algorithm: 'RSA-PSS', keySize: 1024 },
    ],
    [
      'DSA',
      () => generateKeyPairSync('dsa', { modulusLength: 1024, divisorLength: 160 }),
      { algorithm: 'DSA', keySize: 1024 },
    ],
    ['X25519', () => generateKeyPairSync('x25519'), { algorithm: 'X25519', keySize: 253 }],
    ['X448', () => generateKeyPairSync('x448'), { algorithm: 'X448', keySize: 448 }],
    [
      'a curve without a name here',
      () => generateKeyPairSync('ec', { namedCurve: 'prime192v1' }),
      { algorithm: 'ECDSA', keySize: 192, curve: '1.2.840.10045.3.1.1' },
    ],
  ];
  test.each(foreign)('describes %s', (_, make, described) => {
    expect(describePublicKey(exportSpki(make().publicKey))).toEqual(described);
  });

  test('describes an unknown kind by its number', () => {
    const spki = encodeSequence(encodeSequence(encodeOid('1.2.3.4')), encodeBitOctets(Buffer.of(1)));
    expect(describePublicKey(spki)).toEqual({ algorithm: '1.2.3.4', keySize: 0 });
  });
});

describe('identifiers', () => {
  test('the key identifier is SHA-1 over the key octets (RFC 5280 §4.2.1.2, method 1)', () => {
    const octets = Buffer.from('some key octets');
    const spki = encodeSequence(encodeSequence(encodeOid('1.2.3.4')), encodeBitOctets(octets));
    expect(keyIdentifier(spki)).toEqual(createHash('sha1').update(octets).digest());
  });

  test('bytes that are not a key have no identifier', () => {
    expect(() => keyIdentifier(Buffer.from('zz'))).toThrow(InvalidInput);
  });

  test('the SHA-256 of a key is hex', () => {
    expect(spkiSha256(Buffer.from('abc'))).toBe(
      'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    );
  });
});

describe('equality', () => {
  let spki: Buffer;
  let other: Buffer;
  beforeAll(async () => {
    spki = exportSpki((await generateKeyPair('P-256')).publicKey);
    other = exportSpki((await generateKeyPair('P-256')).publicKey);
  });

  /** The same key with its point compressed (SEC 1 §2.3.3). */
  function compress(whole: Buffer): Buffer {
    const point = whole.subarray(-65);
    const sign = (point[64] ?? 0) & 1;
    const algorithm = encodeSequence(encodeOid('1.2.840.10045.2.1'), encodeOid('1.2.840.10045.3.1.7'));
    return encodeSequence(
      algorithm,
      encodeBitOctets(Buffer.concat([Buffer.of(2 + sign), point.subarray(1, 33)])),
    );
  }

  test('the same key is equal, written out or compressed', () => {
    expect(publicKeysEqual(spki, Buffer.from(spki))).toBe(true);
    expect(publicKeysEqual(spki, compress(spki))).toBe(true);
  });

  test('another key is not equal, and neither are invalid keys', () => {
    expect(publicKeysEqual(spki, other)).toBe(false);
    expect(publicKeysEqual(spki, compress(other))).toBe(false);
    expect(publicKeysEqual(spki, Buffer.from('zz'))).toBe(false);
  });
});

describe('private keys in PEM', () => {
  let key: KeyObject;
  beforeAll(async () => {
    key = (await generateKeyPair('P-256')).privateKey;
  });

  test('reads PKCS#8 and SEC 1, and ignores parameters before the key', () => {
    const sec1 = key.export({ type: 'sec1', format: 'pem' }).toString();
    const parameters = formatPem('EC PARAMETERS', encodeOid('1.2.840.10045.3.1.7'));
    for (const pem of [exportPrivateKeyPem(key), sec1, parameters + sec1]) {
      expect(exportSpki(importPrivateKey(pem))).toEqual(exportSpki(key));
    }
  });

  test('reads PKCS#1', () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 1024 });
    const pem = privateKey.export({ type: 'pkcs1', format: 'pem' }).toString();
    expect(exportSpki(importPrivateKey(pem))).toEqual(exportSpki(privateKey));
  });

  test('rejects anything but one readable key, without quoting it', () => {
    const pem = exportPrivateKeyPem(key);
    const encrypted = key.export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' });
    const refused = [
      '',
      pem + pem,
      encrypted.toString(),
      formatPem('CERTIFICATE', Buffer.of(1)),
      formatPem('PRIVATE KEY', Buffer.from('secret octets')),
    ];
    for (const text of refused) {
      expect(() => importPrivateKey(text)).toThrow(
        expect.objectContaining({ code: 'malformed_private_key' }),
      );
      expect(() => importPrivateKey(text)).not.toThrow(/secret|c2Vjc/);
    }
  });
});

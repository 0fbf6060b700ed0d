import { generateKeyPairSync } from 'node:crypto';
import { InvalidInput } from '@certloop/contracts';
import { describe, expect, test } from 'vitest';
import { exportJwk, importJwk, keyAuthorization, type PublicJwk, thumbprint } from './jwk.js';

// RFC 7638 §3.1
const rsa: PublicJwk = {
  kty: 'RSA',
  n: '0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw',
  e: 'AQAB',
};
// RFC 8037 §A.3
const ed25519: PublicJwk = { kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' };

describe('thumbprint', () => {
  test.each([
    ['RFC 7638 §3.1', rsa, 'NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs'],
    ['RFC 8037 §A.3', ed25519, 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k'],
  ])('%s', (_, jwk, expected) => {
    expect(thumbprint(jwk)).toBe(expected);
  });

  test('is the same with additional members or in another order', () => {
    const dressed: PublicJwk = Object.assign({ use: 'sig', kid: '1' }, { e: '' }, rsa);
    expect(thumbprint(dressed)).toBe(thumbprint(rsa));
  });

  test('a key authorization is token, dot, thumbprint', () => {
    expect(keyAuthorization('evaGxfADs6pSRb2LAv9IZ', ed25519)).toBe(
      `evaGxfADs6pSRb2LAv9IZ.${thumbprint(ed25519)}`,
    );
  });
});

describe('importJwk', () => {
  test.each([
    ['EC P-256', generateKeyPairSync('ec', { namedCurve: 'P-256' })],
    ['EC P-521', generateKeyPairSync('ec', { namedCurve: 'P-521' })],
    ['RSA', generateKeyPairSync('rsa', { modulusLength: 2048 })],
    ['Ed25519', generateKeyPairSync('ed25519')],
  ])('%s is exported as it was imported', (_, { privateKey, publicKey }) => {
    expect(importJwk(exportJwk(privateKey)).equals(publicKey)).toBe(true);
  });

  // x begins with a zero octet
  const withoutFirstZero = {
    kty: 'EC',
    crv: 'P-256',
    x: 'sUQX_WOsHS2NMAT1LhrGMM6TmhBP2lCPZpYrjzaL8Q',
    y: 'M--ybhZt1p8teQEkJJH1c7YgbRIYY5kNbgDs-49T37M',
  };
  const point = exportJwk(generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey);
  test.each([
    ['its use', { use: 'sig' }],
    ['its operation', { key_ops: ['verify'] }],
    ['the operation of the private key', { key_ops: ['sign'], ext: true }],
    ['its algorithm', { alg: 'ES256' }],
    ['all of them', { use: 'sig', key_ops: ['sign', 'verify'], alg: 'ES256', kid: '1' }],
  ])('accepts %s', (_, members) => {
    expect(exportJwk(importJwk({ ...point, ...members }))).toEqual(point);
  });

  test.each([
    ['null', null],
    ['a text', 'jwk'],
    ['a symmetric key', { kty: 'oct', k: 'AAAA' }],
    ['a private key', { ...point, d: 'AAAA' }],
    ['a curve that is not supported', { ...point, crv: 'secp256k1' }],
    ['X25519, which does not sign', { kty: 'OKP', crv: 'X25519', x: 'AAAA' }],
    ['a missing coordinate', { ...point, y: undefined }],
    ['a coordinate in plain Base64', { ...point, y: 'a+/=' }],
    ['a coordinate without the zero that it begins with', withoutFirstZero],
    ['a point off its curve', { ...point, y: 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAE' }],
    ['a key for encryption (Wycheproof 353, 354)', { ...point, use: 'enc' }],
    ['a key with other operations (Wycheproof 355, 356)', { ...point, key_ops: ['encrypt'] }],
    ['no operations', { ...point, key_ops: [] }],
    ['operations that are a text', { ...point, key_ops: 'verify' }],
    ['another algorithm (Wycheproof 332)', { ...rsa, alg: 'PS512' }],
    ['the algorithm of another curve', { ...point, alg: 'ES384' }],
    ['an algorithm that is not a text', { ...point, alg: null }],
    ['a small RSA modulus', exportJwk(generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey)],
    ['a modulus without end', { kty: 'RSA', n: 'A'.repeat(1_000_000), e: 'AQAB' }],
  ])('rejects %s', (_, jwk) => {
    expect(() => importJwk(jwk)).toThrow(InvalidInput);
  });
});

import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { prime, primeFrom, rocaPrime } from '../../test/rsa-numbers.js';
import { exportSpki } from './keys.js';
import { describeRsaKey, rsaWeakness } from './weak-rsa.js';

const p = prime(1024);

test.each<[string, () => bigint, string | undefined]>([
  ['two random primes', () => p * prime(1024), undefined],
  ['two random primes of 1536 bits', () => prime(1536) * prime(1536), undefined],
  ['two primes of different lengths', () => p * prime(1030), undefined],
  ['a prime squared', () => p * p, 'square'],
  ['a product squared', () => (prime(512) * prime(512)) ** 2n, 'square'],
  ['two primes one after the other', () => p * primeFrom(p + 2n), 'close'],
  // round r finds factors whose difference is about sqrt(8 r sqrt(n)): 100 rounds reach beyond 2^516 here
  ['two primes 2^500 apart', () => p * primeFrom(p + 2n ** 500n), 'close'],
  ['two primes 2^515 apart', () => p * primeFrom(p + 2n ** 515n), 'close'],
  ['two primes 2^520 apart', () => p * primeFrom(p + 2n ** 520n), undefined],
  ['a factor 3', () => 3n * prime(2046), 'divisible by 3'],
  ['a factor 751', () => 751n * prime(2040), 'divisible by 751'],
  ['a factor 757, above the bound', () => 757n * prime(2040), undefined],
  ['primes of the faulty library', () => rocaPrime(1024, 1000n) * rocaPrime(1024, 3000n), 'ROCA'],
  ['one prime of the faulty library', () => rocaPrime(1024, 1000n) * p, undefined],
])('judges %s', (_, modulus, weakness) => {
  const found = rsaWeakness(modulus());
  if (weakness === undefined) expect(found).toBeUndefined();
  else expect(found).toContain(weakness);
});

describe('a key', () => {
  const rsa = (bits: number, publicExponent = 65_537) =>
    exportSpki(generateKeyPairSync('rsa', { modulusLength: bits, publicExponent }).publicKey);

  test('shows its exponent', () => {
    expect(describeRsaKey(rsa(2048, 3))).toEqual({ exponent: 3n, weakness: undefined });
  });

  test('is checked as RSA-PSS too', () => {
    const { publicKey } = generateKeyPairSync('rsa-pss', { modulusLength: 2048 });
    expect(describeRsaKey(exportSpki(publicKey))).toEqual({ exponent: 65_537n, weakness: undefined });
  });

  test('of another kind is not checked', () => {
    const { publicKey } = generateKeyPairSync('ed25519');
    expect(describeRsaKey(exportSpki(publicKey))).toBeUndefined();
  });

  test('with a weak modulus is detected in its encoding', () => {
    const n = Buffer.from((p * p).toString(16), 'hex').toString('base64url');
    const key = createPublicKey({ key: { kty: 'RSA', n, e: 'AQAB' }, format: 'jwk' });
    expect(describeRsaKey(exportSpki(key))?.weakness).toContain('square');
  });

  test('of OpenSSL is never rejected', () => {
    // 1024 bits are made quickly, and each check is as likely to err on them
    for (let count = 0; count < 100; count += 1) expect(describeRsaKey(rsa(1024))?.weakness).toBeUndefined();
    for (let count = 0; count < 5; count += 1) expect(describeRsaKey(rsa(2048))?.weakness).toBeUndefined();
  });

  test('of random primes is never rejected', () => {
    const primes = Array.from({ length: 40 }, () => prime(512));
    for (const one of primes) {
      for (const other of primes) {
        if (one < other) expect(rsaWeakness(one * other)).toBeUndefined();
      }
    }
  });
});

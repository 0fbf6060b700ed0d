import { InvalidInput } from '@certloop/contracts';
import { describe, expect, test } from 'vitest';
import { type CsrFacts, requireUsableCsr } from './csr-policy.js';

const hostname = 'www.example.com';

function csrOf(facts: Partial<CsrFacts> = {}): CsrFacts {
  return {
    publicKeyAlgorithm: 'ECDSA',
    keySize: 256,
    curve: 'P-256',
    commonNames: [],
    hasSubjectAltName: true,
    dnsNames: [hostname],
    ...facts,
  };
}

function refusalOf(facts: Partial<CsrFacts>, fqdn = hostname): string | undefined {
  try {
    requireUsableCsr(csrOf(facts), fqdn);
    return undefined;
  } catch (error) {
    if (error instanceof InvalidInput) return error.code;
    throw error;
  }
}

describe('keys', () => {
  test.each<[string, string, number, string | undefined, boolean]>([
    ['RSA of 2047 bits', 'RSA', 2047, undefined, false],
    ['RSA of 2048 bits', 'RSA', 2048, undefined, true],
    ['RSA of 3072 bits', 'RSA', 3072, undefined, true],
    ['RSA of 8192 bits', 'RSA', 8192, undefined, true],
    ['RSA of 8193 bits', 'RSA', 8193, undefined, false],
    ['RSA of 1024 bits', 'RSA', 1024, undefined, false],
    ['RSA-PSS of 2048 bits', 'RSA-PSS', 2048, undefined, true],
    ['RSA-PSS of 1024 bits', 'RSA-PSS', 1024, undefined, false],
    ['P-256', 'ECDSA', 256, 'P-256', true],
    ['P-384', 'ECDSA', 384, 'P-384', true],
    ['P-521', 'ECDSA', 521, 'P-521', true],
    ['P-224', 'ECDSA', 224, 'P-224', false],
    ['secp256k1, as long as P-256', 'ECDSA', 256, 'secp256k1', false],
    ['brainpoolP256r1', 'ECDSA', 256, 'brainpoolP256r1', false],
    ['a curve without a name', 'ECDSA', 256, undefined, false],
    ['Ed25519', 'Ed25519', 256, undefined, true],
    ['Ed448', 'Ed448', 456, undefined, false],
    ['DSA', 'DSA', 2048, undefined, false],
  ])('%s', (_situation, publicKeyAlgorithm, keySize, curve, isAccepted) => {
    const refusal = refusalOf({ publicKeyAlgorithm, keySize, curve });
    expect(refusal).toBe(isAccepted ? undefined : 'csr_key_not_accepted');
  });
});

describe('names', () => {
  test.each<[string, Partial<CsrFacts>, string, boolean]>([
    ['the FQDN alone', {}, hostname, true],
    ['the FQDN among others', { dnsNames: ['a.example', hostname] }, hostname, true],
    ['the FQDN in capitals', { dnsNames: ['WWW.Example.COM'] }, hostname, true],
    ['the FQDN with final dot', { dnsNames: [`${hostname}.`] }, hostname, false],
    ['another name', { dnsNames: ['a.example'] }, hostname, false],
    ['a name that contains it', { dnsNames: [`x${hostname}`] }, hostname, false],
    ['a wildcard above the FQDN', { dnsNames: ['*.example.com'] }, hostname, true],
    ['a wildcard two labels above', { dnsNames: ['*.example.com'] }, 'a.b.example.com', false],
    ['a wildcard for its base', { dnsNames: ['*.example.com'] }, 'example.com', false],
    ['a wildcard for that wildcard', { dnsNames: ['*.example.com'] }, '*.example.com', true],
    ['a wildcard for a wildcard below', { dnsNames: ['*.example.com'] }, '*.a.example.com', false],
    ['a plain name for a wildcard', { dnsNames: [hostname] }, '*.example.com', false],
    [
      'the common name without alternative names',
      { hasSubjectAltName: false, dnsNames: [], commonNames: [hostname] },
      hostname,
      true,
    ],
    [
      'a wildcard common name without alternative names',
      { hasSubjectAltName: false, dnsNames: [], commonNames: ['*.example.com'] },
      hostname,
      true,
    ],
    [
      'one of two common names',
      { hasSubjectAltName: false, dnsNames: [], commonNames: ['Example Ltd', hostname] },
      hostname,
      true,
    ],
    ['no name at all', { hasSubjectAltName: false, dnsNames: [], commonNames: [] }, hostname, false],
    [
      'the common name in addition to other DNS names',
      { dnsNames: ['a.example'], commonNames: [hostname] },
      hostname,
      false,
    ],
    [
      'the common name in addition to an IP address',
      { dnsNames: [], commonNames: [hostname] },
      hostname,
      false,
    ],
    ['the FQDN as URI only', { dnsNames: [] }, hostname, false],
  ])('%s', (_situation, facts, fqdn, isAccepted) => {
    expect(refusalOf(facts, fqdn)).toBe(isAccepted ? undefined : 'csr_san_mismatch');
  });

  test('are both named, and long lists are shortened', () => {
    const dnsNames = Array.from({ length: 30 }, (_, index) => `h${index}.example`);
    expect(() => requireUsableCsr(csrOf({ dnsNames }), hostname)).toThrow(
      'the DNS names of the CSR are h0.example, h1.example, h2.example, h3.example, h4.example and 25 more; the FQDN is www.example.com',
    );
  });
});

describe('RSA keys', () => {
  const rsaKey = (rsa: CsrFacts['rsa']) => ({
    publicKeyAlgorithm: 'RSA',
    keySize: 2048,
    curve: undefined,
    rsa,
  });

  test('that are weak are refused with the reason', () => {
    const csr = csrOf(rsaKey({ exponent: 65_537n, weakness: 'its modulus is the square of one number' }));
    expect(() => requireUsableCsr(csr, hostname)).toThrow(
      'csr: holds a weak RSA key: its modulus is the square of one number; generate another key and a new CSR',
    );
  });

  test.each([3n, 65_535n, 65_537n, 65_539n])('with the exponent %s are accepted', (exponent) => {
    expect(refusalOf(csrOf(rsaKey({ exponent, weakness: undefined })))).toBeUndefined();
  });
});

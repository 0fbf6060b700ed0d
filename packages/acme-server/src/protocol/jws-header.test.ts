import { generateKeyPairSync } from 'node:crypto';
import type { AcmeProblem } from '@certloop/contracts';
import { exportJwk } from '@certloop/crypto';
import { describe, expect, test } from 'vitest';
import { readHeader, type SignerForm } from './jws-header.js';

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const url = 'http://127.0.0.1:3002/acme/new-order';
const jwk = exportJwk(publicKey);
const kid = 'http://127.0.0.1:3002/acme/accounts/1';
const byKid = { alg: 'ES256', kid, url, nonce: 'n0-nce' };
const byJwk = { alg: 'ES256', jwk, url, nonce: 'n0-nce' };

describe('readHeader', () => {
  test.each<[string, object, SignerForm, object]>([
    ['a kid', byKid, 'kid', { form: 'kid', kid }],
    ['a kid where both are allowed', byKid, 'either', { form: 'kid', kid }],
    ['a jwk', byJwk, 'jwk', { form: 'jwk', jwk }],
    ['a jwk where both are allowed', byJwk, 'either', { form: 'jwk', jwk }],
  ])('takes %s', (_, header, form, signer) => {
    expect(readHeader({ ...header }, { url, form })).toMatchObject({ nonce: 'n0-nce', signer });
  });

  test.each<[string, object, SignerForm, AcmeProblem['type'], number]>([
    ['§6.2: no alg', { ...byKid, alg: undefined }, 'kid', 'badSignatureAlgorithm', 400],
    ['§6.2: alg none', { ...byKid, alg: 'none' }, 'kid', 'badSignatureAlgorithm', 400],
    ['§6.2: a MAC', { ...byKid, alg: 'HS256' }, 'kid', 'badSignatureAlgorithm', 400],
    ['§6.2: another alg', { ...byKid, alg: 'PS256' }, 'kid', 'badSignatureAlgorithm', 400],
    ['§6.2: jwk and kid', { ...byKid, jwk }, 'either', 'malformed', 400],
    ['§6.2: neither jwk nor kid', { ...byKid, kid: undefined }, 'either', 'malformed', 400],
    ['§6.2: a jwk where a kid must be', byJwk, 'kid', 'malformed', 400],
    ['§6.2: a kid where a jwk must be', byKid, 'jwk', 'malformed', 400],
    ['§6.2: a kid that is not text', { ...byKid, kid: 1 }, 'kid', 'malformed', 400],
    ['§6.2: an invalid jwk', { ...byJwk, jwk: { kty: 'EC' } }, 'jwk', 'badPublicKey', 400],
    ['§6.2: a jwk that is a MAC key', { ...byJwk, jwk: { kty: 'oct', k: 'AA' } }, 'jwk', 'badPublicKey', 400],
    [
      '§6.2: a private jwk',
      { ...byJwk, jwk: privateKey.export({ format: 'jwk' }) },
      'jwk',
      'badPublicKey',
      400,
    ],
    ['§6.4: no url', { ...byKid, url: undefined }, 'kid', 'malformed', 400],
    ['§6.4: another url', { ...byKid, url: `${url}/` }, 'kid', 'unauthorized', 403],
    ['§6.5: no nonce', { ...byKid, nonce: undefined }, 'kid', 'badNonce', 400],
    ['§6.5.2: a nonce that is not text', { ...byKid, nonce: 1 }, 'kid', 'malformed', 400],
    ['§6.5.2: a nonce in plain Base64', { ...byKid, nonce: 'a+b=' }, 'kid', 'malformed', 400],
    ['§6.5.2: an empty nonce', { ...byKid, nonce: '' }, 'kid', 'malformed', 400],
  ])('refuses %s', (_, header, form, type, status) => {
    expect(() => readHeader({ ...header }, { url, form })).toThrow(expect.objectContaining({ type, status }));
  });

  test('judges in the order of the sections', () => {
    const faults = { alg: 'none', url: 'x', nonce: '?' };
    expect(() => readHeader(faults, { url, form: 'kid' })).toThrow(
      expect.objectContaining({ type: 'badSignatureAlgorithm' }),
    );
    expect(() => readHeader({ ...faults, alg: 'ES256' }, { url, form: 'kid' })).toThrow(/exactly one/);
    expect(() => readHeader({ ...faults, alg: 'ES256', kid }, { url, form: 'kid' })).toThrow(
      expect.objectContaining({ type: 'unauthorized' }),
    );
  });

  test('says which algorithms are accepted', () => {
    expect(() => readHeader({ ...byKid, alg: 'ES256K' }, { url, form: 'kid' })).toThrow(
      expect.objectContaining({ members: { algorithms: expect.arrayContaining(['ES256', 'RS256']) } }),
    );
  });
});

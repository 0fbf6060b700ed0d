import { createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto';
import { InvalidInput } from '@certloop/contracts';
import { describe, expect, test } from 'vitest';
import { macJws, parseJws, signJws, verifyJws, verifyMac } from './jws.js';

// RFC 7515 §A.3
const es256 = {
  protected: 'eyJhbGciOiJFUzI1NiJ9',
  payload: 'eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ',
  signature: 'DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q',
};
const es256Key = createPublicKey({
  format: 'jwk',
  key: {
    kty: 'EC',
    crv: 'P-256',
    x: 'f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU',
    y: 'x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0',
  },
});
// RFC 8037 §A.1 and §A.4
const ed25519Key = createPrivateKey({
  format: 'jwk',
  key: {
    kty: 'OKP',
    crv: 'Ed25519',
    d: 'nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A',
    x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
  },
});
const ed25519Signature =
  'hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg';
// RFC 7515 §A.1
const hs256 = {
  protected: 'eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9',
  payload: es256.payload,
  signature: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk',
};
const hs256Secret = Buffer.from(
  'AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow',
  'base64url',
);

describe('vectors of the RFCs', () => {
  test('verifies ES256 of RFC 7515 §A.3, but not with a changed bit', async () => {
    expect(await verifyJws(parseJws(es256), es256Key)).toBe(true);
    expect(await verifyJws(parseJws({ ...es256, payload: `${es256.payload.slice(0, -1)}R` }), es256Key)).toBe(
      false,
    );
  });

  test('creates EdDSA of RFC 8037 §A.4 exactly', async () => {
    const jws = await signJws(ed25519Key, {}, 'Example of Ed25519 signing');
    expect(jws.signature).toBe(ed25519Signature);
  });

  test('verifies HS256 of RFC 7515 §A.1, but not with another secret', () => {
    expect(verifyMac(parseJws(hs256), hs256Secret)).toBe(true);
    expect(verifyMac(parseJws(hs256), Buffer.alloc(64))).toBe(false);
  });

  // RFC 4231 has the octets of a MAC, and no JWS
  test.each([
    ['HS256', '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843'],
    [
      'HS384',
      'af45d2e376484031617f78d2b58a6b1b9c7ef464f5a01b47e42ec3736322445e8e2240ca5e69e2c78b3239ecfab21649',
    ],
    [
      'HS512',
      '164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea2505549758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737',
    ],
  ])('verifies %s of RFC 4231 §4.3, but no other length of MAC', (alg, hex) => {
    const signingInput = Buffer.from('what do ya want for nothing?');
    const jws = { payload: Buffer.alloc(0), signature: Buffer.from(hex, 'hex'), signingInput };
    expect(verifyMac({ ...jws, header: { alg } }, Buffer.from('Jefe'))).toBe(true);
    for (const other of ['HS256', 'HS384', 'HS512'].filter((name) => name !== alg))
      expect(verifyMac({ ...jws, header: { alg: other } }, Buffer.from('Jefe'))).toBe(false);
  });

  test.each(['HS256', 'HS384', 'HS512'])('verifies its own %s', (alg) => {
    const parsed = parseJws(macJws(hs256Secret, { alg, kid: 'k' }, 'text'));
    expect(parsed.header).toEqual({ alg, kid: 'k' });
    expect(verifyMac(parsed, hs256Secret)).toBe(true);
    expect(verifyMac(parsed, Buffer.alloc(64))).toBe(false);
  });

  test.each(['HS1', 'ES256', 'none', 'hs256', undefined, '__proto__'])('refuses a MAC of %s', (alg) => {
    const jws = { ...parseJws(hs256), header: { alg } };
    expect(() => verifyMac(jws, hs256Secret)).toThrow(
      expect.objectContaining({ code: 'bad_signature_algorithm' }),
    );
  });
});

describe('signing and verifying', () => {
  test.each([
    ['ES256', generateKeyPairSync('ec', { namedCurve: 'P-256' })],
    ['ES384', generateKeyPairSync('ec', { namedCurve: 'P-384' })],
    ['ES512', generateKeyPairSync('ec', { namedCurve: 'P-521' })],
    ['RS256', generateKeyPairSync('rsa', { modulusLength: 2048 })],
    ['EdDSA', generateKeyPairSync('ed25519')],
  ])('%s', async (algorithm, { privateKey, publicKey }) => {
    const parsed = parseJws(await signJws(privateKey, { nonce: 'n', url: 'u' }, '{"a":1}'));
    expect([parsed.header, parsed.payload.toString()]).toEqual([
      { alg: algorithm, nonce: 'n', url: 'u' },
      '{"a":1}',
    ]);
    expect(await verifyJws(parsed, publicKey)).toBe(true);
  });

  test('an empty payload stays empty', async () => {
    expect((await signJws(ed25519Key, {}, '')).payload).toBe('');
  });

  test('a shared secret', () => {
    const secret = Buffer.from('secret');
    expect(verifyMac(parseJws(macJws(secret, { kid: 'k' }, 'key')), secret)).toBe(true);
  });
});

function withHeader(header: object) {
  return parseJws({ ...es256, protected: Buffer.from(JSON.stringify(header)).toString('base64url') });
}

describe('rejected input', () => {
  const object = Buffer.from('{}').toString('base64url');
  test.each([
    ['an array', []],
    ['compact serialization', `${es256.protected}.${es256.payload}.${es256.signature}`],
    ['an unprotected header', { ...es256, header: {} }],
    ['several signatures', { ...es256, signatures: [] }],
    ['a missing member', { protected: object, payload: '' }],
    ['padding', { ...es256, payload: 'YQ==' }],
    ['a length that base64url cannot have', { ...es256, payload: 'abcde' }],
    ['a header that is not JSON', { ...es256, protected: 'AAAA' }],
    ['a header that is an array', { ...es256, protected: Buffer.from('[]').toString('base64url') }],
    ['a critical member', { ...es256, protected: Buffer.from('{"crit":["x"]}').toString('base64url') }],
  ])('%s', (_, value) => {
    expect(() => parseJws(value)).toThrow(InvalidInput);
  });

  test.each([
    ['no algorithm', {}],
    ['none', { alg: 'none' }],
    ['a shared secret instead of a key', { alg: 'HS256' }],
    ['an algorithm of another kind of key', { alg: 'RS256' }],
    ['an algorithm of another curve', { alg: 'ES384' }],
  ])('a header that names %s', async (_, header) => {
    await expect(verifyJws(withHeader(header), es256Key)).rejects.toMatchObject({
      code: 'bad_signature_algorithm',
    });
  });

  test('a signature instead of an HMAC with a shared secret', () => {
    expect(() => verifyMac(parseJws(es256), hs256Secret)).toThrow(InvalidInput);
  });
});

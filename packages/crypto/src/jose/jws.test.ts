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

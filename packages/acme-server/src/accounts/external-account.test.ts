import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { exportJwk, type MacAlgorithm, macJws } from '@certloop/crypto';
import { describe, expect, test } from 'vitest';
import { readBinding } from './external-account.js';

const algorithms: MacAlgorithm[] = ['HS256', 'HS384', 'HS512'];
const url = 'https://ca.test/acme/new-account';
const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const request = { url, jwk: exportJwk(publicKey) };
const hmacKey = randomBytes(32);
const bindingBy = (header: object) =>
  macJws(hmacKey, { kid: 'kid-1', url, ...header }, JSON.stringify(request.jwk));

describe('readBinding', () => {
  test.each(algorithms)('reads %s, and compares its MAC', (alg) => {
    const sent = bindingBy({ alg });
    const binding = readBinding(sent, algorithms, request);
    expect(binding).toMatchObject({ kid: 'kid-1', document: sent });
    expect([binding.isMadeWith(hmacKey), binding.isMadeWith(randomBytes(32))]).toEqual([true, false]);
  });

  test.each([
    ['HS512 where only HS256 is accepted', ['HS256'], { alg: 'HS512' }, ['HS256']],
    ['a signature', algorithms, { alg: 'ES256' }, algorithms],
    ['no algorithm', algorithms, { alg: undefined }, algorithms],
  ] as const)('refuses %s, and names what is accepted', (_, accepted, header, named) => {
    expect(() => readBinding(bindingBy(header), accepted, request)).toThrow(
      expect.objectContaining({ type: 'badSignatureAlgorithm', members: { algorithms: named } }),
    );
  });

  test('has no key identifier if that is not a text', () => {
    expect(readBinding(bindingBy({ kid: 7 }), algorithms, request).kid).toBeUndefined();
  });
});

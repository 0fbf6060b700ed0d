import { describe, expect, test } from '@jest/globals';
import { parseDer } from './der.js';
import { createKeyCache } from './key-cache.js';
import { exportSpki, generateKeyPair } from './keys.js';
import { type PublicKey, parsePublicKey } from './public-keys.js';

const freshKey = async (): Promise<PublicKey> =>
  parsePublicKey(parseDer(exportSpki((await generateKeyPair('P-256')).publicKey), 'public key'));

describe('a cache of keys', () => {
  test('imports a key once, and the right one', async () => {
    const [one, other] = [await freshKey(), await freshKey()];
    const cache = createKeyCache(2);
    const imported = cache.import(one);
    expect(exportSpki(imported)).toEqual(one.spkiDer);
    expect(cache.import(one)).toBe(imported);
    expect(exportSpki(cache.import(other))).toEqual(other.spkiDer);
  });

  test('forgets the key that was used longest ago', async () => {
    const [first, second, third] = [await freshKey(), await freshKey(), await freshKey()];
    const cache = createKeyCache(2);
    const imported = [cache.import(first), cache.import(second)];
    cache.import(first);
    cache.import(third);
    expect(cache.import(first)).toBe(imported[0]);
    expect(cache.import(second)).not.toBe(imported[1]);
  });

  test('refuses a key again and again', async () => {
    const odd: PublicKey = { kind: 'X25519', spkiDer: Buffer.of(1), keyOctets: Buffer.alloc(32) };
    const cache = createKeyCache(2);
    for (let times = 0; times < 2; times += 1) expect(() => cache.import(odd)).toThrow(/X25519/);
  });
});

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { parseDer } from '../der/der.js';
import { createKeyCache } from './key-cache.js';
import { exportSpki, generateKeyPair } from './keys.js';
import { type PublicKey, parsePublicKey } from './public-keys.js';

const freshKey = async (): Promise<PublicKey> =>
  parsePublicKey(parseDer(exportSpki((await generateKeyPair('P-256')).publicKey), 'public key'));

describe('a cache of keys', () => {
  test('stores a key at its second use, and returns the right one', async () => {
    const [one, other] = [await freshKey(), await freshKey()];
    const cache = createKeyCache(2);
    const first = cache.import(one);
    const second = cache.import(one);
    for (const imported of [first, second]) expect(exportSpki(imported)).toEqual(one.spkiDer);
    expect(second).not.toBe(first);
    expect(cache.import(one)).toBe(second);
    expect(cache.import(one)).toBe(second);
    expect(exportSpki(cache.import(other))).toEqual(other.spkiDer);
  });

  test('drops the key used least recently', async () => {
    const [first, second, third] = [await freshKey(), await freshKey(), await freshKey()];
    const cache = createKeyCache(2);
    const useTwice = (key: PublicKey) => [cache.import(key), cache.import(key)][1];
    const imported = [useTwice(first), useTwice(second)];
    cache.import(first);
    useTwice(third);
    expect(cache.import(first)).toBe(imported[0]);
    expect(cache.import(second)).not.toBe(imported[1]);
  });

  test('drops the record of keys used once, the oldest first', async () => {
    const cache = createKeyCache(1);
    const keys = await Promise.all(Array.from({ length: 11 }, freshKey));
    for (const key of keys) cache.import(key);
    const [forgotten, remembered] = keys as [PublicKey, PublicKey];
    const again = cache.import(remembered);
    expect(cache.import(remembered)).toBe(again);
    const anew = cache.import(forgotten);
    expect(cache.import(forgotten)).not.toBe(anew);
  });

  test('does not store a key with a long encoding', async () => {
    const cache = createKeyCache(2);
    const key = { ...(await freshKey()), spkiDer: Buffer.alloc(1_025) };
    const imported = [cache.import(key), cache.import(key), cache.import(key)];
    expect(new Set(imported).size).toBe(3);
  });

  test('uses the same memory even if a key is used often', async () => {
    setFlagsFromString('--expose-gc');
    const collectGarbage = runInNewContext('gc') as () => void;
    const heapUsed = () => {
      collectGarbage();
      return process.memoryUsage().heapUsed;
    };
    const cache = createKeyCache(100);
    const keys = await Promise.all(Array.from({ length: 4 }, freshKey));
    const useAll = () => {
      for (const key of keys) cache.import(key);
    };
    for (let times = 0; times < 100; times += 1) useAll();
    const before = heapUsed();
    for (let times = 0; times < 100_000; times += 1) useAll();
    expect(heapUsed() - before).toBeLessThan(5_000_000);
  });

  test('rejects an invalid key every time', async () => {
    const odd: PublicKey = { kind: 'X25519', spkiDer: Buffer.of(1), keyOctets: Buffer.alloc(32) };
    const cache = createKeyCache(2);
    for (let times = 0; times < 2; times += 1) expect(() => cache.import(odd)).toThrow(/X25519/);
  });
});

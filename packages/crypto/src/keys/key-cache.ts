import type { KeyObject } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { importPublicKey, type PublicKey } from './public-keys.js';

/** Keys ready to verify with, by what they were imported from. */
export interface KeyCache {
  /** The key for Node. Throws InvalidInput as importPublicKey does; a refused key is not cached. */
  import(key: PublicKey): KeyObject;
}

// Room for RSA-4096. A caller may write any amount into the parameters of a key, and all of it would be cached.
const maxOctets = 1_024;

/**
 * Keeps the keys that were used last, each from its second use on. Importing one and preparing it for its first use
 * costs OpenSSL 3 more than verifying with it, and who renews a certificate often keeps the key; but keys that
 * are cached and never used again would pile up until the garbage collector frees thousands of them in one pause.
 */
export function createKeyCache(limit: number): KeyCache {
  const cache = new LRUCache<string, KeyObject>({ max: limit });
  const usedOnce = new LRUCache<string, true>({ max: 10 * limit });
  return {
    import: (key) => {
      if (key.spkiDer.length > maxOctets) return importPublicKey(key);
      const spki = key.spkiDer.toString('latin1');
      const known = cache.get(spki);
      if (known !== undefined) return known;
      const imported = importPublicKey(key);
      if (usedOnce.delete(spki)) cache.set(spki, imported);
      else usedOnce.set(spki, true);
      return imported;
    },
  };
}

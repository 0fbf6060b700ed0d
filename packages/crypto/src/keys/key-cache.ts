import type { KeyObject } from 'node:crypto';
import { createLatest } from './latest.js';
import { importPublicKey, type PublicKey } from './public-keys.js';

/** Keys ready to verify with, by what they were imported from. */
export interface KeyCache {
  /** The key for Node. Throws InvalidInput as importPublicKey does; what is refused is not kept. */
  import(key: PublicKey): KeyObject;
}

// Room for RSA-4096. Who asks may write as much as he likes into the parameters of a key, and all would be kept.
const maxOctets = 1_024;

/**
 * Keeps the keys that were used last, each from its second use on. Importing one and preparing it for its first use
 * costs OpenSSL 3 more than verifying with it, and who renews a certificate often keeps the key; but keys that
 * are kept and never used again would pile up until the garbage collector frees thousands of them in one pause.
 */
export function createKeyCache(limit: number): KeyCache {
  const kept = createLatest<KeyObject>(limit);
  const usedOnce = createLatest<true>(10 * limit);
  return {
    import: (key) => {
      if (key.spkiDer.length > maxOctets) return importPublicKey(key);
      const spki = key.spkiDer.toString('latin1');
      const known = kept.take(spki);
      const imported = known ?? importPublicKey(key);
      if (known !== undefined || usedOnce.take(spki) === true) kept.put(spki, imported);
      else usedOnce.put(spki, true);
      return imported;
    },
  };
}

import type { KeyObject } from 'node:crypto';
import { importPublicKey, type PublicKey } from './public-keys.js';

/** Keys ready to verify with, by what they were imported from. */
export interface KeyCache {
  /** The key for Node. Throws InvalidInput as importPublicKey does; what is refused is not kept. */
  import(key: PublicKey): KeyObject;
}

/**
 * Keeps the keys that were used last. Importing one and preparing it for its first use costs OpenSSL 3 more than
 * verifying with it, and who renews a certificate often keeps the key.
 */
export function createKeyCache(limit: number): KeyCache {
  const bySpki = new Map<string, KeyObject>();
  return {
    import: (key) => {
      const spki = key.spkiDer.toString('latin1');
      const imported = bySpki.get(spki) ?? importPublicKey(key);
      // A Map keeps the order of insertion: what was just used is the last again.
      bySpki.delete(spki);
      bySpki.set(spki, imported);
      if (bySpki.size > limit) bySpki.delete(bySpki.keys().next().value ?? spki);
      return imported;
    },
  };
}

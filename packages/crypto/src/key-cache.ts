import type { KeyObject } from 'node:crypto';
import { importPublicKey, type PublicKey } from './public-keys.js';

/** Keys ready to verify with, by what they were imported from. */
export interface KeyCache {
  /** The key for Node. Throws InvalidInput as importPublicKey does; what is refused is not kept. */
  import(key: PublicKey): KeyObject;
}

// Room for RSA-4096. Who asks may write as much as he likes into the parameters of a key, and all would be kept.
const mostOctets = 1_024;

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
      if (key.spkiDer.length > mostOctets) return importPublicKey(key);
      const spki = key.spkiDer.toString('latin1');
      const known = kept.take(spki);
      const imported = known ?? importPublicKey(key);
      if (known !== undefined || usedOnce.take(spki) === true) kept.put(spki, imported);
      else usedOnce.put(spki, true);
      return imported;
    },
  };
}

/** At most `limit` entries, those that were put in last. */
function createLatest<T>(limit: number) {
  // A Map keeps the order of insertion.
  const entries = new Map<string, T>();
  // An iterator goes on where it stood, while a new one steps over all that was deleted. Yet V8 keeps, for an iterator
  // that stands, every table that the Map has had since: so a new one begins once for as many entries as there are.
  let oldestFirst = entries.keys();
  let putSince = 0;
  return {
    /** Gives an entry and forgets it. */
    take: (key: string): T | undefined => {
      const value = entries.get(key);
      entries.delete(key);
      return value;
    },
    put: (key: string, value: T): void => {
      entries.set(key, value);
      if (entries.size > limit) entries.delete(oldestFirst.next().value ?? key);
      putSince += 1;
      if (putSince <= entries.size) return;
      putSince = 0;
      oldestFirst = entries.keys();
    },
  };
}

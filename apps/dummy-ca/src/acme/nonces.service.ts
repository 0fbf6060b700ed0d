import { randomBytes } from 'node:crypto';
import { AcmeProblem } from '@certloop/contracts';
import { createBoundedMap } from '../authority/bounded-map.js';

/** Nonces against replay (RFC 8555 §6.5): each is valid once, and only while it is stored. */
export interface Nonces {
  issue(): string;
  /** Throws `badNonce` for one that is not from here, too old, or used. */
  take(nonce: string): void;
}

/** At most `maxNonces` are stored; the oldest goes first. */
export function createNonces(maxNonces: number): Nonces {
  const nonces = createBoundedMap<true>({ limit: maxNonces });
  return {
    issue: () => {
      const nonce = randomBytes(16).toString('base64url');
      nonces.insert(nonce, true);
      return nonce;
    },
    take: (nonce) => {
      if (!nonces.delete(nonce)) throw new AcmeProblem('badNonce', 'the nonce is unknown, old or used');
    },
  };
}

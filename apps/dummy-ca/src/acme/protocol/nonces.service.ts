import { randomBytes } from 'node:crypto';
import { AcmeProblem } from '@certloop/contracts';
import type { AcmeStore } from '../records/acme.store.js';

/** Nonces against replay (RFC 8555 §6.5): each is valid once, and only while it is stored. */
export interface Nonces {
  issue(): string;
  /** Throws `badNonce` for one that is not from here, too old, or used. */
  take(nonce: string): void;
}

export function createNonces(store: AcmeStore): Nonces {
  return {
    issue: () => {
      const nonce = randomBytes(16).toString('base64url');
      store.insertNonce(nonce);
      return nonce;
    },
    take: (nonce) => {
      if (!store.takeNonce(nonce)) throw new AcmeProblem('badNonce', 'the nonce is unknown, old or used');
    },
  };
}

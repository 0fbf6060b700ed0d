import { randomBytes } from 'node:crypto';
import type { Nonces } from '@certloop/acme-server';
import { AcmeProblem } from '@certloop/contracts';
import { createBoundedMap } from '../authority/bounded-map.js';

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

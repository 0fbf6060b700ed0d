import { InvalidInput } from '@certloop/contracts';
import { type Certificate, isWithinValidity, pickChain, verifyLeafSignature } from '@certloop/crypto';
import { findChainFault, type IssuedChain } from './issued-certificate.js';

/** A chain that a server sent: the part that clients can use, and why the whole does not verify, if it does not. */
export interface ServedChain extends IssuedChain {
  readonly unverified: string | undefined;
}

/**
 * Reads the chain of a certificate that a server sent. Intermediates are left out from the first one on that is not valid
 * at `now`: the certificate itself may last longer, and its expiry counts. Whether the root is trusted is not judged.
 */
export function servedChainOf(leaf: Certificate, sent: readonly Certificate[], now: Date): ServedChain {
  const others = pathOf(leaf, sent, now);
  if (others === undefined)
    return { leaf, others: [], unverified: 'its certificates do not form a chain that can be verified' };
  const end = others.findIndex((one) => !isWithinValidity(one, now));
  const usable = end === -1 ? others : others.slice(0, end);
  return { leaf, others: usable, unverified: faultOf(leaf, others, now) };
}

function pathOf(
  leaf: Certificate,
  sent: readonly Certificate[],
  now: Date,
): readonly Certificate[] | undefined {
  try {
    return pickChain([leaf, ...sent], (one) => one === leaf, now).slice(1);
  } catch (error) {
    if (error instanceof InvalidInput) return undefined;
    throw error;
  }
}

function faultOf(leaf: Certificate, others: readonly Certificate[], now: Date): string | undefined {
  if (others.length > 0) return findChainFault({ leaf, others }, now);
  switch (verifyLeafSignature(leaf, [])) {
    case 'valid':
      return 'it is self-signed';
    case 'invalid':
      return 'its signature does not verify with its own key';
    case 'unknown':
      return 'the certificate of its issuer was not sent';
  }
}

// Entry of the thread that `read-leaves.service.ts` starts: texts of chains come in, facts of their leaves go out.
import { parentPort } from 'node:worker_threads';
import { InvalidInput } from '@certloop/contracts';
import { type LeafUse, readLeafUse, splitChain } from '@certloop/crypto';

/** Chains that are sent to the thread. */
export type LeafBatch = readonly string[];

/** Facts of their leaves, in the same order. */
export type LeafUses = readonly LeafUse[];

// no release has stored such a text
const unreadable: LeafUse = { isForClients: false, isPublic: false };

function useOf(pem: string): LeafUse {
  try {
    const [leaf] = splitChain(pem);
    return leaf === undefined ? unreadable : readLeafUse(leaf);
  } catch (error) {
    if (error instanceof InvalidInput) return unreadable;
    throw error;
  }
}

parentPort?.on('message', (batch: LeafBatch) => {
  parentPort?.postMessage(batch.map(useOf) satisfies LeafUses);
});

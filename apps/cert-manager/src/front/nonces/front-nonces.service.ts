import { randomBytes } from 'node:crypto';
import type { Nonces } from '@certloop/acme-server';
import { AcmeProblem } from '@certloop/contracts';
import { afterCommit, type Tx } from '@certloop/db';
import type { KeyRing } from '@certloop/server';
import type { DbDeps } from '../../db-deps.js';
import { deriveNonceKey, mintNonce, nonceEnd, randomLength } from './nonce.js';
import { insertUsedNonce } from './used-nonces.repository.js';

/** A request with a nonce, which is recognized by the object. */
export interface NonceBearer {
  readonly nonce: string;
}

/** Nonces of all processes with the same key ring. */
export interface FrontNonces extends Nonces {
  /** Uses up the nonce of a request in the transaction of its change. Throws `badNonce` if it was used before. */
  useIn(tx: Tx, request: NonceBearer): Promise<void>;
  /**
   * Reads for a request. One that only fetches, and so writes nothing else, uses its nonce up in the same transaction. Throws
   * `badNonce` if it was used before.
   */
  readFor<T>(request: FetchingBearer, work: (tx: Tx) => Promise<T>): Promise<T>;
}

/** A request that only fetches if its payload is empty. */
export interface FetchingBearer extends NonceBearer {
  readonly payload: Uint8Array;
}

export interface NonceDeps extends DbDeps {
  /** Undefined where there are no ACME clients. */
  readonly keyRing: KeyRing | undefined;
}

export function createFrontNonces({ db, clock, keyRing }: NonceDeps): FrontNonces {
  const keys = nonceKeys(keyRing);
  const used = new WeakSet<NonceBearer>();
  const endOf = (nonce: string): Date => {
    const end = nonceEnd(keys.all, nonce, clock.now());
    if (end === undefined) throw badNonce();
    return end;
  };
  const useIn = async (tx: Tx, request: NonceBearer) => {
    if (!(await insertUsedNonce(tx, request.nonce, endOf(request.nonce)))) throw badNonce();
    afterCommit(tx, () => void used.add(request));
  };
  return {
    issue: () => mintNonce(keys.active, clock.now(), randomBytes(randomLength)),
    check: (nonce) => void endOf(nonce),
    use: async (request) => {
      if (!used.has(request)) await db.transaction((tx) => useIn(tx, request));
    },
    useIn,
    readFor: (request, work) => {
      if (request.payload.length > 0 || used.has(request)) return db.read(work);
      return db.transaction(async (tx) => {
        await useIn(tx, request);
        return work(tx);
      });
    },
  };
}

function nonceKeys(ring: KeyRing | undefined) {
  // without a ring no client has a key, and every request ends without an account
  const first = ring === undefined ? { key: new Uint8Array(randomBytes(32)) } : ring.active;
  const others = [...(ring?.keys.values() ?? [])].filter((key) => key !== first);
  const active = deriveNonceKey(first);
  return { active, all: [active, ...others.map(deriveNonceKey)] };
}

function badNonce(): AcmeProblem {
  return new AcmeProblem('badNonce', 'the nonce is unknown, old or used');
}

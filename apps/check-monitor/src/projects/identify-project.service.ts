import { Unauthenticated } from '@certloop/contracts';
import type { Database } from '@certloop/db';
import { hashKey, type KeyKind, keyLength } from './api-key.js';
import { findProjectByKeyHash } from './projects.repository.js';

export interface IdentifyDeps {
  readonly database: Database;
  /** Key of the HMAC under which keys are kept. */
  readonly secret: string;
}

export interface Identity {
  readonly projectId: string;
  readonly ownerId: string;
  readonly kind: KeyKind;
}

/**
 * Project that a management key opens. Throws Unauthenticated when it is no key by its form, when nobody has it,
 * or when it is read-only and `needed` is read-write.
 */
export async function identifyProject(
  { database, secret }: IdentifyDeps,
  key: string,
  needed: KeyKind,
): Promise<Identity> {
  if ([...key].length !== keyLength) throw new Unauthenticated('missing api key');
  const hash = hashKey(key, secret);
  const found = await database.read((tx) => findProjectByKeyHash(tx, hash));
  if (found === undefined || (needed === 'read-write' && found.kind === 'read-only')) {
    throw new Unauthenticated('wrong api key');
  }
  return { projectId: found.id, ownerId: found.ownerId, kind: found.kind };
}

import { Unauthenticated } from '@certloop/contracts';
import type { Database, Tx } from '@certloop/db';
import { acceptedSecrets, hashKey, type KeyKind, keyLength, type Secrets } from './api-key.js';
import { findProjectByKeyHash } from './projects.repository.js';

export interface IdentifyDeps extends Secrets {
  readonly db: Database;
}

export interface Identity {
  readonly projectId: string;
  readonly ownerId: string;
  readonly kind: KeyKind;
}

/**
 * Project of a management key. Throws Unauthenticated if the key is malformed or unknown, or if it is read-only and
 * `needed` is read-write.
 */
export async function identifyProject(
  { db, ...secrets }: IdentifyDeps,
  key: string,
  needed: KeyKind,
): Promise<Identity> {
  if ([...key].length !== keyLength) throw new Unauthenticated('missing api key');
  const found = await db.read((tx) => findProjectByKey(tx, secrets, key));
  if (found === undefined || (needed === 'read-write' && found.kind === 'read-only')) {
    throw new Unauthenticated('wrong api key');
  }
  return { projectId: found.id, ownerId: found.ownerId, kind: found.kind };
}

/** Project and kind of a key, hashed under the secret or the former one. */
export async function findProjectByKey(
  tx: Tx,
  secrets: Secrets,
  key: string,
): ReturnType<typeof findProjectByKeyHash> {
  for (const secret of acceptedSecrets(secrets)) {
    const found = await findProjectByKeyHash(tx, hashKey(key, secret));
    if (found !== undefined) return found;
  }
  return undefined;
}

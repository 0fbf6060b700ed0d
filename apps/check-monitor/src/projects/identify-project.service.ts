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

/** As verifyKey; throws the refusal. */
export async function identifyProject(deps: IdentifyDeps, key: string, needed: KeyKind): Promise<Identity> {
  const judged = await verifyKey(deps, key, needed);
  if (judged instanceof Unauthenticated) throw judged;
  return judged;
}

/**
 * Project of a management key; a refusal if the key is malformed or unknown, or if it is read-only and `needed` is
 * read-write.
 */
export async function verifyKey(
  { db, ...secrets }: IdentifyDeps,
  key: string,
  needed: KeyKind,
): Promise<Identity | Unauthenticated> {
  if ([...key].length !== keyLength) return new Unauthenticated('missing api key');
  const found = await db.read((tx) => findProjectByKey(tx, secrets, key));
  if (found === undefined || (needed === 'read-write' && found.kind === 'read-only')) {
    return new Unauthenticated('wrong api key');
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

import type { Database, Tx } from '@certloop/db';
import {
  type Clock,
  type KeyRing,
  keyIdOf,
  openSecret,
  type SecretPlace,
  sealSecret,
} from '@certloop/server';
import { lockAccountRows, updateAccountRow } from '../../acme/acme-accounts.repository.js';
import { accountKeyPlace } from '../acme/acme-parts.service.js';
import { lockProviders, secretPlace, updateProvider } from '../providers.repository.js';
import { deleteOtherCanaries } from './canaries.repository.js';
import { proveKeyRing } from './encryption.service.js';

/**
 * Encrypts with the active key what older keys have encrypted, and returns how many secrets that were; when it
 * resolves, the older keys can be taken out of the ring. A run that was cut short is finished by the next one.
 * Throws StartFailed when the ring is not that of this database.
 */
export async function rotateKeys(
  deps: { readonly db: Database; readonly clock: Clock },
  ring: KeyRing,
): Promise<number> {
  await proveKeyRing(deps, ring);
  return deps.db.transaction(async (tx) => {
    const count = (await rotateProviders(tx, ring, deps.clock.now())) + (await rotateAccounts(tx, ring));
    await deleteOtherCanaries(tx, ring.active.id);
    return count;
  });
}

async function rotateProviders(tx: Tx, ring: KeyRing, updatedAt: Date): Promise<number> {
  let count = 0;
  for (const { id, secrets } of await lockProviders(tx)) {
    const renewed = Object.entries(secrets).map(([path, sealed]) => {
      return [path, reseal(ring, secretPlace(id, path), sealed)] as const;
    });
    const changed = renewed.filter(([path, sealed]) => sealed !== secrets[path]);
    if (changed.length > 0) await updateProvider(tx, id, { secrets: Object.fromEntries(renewed), updatedAt });
    count += changed.length;
  }
  return count;
}

async function rotateAccounts(tx: Tx, ring: KeyRing): Promise<number> {
  let count = 0;
  for (const { id, sealedKey, sealedNextKey } of await lockAccountRows(tx)) {
    const key = reseal(ring, accountKeyPlace('sealed_key', id), sealedKey);
    const next =
      sealedNextKey === null ? null : reseal(ring, accountKeyPlace('sealed_next_key', id), sealedNextKey);
    if (key === sealedKey && next === sealedNextKey) continue;
    await updateAccountRow(tx, id, { sealedKey: key, sealedNextKey: next });
    count += 1;
  }
  return count;
}

/** The envelope itself when the active key has made it. */
function reseal(ring: KeyRing, place: SecretPlace, sealed: string): string {
  if (keyIdOf(sealed) === ring.active.id) return sealed;
  return sealSecret(ring, place, openSecret(ring, place, sealed));
}

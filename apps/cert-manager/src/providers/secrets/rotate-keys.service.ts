import { changeInSlices, type Database, type Tx, yieldBetween } from '@certloop/db';
import { type KeyRing, keyIdOf, openSecret, type SecretPlace, sealSecret } from '@certloop/server';
import { type AcmeAccountRow, acmeAccounts, updateAccountRow } from '../../acme/acme-accounts.repository.js';
import type { DbDeps } from '../../db-deps.js';
import { accountKeyPlace } from '../acme/acme-parts.service.js';
import { type ProviderRow, providers, secretPlace, updateProvider } from '../providers.repository.js';
import { deleteOtherCanaries } from './canaries.repository.js';
import { proveKeyRing } from './encryption.service.js';

/** Encrypts again what a later slice stores, and returns how many secrets that were. */
export type RotateMore = (db: Database, ring: KeyRing) => Promise<number>;

/**
 * Encrypts with the active key what older keys have encrypted, and returns how many secrets that were; when it
 * resolves, the older keys can be taken out of the ring. Takes some rows at a time, so that others wait for none of them.
 * A run that was cut short is finished by the next one: all keys stay proven until nothing is left.
 * Throws StartFailed when the ring is not that of this database.
 */
export async function rotateKeys(deps: DbDeps, ring: KeyRing, rotateMore: RotateMore): Promise<number> {
  await proveKeyRing(deps, ring);
  let total = 0;
  // until one pass finds nothing: a process with the former ring may have stored something behind the last one
  for await (const _pass of yieldBetween()) {
    const count =
      (await changeInSlices(deps.db, providers, (tx, row) =>
        rotateProvider(tx, ring, row, deps.clock.now()),
      )) +
      (await changeInSlices(deps.db, acmeAccounts, (tx, row) => rotateAccount(tx, ring, row))) +
      (await rotateMore(deps.db, ring));
    if (count === 0) break;
    total += count;
  }
  await deps.db.transaction((tx) => deleteOtherCanaries(tx, ring.active.id));
  return total;
}

async function rotateProvider(
  tx: Tx,
  ring: KeyRing,
  { id, secrets }: ProviderRow,
  updatedAt: Date,
): Promise<number> {
  const renewed = Object.entries(secrets).map(([path, sealed]) => {
    return [path, reseal(ring, secretPlace(id, path), sealed)] as const;
  });
  const changed = renewed.filter(([path, sealed]) => sealed !== secrets[path]);
  if (changed.length > 0) await updateProvider(tx, id, { secrets: Object.fromEntries(renewed), updatedAt });
  return changed.length;
}

async function rotateAccount(
  tx: Tx,
  ring: KeyRing,
  { id, sealedKey, sealedNextKey }: AcmeAccountRow,
): Promise<number> {
  const key = reseal(ring, accountKeyPlace('sealed_key', id), sealedKey);
  const next =
    sealedNextKey === null ? null : reseal(ring, accountKeyPlace('sealed_next_key', id), sealedNextKey);
  if (key === sealedKey && next === sealedNextKey) return 0;
  await updateAccountRow(tx, id, { sealedKey: key, sealedNextKey: next });
  return 1;
}

/** The envelope itself when the active key has made it. */
function reseal(ring: KeyRing, place: SecretPlace, sealed: string): string {
  if (keyIdOf(sealed) === ring.active.id) return sealed;
  return sealSecret(ring, place, openSecret(ring, place, sealed));
}

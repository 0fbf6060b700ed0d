import { type Database, type Tx, yieldBetween } from '@certloop/db';
import {
  type Clock,
  type KeyRing,
  keyIdOf,
  openSecret,
  type SecretPlace,
  sealSecret,
} from '@certloop/server';
import { nilUuid } from '../../access/caller.js';
import { lockAccountsAfter, updateAccountRow } from '../../acme/acme-accounts.repository.js';
import { accountKeyPlace } from '../acme/acme-parts.service.js';
import { lockProvidersAfter, secretPlace, updateProvider } from '../providers.repository.js';
import { deleteOtherCanaries } from './canaries.repository.js';
import { proveKeyRing } from './encryption.service.js';

/**
 * Encrypts with the active key what older keys have encrypted, and returns how many secrets that were; when it
 * resolves, the older keys can be taken out of the ring. Takes some rows at a time, so that others wait for none of them.
 * A run that was cut short is finished by the next one: all keys stay proven until nothing is left.
 * Throws StartFailed when the ring is not that of this database.
 */
export async function rotateKeys(
  deps: { readonly db: Database; readonly clock: Clock },
  ring: KeyRing,
): Promise<number> {
  await proveKeyRing(deps, ring);
  let total = 0;
  // until one pass finds nothing: a process with the former ring may have stored something behind the last one
  for await (const _pass of yieldBetween()) {
    const count =
      (await inSlices(deps.db, (tx, after) => rotateProviders(tx, ring, after, deps.clock.now()))) +
      (await inSlices(deps.db, (tx, after) => rotateAccounts(tx, ring, after)));
    if (count === 0) break;
    total += count;
  }
  await deps.db.transaction((tx) => deleteOtherCanaries(tx, ring.active.id));
  return total;
}

const rowsPerTransaction = 100;

interface Slice {
  readonly count: number;
  /** Id of the last row; undefined after the last slice. */
  readonly next: string | undefined;
}

async function inSlices(
  db: Database,
  rotateSome: (tx: Tx, after: string) => Promise<Slice>,
): Promise<number> {
  let count = 0;
  let after = nilUuid;
  for await (const _round of yieldBetween()) {
    const from = after;
    const slice = await db.transaction((tx) => rotateSome(tx, from));
    count += slice.count;
    if (slice.next === undefined) break;
    after = slice.next;
  }
  return count;
}

async function rotateProviders(tx: Tx, ring: KeyRing, after: string, updatedAt: Date): Promise<Slice> {
  const rows = await lockProvidersAfter(tx, after, rowsPerTransaction);
  let count = 0;
  for (const { id, secrets } of rows) {
    const renewed = Object.entries(secrets).map(([path, sealed]) => {
      return [path, reseal(ring, secretPlace(id, path), sealed)] as const;
    });
    const changed = renewed.filter(([path, sealed]) => sealed !== secrets[path]);
    if (changed.length > 0) await updateProvider(tx, id, { secrets: Object.fromEntries(renewed), updatedAt });
    count += changed.length;
  }
  return { count, next: nextOf(rows) };
}

async function rotateAccounts(tx: Tx, ring: KeyRing, after: string): Promise<Slice> {
  const rows = await lockAccountsAfter(tx, after, rowsPerTransaction);
  let count = 0;
  for (const { id, sealedKey, sealedNextKey } of rows) {
    const key = reseal(ring, accountKeyPlace('sealed_key', id), sealedKey);
    const next =
      sealedNextKey === null ? null : reseal(ring, accountKeyPlace('sealed_next_key', id), sealedNextKey);
    if (key === sealedKey && next === sealedNextKey) continue;
    await updateAccountRow(tx, id, { sealedKey: key, sealedNextKey: next });
    count += 1;
  }
  return { count, next: nextOf(rows) };
}

function nextOf(rows: readonly { readonly id: string }[]): string | undefined {
  return rows.length < rowsPerTransaction ? undefined : rows.at(-1)?.id;
}

/** The envelope itself when the active key has made it. */
function reseal(ring: KeyRing, place: SecretPlace, sealed: string): string {
  if (keyIdOf(sealed) === ring.active.id) return sealed;
  return sealSecret(ring, place, openSecret(ring, place, sealed));
}

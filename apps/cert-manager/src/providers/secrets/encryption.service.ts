import { constraintViolation, type Tx } from '@certloop/db';
import { type KeyRing, openSecret, StartFailed, sealSecret } from '@certloop/server';
import { hasAccountRows } from '../../acme/acme-accounts.repository.js';
import type { DbDeps } from '../../db-deps.js';
import { listProviders } from '../providers.repository.js';
import { type CanaryRow, insertCanary, listCanaries } from './canaries.repository.js';

/**
 * Proves that the key ring is that of this database. Every key that ever became the active one has left a canary,
 * a known word that it encrypted. Throws StartFailed when a canary does not open, when something is encrypted and
 * there is no key ring, or no canary that speaks for it; a canary is made for a new key only, never in place of
 * another. `name` is how messages name the setting of the ring.
 */
export async function proveKeyRing(
  deps: DbDeps,
  ring: KeyRing | undefined,
  name = 'ENCRYPTION_KEYS',
): Promise<void> {
  const { canaries, holdsSecrets } = await deps.db.read(readEncrypted);
  if (ring === undefined) {
    if (canaries.length === 0 && !holdsSecrets) return;
    throw new StartFailed(
      `this database contains encrypted secrets: set ENCRYPTION_KEYS or ENCRYPTION_KEYS_FILE, and ${restore}`,
    );
  }
  if (holdsSecrets && canaries.length === 0) {
    throw new StartFailed('this database contains encrypted secrets, but the proof of their key is missing');
  }
  for (const canary of canaries) proveKey(ring, canary, name);
  if (!canaries.some(({ keyId }) => keyId === ring.active.id)) await leaveCanary(deps, ring, name);
}

async function readEncrypted(tx: Tx) {
  const rows = await listProviders(tx);
  return {
    canaries: await listCanaries(tx),
    holdsSecrets: rows.some(({ secrets }) => Object.keys(secrets).length > 0) || (await hasAccountRows(tx)),
  };
}

const word = 'certloop';
const restore = 'restore it from a backup (docs/backup-and-restore.md)';

function canaryPlace(keyId: string) {
  return { table: 'encryption_canaries', column: 'sealed', rowId: keyId };
}

function proveKey(ring: KeyRing, { keyId, sealed }: CanaryRow, name: string): void {
  try {
    if (openSecret(ring, canaryPlace(keyId), sealed) === word) return;
  } catch (cause) {
    throw new StartFailed(
      ring.keys.has(keyId)
        ? `${name}: the key "${keyId}" is not the one that this database was encrypted with: ${restore}`
        : `${name}: the key "${keyId}" that this database was encrypted with is missing: ${restore}`,
      { cause },
    );
  }
  throw new StartFailed(`the proof of the key "${keyId}" in this database is not valid`);
}

async function leaveCanary({ db, clock }: DbDeps, ring: KeyRing, name: string): Promise<void> {
  const { id: keyId } = ring.active;
  const sealed = sealSecret(ring, canaryPlace(keyId), word);
  try {
    await db.transaction((tx) => insertCanary(tx, { keyId, sealed, createdAt: clock.now() }));
  } catch (error) {
    if (constraintViolation(error)?.kind !== 'unique') throw error;
    // Another process that starts right now was first: its canary must open here, too.
    for (const canary of await db.read(listCanaries)) proveKey(ring, canary, name);
  }
}

import { constraintViolation, type Tx } from '@certloop/db';
import {
  derivedPrefix,
  type EncryptionKey,
  openSecret,
  SecretUnreadable,
  StartFailed,
  sealSecret,
} from '@certloop/server';
import type { DbDeps } from '../../db-deps.js';
import { listAllProjects } from '../projects.repository.js';
import { type CanaryRow, hasEarlierProcess, insertCanary, listCanaries } from './canaries.repository.js';
import type { Sealing } from './sealing.store.js';

/**
 * Proves that the keys are those of this database, and reads whether secrets are stored encrypted. Without projects
 * they are from now on. Throws StartFailed for a missing or wrong key.
 */
export async function openSealing(deps: DbDeps, sealing: Sealing): Promise<void> {
  const { canaries, isNew } = await deps.db.read(async (tx) => ({
    canaries: await listCanaries(tx),
    isNew: (await listAllProjects(tx)).length === 0 && (await hasEarlierProcess(tx)) === false,
  }));
  proveKeys(sealing, canaries);
  if (canaries.length > 0 || isNew) await beginSealing(deps, sealing);
}

/**
 * Leaves proof of the active key, after which all processes store secrets encrypted, and of the secret: API keys are
 * hashed with it. Throws StartFailed.
 */
export async function beginSealing({ db, clock }: DbDeps, sealing: Sealing): Promise<void> {
  const { ring } = sealing;
  const leave = async (tx: Tx) => {
    const found = await listCanaries(tx);
    for (const key of provenKeys(ring)) {
      if (found.some(({ keyId }) => keyId === key.id)) continue;
      const sealed = sealSecret({ ...ring, active: key }, canaryPlace(key.id), word);
      await insertCanary(tx, { keyId: key.id, sealed, createdAt: clock.now() });
    }
    return found;
  };
  try {
    proveKeys(sealing, await db.transaction(leave));
  } catch (error) {
    if (constraintViolation(error)?.kind !== 'unique') throw error;
    // another process was first at the same moment
    proveKeys(sealing, await db.read(listCanaries));
  }
  sealing.hasBegun = true;
}

const word = 'certloop';

/** The active key, and the one that follows from the present secret, which is before that of the former one. */
export function provenKeys({ active, keys }: Sealing['ring']): EncryptionKey[] {
  if (active.id.startsWith(derivedPrefix)) return [active];
  const derived = [...keys.values()].find(({ id }) => id.startsWith(derivedPrefix));
  return derived === undefined ? [active] : [active, derived];
}

function canaryPlace(keyId: string) {
  return { table: 'encryption_canaries', column: 'sealed', rowId: keyId };
}

/** Whether the ring has the key that left the canary. */
export function isProven({ ring }: Sealing, { keyId, sealed }: CanaryRow): boolean {
  try {
    return openSecret(ring, canaryPlace(keyId), sealed) === word;
  } catch (error) {
    if (error instanceof SecretUnreadable) return false;
    throw error;
  }
}

function proveKeys(sealing: Sealing, canaries: readonly CanaryRow[]): void {
  const lost = canaries.find((canary) => !isProven(sealing, canary));
  if (lost === undefined) return;
  throw new StartFailed(faultOf(sealing, lost));
}

function faultOf({ ring, names }: Sealing, { keyId }: CanaryRow): string {
  const { secret, keys } = names ?? { secret: 'CHECK_MONITOR_SECRET', keys: 'CHECK_MONITOR_ENCRYPTION_KEYS' };
  const restore = 'restore it from a backup (docs/backup-and-restore.md)';
  if (keyId.startsWith(derivedPrefix)) {
    return `${secret}: this database relies on another secret: ${restore}, or set CHECK_MONITOR_FORMER_SECRET to the earlier secret`;
  }
  return ring.keys.has(keyId)
    ? `${keys}: the key "${keyId}" is not the one that this database was encrypted with: ${restore}`
    : `${keys}: the key "${keyId}" that this database was encrypted with is missing: ${restore}, or add it as the last line`;
}

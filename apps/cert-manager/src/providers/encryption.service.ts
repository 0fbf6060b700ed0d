import { constraintViolation, type Database, type Tx } from '@certloop/db';
import { type Clock, StartFailed } from '@certloop/server';
import { type CanaryRow, insertCanary, listCanaries } from './canaries.repository.js';
import { type KeyRing, parseKeyRing } from './key-ring.js';
import { listProviders } from './providers.repository.js';
import { openSecret, sealSecret } from './secret-box.js';

interface Deps {
  readonly db: Database;
  readonly clock: Clock;
}

/**
 * Key ring of the text of ENCRYPTION_KEYS, proven against this database; undefined when there are no keys and
 * nothing is encrypted. Every key that ever became the active one has left a canary, a known word that it
 * encrypted. Throws StartFailed when the text is no key ring, when a canary does not open, or when something is
 * encrypted that no canary speaks for; a canary is made for a new key only, never in place of another.
 */
export async function openKeyRing(deps: Deps, text: string | undefined): Promise<KeyRing | undefined> {
  const { canaries, holdsSecrets } = await deps.db.read(readEncrypted);
  if (text === undefined) {
    if (canaries.length > 0 || holdsSecrets) {
      throw new StartFailed(
        'this database holds encrypted secrets: set ENCRYPTION_KEYS or ENCRYPTION_KEYS_FILE',
      );
    }
    return undefined;
  }
  const ring = readRing(text);
  if (holdsSecrets && canaries.length === 0) {
    throw new StartFailed('this database holds encrypted secrets, but the proof of their key is gone');
  }
  for (const canary of canaries) proveKey(ring, canary);
  if (!canaries.some(({ keyId }) => keyId === ring.active.id)) await leaveCanary(deps, ring);
  return ring;
}

async function readEncrypted(tx: Tx) {
  const rows = await listProviders(tx);
  return {
    canaries: await listCanaries(tx),
    holdsSecrets: rows.some(({ secrets }) => Object.keys(secrets).length > 0),
  };
}

function readRing(text: string): KeyRing {
  try {
    return parseKeyRing(text);
  } catch (cause) {
    const reason = cause instanceof RangeError ? cause.message : 'cannot be read';
    throw new StartFailed(`ENCRYPTION_KEYS: ${reason} (one id:base64 of 32 octets a line, active first)`, {
      cause,
    });
  }
}

const word = 'certloop';

function canaryPlace(keyId: string) {
  return { table: 'encryption_canaries', column: 'sealed', rowId: keyId };
}

function proveKey(ring: KeyRing, { keyId, sealed }: CanaryRow): void {
  try {
    if (openSecret(ring, canaryPlace(keyId), sealed) === word) return;
  } catch (cause) {
    throw new StartFailed(
      ring.keys.has(keyId)
        ? `ENCRYPTION_KEYS: the key "${keyId}" is not the one that this database was encrypted with`
        : `ENCRYPTION_KEYS: the key "${keyId}" that this database was encrypted with is missing`,
      { cause },
    );
  }
  throw new StartFailed(`the proof of the key "${keyId}" in this database is not what it should be`);
}

async function leaveCanary({ db, clock }: Deps, ring: KeyRing): Promise<void> {
  const { id: keyId } = ring.active;
  const sealed = sealSecret(ring, canaryPlace(keyId), word);
  try {
    await db.transaction((tx) => insertCanary(tx, { keyId, sealed, createdAt: clock.now() }));
  } catch (error) {
    if (constraintViolation(error)?.kind !== 'unique') throw error;
    // Another process that starts right now was first: its canary must open here, too.
    for (const canary of await db.read(listCanaries)) proveKey(ring, canary);
  }
}

import { randomBytes } from 'node:crypto';
import { InvalidInput } from '@certloop/contracts';
import { changeInSlices, type Database, type Tx } from '@certloop/db';
import { type KeyRing, keyIdOf, openSecret, type SecretPlace, sealSecret } from '@certloop/server';
import { nilUuid } from '../access/caller.js';
import type { AcmeClientRow } from './acme-client.js';
import { acmeClients, updateAcmeClientRow } from './acme-clients.repository.js';

/** Key for External Account Binding (RFC 8555 §7.3.4), as its owner gets it. */
export interface ClientKey {
  readonly kid: string;
  /** 256 bits in base64url. */
  readonly hmacKey: string;
}

/** A new key. Both texts begin with a letter or digit, so that no command takes them for an option. */
export function createClientKey(): ClientKey {
  return { kid: textOf(12), hmacKey: textOf(32) };
}

function textOf(octets: number): string {
  for (;;) {
    const text = randomBytes(octets).toString('base64url');
    if (/^[A-Za-z0-9]/.test(text)) return text;
  }
}

function hmacKeyPlace(rowId: string): SecretPlace {
  return { table: 'acme_clients', column: 'hmac_key_sealed', rowId };
}

/** The key as it is stored. Throws InvalidInput if the service has no keys to encrypt it with. */
export function sealHmacKey(ring: KeyRing | undefined, id: string, hmacKey: string): string {
  if (ring !== undefined) return sealSecret(ring, hmacKeyPlace(id), hmacKey);
  throw new InvalidInput(
    'ACME clients need ENCRYPTION_KEYS, as their keys are stored encrypted: ask the operator to set it',
    { code: 'encryption_keys_missing', title: 'ENCRYPTION_KEYS missing' },
  );
}

/** The octets by which the client signs bindings. Throws SecretUnreadable. */
export function openHmacKey(
  ring: KeyRing,
  { id, hmacKeySealed }: Pick<AcmeClientRow, 'id' | 'hmacKeySealed'>,
): Buffer {
  return Buffer.from(openSecret(ring, hmacKeyPlace(id), hmacKeySealed), 'base64url');
}

const decoys = new WeakMap<KeyRing, Pick<AcmeClientRow, 'id' | 'hmacKeySealed'>>();

/** The stored key of no client: to open it takes as long as for one that exists. */
export function decoyClient(ring: KeyRing): Pick<AcmeClientRow, 'id' | 'hmacKeySealed'> {
  const made = decoys.get(ring) ?? {
    id: nilUuid,
    hmacKeySealed: sealHmacKey(ring, nilUuid, createClientKey().hmacKey),
  };
  decoys.set(ring, made);
  return made;
}

/** Encrypts the keys of all clients with the active key of the ring; returns how many that changed. */
export function rotateClientKeys(db: Database, ring: KeyRing): Promise<number> {
  return changeInSlices(db, acmeClients, (tx, row) => rotateClientKey(tx, ring, row));
}

async function rotateClientKey(tx: Tx, ring: KeyRing, { id, hmacKeySealed }: AcmeClientRow): Promise<number> {
  if (keyIdOf(hmacKeySealed) === ring.active.id) return 0;
  const hmacKey = openSecret(ring, hmacKeyPlace(id), hmacKeySealed);
  await updateAcmeClientRow(tx, id, { hmacKeySealed: sealSecret(ring, hmacKeyPlace(id), hmacKey) });
  return 1;
}

import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import type { EncryptionKey, KeyRing } from './key-ring.js';

/** Where a secret is stored; a cipher text opens nowhere else. */
export interface SecretPlace {
  readonly table: string;
  readonly column: string;
  readonly rowId: string;
}

/** A cipher text that does not open: another key, another place, or altered. */
export class SecretUnreadable extends Error {
  override readonly name = 'SecretUnreadable';
}

/**
 * Envelope `v1.<key id>.<iv>.<cipher text>.<tag>` of a secret, the last three in Base64url: AES-256-GCM with a
 * random 96-bit IV (NIST SP 800-38D §8.2.2), bound to its place, under a key derived for the table (RFC 5869).
 */
export function sealSecret(ring: KeyRing, place: SecretPlace, secret: string): string {
  const { active } = ring;
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', derivedKey(ring, active, place.table), iv);
  cipher.setAAD(boundTo(place, active.id));
  const ciphertext = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
  const parts = [iv, ciphertext, cipher.getAuthTag()].map((part) => part.toString('base64url'));
  return ['v1', active.id, ...parts].join('.');
}

/** Secret of an envelope. Throws SecretUnreadable, which says why and quotes nothing of it. */
export function openSecret(ring: KeyRing, place: SecretPlace, envelope: string): string {
  const [version, id, iv = '', ciphertext = '', tag = '', ...rest] = envelope.split('.');
  if (version !== 'v1' || id === undefined || rest.length > 0) {
    throw new SecretUnreadable('is not an envelope of this version');
  }
  const key = ring.keys.get(id);
  if (key === undefined) throw new SecretUnreadable(`is encrypted with the key "${id}", which is missing`);
  try {
    return decrypt(derivedKey(ring, key, place.table), boundTo(place, id), { iv, ciphertext, tag });
  } catch (cause) {
    throw new SecretUnreadable(`does not open with the key "${id}"`, { cause });
  }
}

/**
 * HMAC-SHA256 in hex under each key of the ring, the active one first, by which an encrypted secret is found: it
 * is stored beside the envelope.
 */
export function lookupHashes(
  ring: KeyRing,
  { table, column }: Omit<SecretPlace, 'rowId'>,
  secret: string,
): readonly string[] {
  const others = [...ring.keys.values()].filter((key) => key !== ring.active);
  return [ring.active, ...others].map((key) =>
    createHmac('sha256', derivedKey(ring, key, `${table}.${column} lookup`))
      .update(secret, 'utf8')
      .digest('hex'),
  );
}

/** Id of the key that an envelope needs; undefined for anything that is not an envelope. */
export function keyIdOf(envelope: string): string | undefined {
  return /^v1\.([\w-]{1,32})\./.exec(envelope)?.[1];
}

function decrypt(
  key: Uint8Array,
  bound: Uint8Array,
  { iv, ciphertext, tag }: { iv: string; ciphertext: string; tag: string },
): string {
  // A shorter tag would be accepted too, and is easier to forge.
  const decipher = createDecipheriv('aes-256-gcm', key, Buffer.from(iv, 'base64url'), { authTagLength: 16 });
  decipher.setAAD(bound);
  decipher.setAuthTag(Buffer.from(tag, 'base64url'));
  return Buffer.concat([decipher.update(ciphertext, 'base64url'), decipher.final()]).toString('utf8');
}

// every secret of a table needs the same one, and deriving it costs more than a decryption
const derivedKeys = new WeakMap<EncryptionKey, Map<string, Uint8Array>>();

function derivedKey({ service }: KeyRing, key: EncryptionKey, use: string): Uint8Array {
  const label = `certloop ${service} ${use}`;
  const known = derivedKeys.get(key) ?? new Map<string, Uint8Array>();
  derivedKeys.set(key, known);
  const derived = known.get(label) ?? new Uint8Array(hkdfSync('sha256', key.key, '', label, 32));
  known.set(label, derived);
  return derived;
}

/** None of the parts may hold the separator, so that no two places read the same. */
function boundTo({ table, column, rowId }: SecretPlace, keyId: string): Uint8Array {
  const parts = [table, column, rowId, keyId];
  if (parts.some((part) => part.includes('|'))) throw new RangeError('a place must not contain |');
  return Buffer.from(parts.join('|'), 'utf8');
}

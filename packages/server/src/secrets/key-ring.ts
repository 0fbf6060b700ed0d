import { createHash, hkdfSync } from 'node:crypto';
import { z } from 'zod';

/** One key that encrypts what is secret at rest; `key` is 32 octets. */
export interface EncryptionKey {
  readonly id: string;
  readonly key: Uint8Array;
}

/** Keys by id; `active` encrypts, the others only decrypt what they encrypted once. */
export interface KeyRing {
  /** Name of the service whose secrets they encrypt. */
  readonly service: string;
  readonly active: EncryptionKey;
  readonly keys: ReadonlyMap<string, EncryptionKey>;
}

/** Key ring of `service` with these keys, the active one first; a key that is there twice counts once. */
export function keyRingOf(
  service: string,
  [active, ...others]: readonly [EncryptionKey, ...EncryptionKey[]],
): KeyRing {
  return { service, active, keys: new Map([...others, active].map((key) => [key.id, key])) };
}

/**
 * Key that follows from a secret of any length (RFC 5869), for a service without keys of its own. Its id follows from
 * the key, so another secret has another id.
 */
export function deriveEncryptionKey(service: string, secret: string): EncryptionKey {
  const key = new Uint8Array(hkdfSync('sha256', secret, '', `certloop ${service} encryption key`, 32));
  const digest = createHash('sha256').update(`certloop ${service} key id`).update(key).digest('base64url');
  return { id: `${derivedPrefix}${digest.slice(0, 8)}`, key };
}

/** A setting that holds the keys of `service`. */
export function keyRing(service: string) {
  return z.string().transform((text, context) => {
    try {
      return parseKeyRing(text, service);
    } catch (error) {
      context.addIssue({ code: 'custom', message: error instanceof Error ? error.message : 'is malformed' });
      return z.NEVER;
    }
  });
}

/** Begins the ids of keys that follow from a secret. */
export const derivedPrefix = 'secret-';

/**
 * Key ring of `service` from a text with one `id:base64` a line, the active key first; empty lines and lines that begin with
 * `#` are skipped. An id is 1 to 32 of A-Z a-z 0-9 _ -, a key 32 octets in Base64. Throws RangeError that names
 * the line and never what stands in it.
 */
export function parseKeyRing(text: string, service: string): KeyRing {
  const keys = new Map<string, EncryptionKey>();
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const trimmed = line.trim();
    if (trimmed === '' || trimmed.startsWith('#')) continue;
    const key = parseKey(trimmed, `line ${index + 1}`);
    if (keys.has(key.id)) throw new RangeError(`line ${index + 1}: the id is used twice`);
    keys.set(key.id, key);
  }
  const [active] = keys.values();
  if (active === undefined) throw new RangeError('holds no key');
  return { service, active, keys };
}

function parseKey(line: string, place: string): EncryptionKey {
  const [, id, encoded] = /^([\w-]{1,32}):([A-Za-z0-9+/]+={0,2})$/.exec(line) ?? [];
  if (id === undefined || encoded === undefined) throw new RangeError(`${place}: is not id:base64`);
  const key = Buffer.from(encoded, 'base64');
  if (key.length !== 32) throw new RangeError(`${place}: the key must be 32 octets in Base64`);
  return { id, key: new Uint8Array(key) };
}

import { createHmac } from 'node:crypto';

/** Rights that a management key gives. A project has at most one key of each kind. */
export type KeyKind = 'read-write' | 'read-only';

/** Every management key has this length; anything else is not a key at all. */
export const keyLength = 32;

const prefixes: Readonly<Record<KeyKind, string>> = { 'read-write': 'hcw_', 'read-only': 'hcr_' };
const pingKeyLength = 22;
const shownLength = 8;

const lowerCase = 'abcdefghijklmnopqrstuvwxyz';
const digits = '0123456789';

/** Secrets of the service: what is made here is made under the first one, and what was made under either is accepted. */
export interface Secrets {
  readonly secret: string;
  /** Of any length; of the service as it was before, or of the one that this service replaced. */
  readonly formerSecret?: string | undefined;
}

/** The secrets under which a key or a signature may have been made, the present one first. */
export function acceptedSecrets({ secret, formerSecret }: Secrets): readonly string[] {
  return formerSecret === undefined ? [secret] : [secret, formerSecret];
}

/** Chooses a whole number from 0 up to, not including, `bound`. */
export type Choose = (bound: number) => number;

/** New management key: the prefix of its kind and 28 letters and digits. */
export function composeKey(kind: KeyKind, choose: Choose): string {
  const prefix = prefixes[kind];
  return prefix + letters(keyLength - prefix.length, lowerCase + lowerCase.toUpperCase() + digits, choose);
}

/** New ping key: 22 lower-case letters and digits. */
export function composePingKey(choose: Choose): string {
  return letters(pingKeyLength, lowerCase + digits, choose);
}

/**
 * The stored form of a management key: its first 8 random characters, by which people recognise it, a dot, and
 * the HMAC-SHA256 of the whole key in hex.
 */
export function hashKey(key: string, secret: string): string {
  const mac = createHmac('sha256', secret).update(key, 'utf8').digest('hex');
  const prefix = prefixes['read-write'].length;
  return `${key.slice(prefix, prefix + shownLength)}.${mac}`;
}

function letters(count: number, alphabet: string, choose: Choose): string {
  return Array.from({ length: count }, () => alphabet.charAt(choose(alphabet.length))).join('');
}

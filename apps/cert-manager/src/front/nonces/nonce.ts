import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';

/** Octets of a nonce: its time, what is random, and their MAC. */
const timeLength = 6;
export const randomLength = 10;
const macLength = 16;
const textLength = 43;

/** Milliseconds for which a nonce is valid. */
const nonceMs = 60 * 60 * 1000;

/** How far ahead the clock of another replica may be, in milliseconds. */
const clockSkewMs = 5 * 60 * 1000;

/** The key of nonces that follows from a key that all replicas have (RFC 5869). */
export function deriveNonceKey({ key }: { readonly key: Uint8Array }): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', key, '', 'certloop cert-manager acme nonces', 32));
}

/** Returns a nonce that every process with the key recognizes for an hour. */
export function mintNonce(key: Uint8Array, now: Date, random: Uint8Array): string {
  const head = Buffer.alloc(timeLength + randomLength);
  head.writeUIntBE(Math.max(0, now.getTime()), 0, timeLength);
  head.set(random.subarray(0, randomLength), timeLength);
  return Buffer.concat([head, macOf(key, head)]).toString('base64url');
}

/** When a nonce ends that was made under one of the keys and is valid now; undefined for any other text. */
export function nonceEnd(keys: readonly Uint8Array[], nonce: string, now: Date): Date | undefined {
  const octets = Buffer.from(nonce, 'base64url');
  // of two texts for the same octets, the second would be a nonce of its own
  if (nonce.length !== textLength || octets.toString('base64url') !== nonce) return undefined;
  const head = octets.subarray(0, timeLength + randomLength);
  const mac = octets.subarray(timeLength + randomLength);
  if (!keys.some((key) => timingSafeEqual(macOf(key, head), mac))) return undefined;
  const made = head.readUIntBE(0, timeLength);
  const isNow = made <= now.getTime() + clockSkewMs && now.getTime() < made + nonceMs;
  return isNow ? new Date(made + nonceMs) : undefined;
}

function macOf(key: Uint8Array, head: Uint8Array): Buffer {
  return createHmac('sha256', key).update(head).digest().subarray(0, macLength);
}

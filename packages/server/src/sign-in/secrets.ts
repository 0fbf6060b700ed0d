import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** SHA-256 of a secret, hex; enough for secrets of 256 random bits, which cannot be guessed. */
export function secretHash(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

/** Whether two texts are the same, in a time that does not show where they differ. */
export function sameText(one: string, other: string): boolean {
  // digests have one length, so that the time does not show that of the texts
  const [first, second] = [one, other].map((text) => createHash('sha256').update(text).digest());
  return first !== undefined && second !== undefined && timingSafeEqual(first, second);
}

/** 256 random bits in Base64url: 43 characters. */
export function newSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** Returns what a browser must send back as X-CSRF-Token: made of the session's own hash, so nothing else is stored. */
export function csrfTokenOf(session: { readonly secretHash: string }): string {
  return createHmac('sha256', session.secretHash).update('csrf').digest('base64url');
}

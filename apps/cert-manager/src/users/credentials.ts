import { createHash, createHmac, randomBytes, randomInt, timingSafeEqual } from 'node:crypto';

/** SHA-256 of a secret, hex; enough for secrets of 256 random bits, which cannot be guessed. */
export function secretHash(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

/** Whether two texts are the same, in a time that does not tell where they differ. */
export function sameText(one: string, other: string): boolean {
  const [first, second] = [one, other].map((text) => createHash('sha256').update(text).digest());
  return first !== undefined && second !== undefined && timingSafeEqual(first, second);
}

/** 256 random bits in Base64url: 43 characters. */
export function newSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** An API token in its parts. */
export interface TokenParts {
  readonly id: string;
  readonly secret: string;
}

const idAlphabet = 'abcdefghijkmnpqrstuvwxyz23456789';

/** A new API token; `formatApiToken` is what its owner sends. */
export function newApiToken(): TokenParts {
  const id = Array.from({ length: 8 }, () => idAlphabet[randomInt(idAlphabet.length)]).join('');
  return { id, secret: newSecret() };
}

export function formatApiToken({ id, secret }: TokenParts): string {
  return `cmt_${id}_${secret}`;
}

/** Parts of `cmt_<8 characters>_<43 characters>`; undefined for anything else. */
export function parseApiToken(text: string): TokenParts | undefined {
  const [, id, secret] = /^cmt_([a-z0-9]{8})_([\w-]{43})$/.exec(text) ?? [];
  return id === undefined || secret === undefined ? undefined : { id, secret };
}

/** Credential of an Authorization header with the scheme Bearer (RFC 6750 §2.1); undefined for another scheme. */
export function bearerOf(authorization: string): string | undefined {
  return /^Bearer(?: +(.*))?$/i.exec(authorization)?.map((part) => part ?? '')[1];
}

/** What a browser must send back as X-CSRF-Token: made of the session's own hash, so nothing else is stored. */
export function csrfTokenOf(session: { readonly secretHash: string }): string {
  return createHmac('sha256', session.secretHash).update('csrf').digest('base64url');
}

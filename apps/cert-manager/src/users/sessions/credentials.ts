import { randomInt } from 'node:crypto';

/** An API token in its parts. */
export interface TokenParts {
  readonly id: string;
  readonly secret: string;
}

const idAlphabet = 'abcdefghijkmnpqrstuvwxyz23456789';

/** A new API token with the secret; `formatApiToken` is what its owner sends. */
export function newApiToken(secret: string): TokenParts {
  const id = Array.from({ length: 8 }, () => idAlphabet[randomInt(idAlphabet.length)]).join('');
  return { id, secret };
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

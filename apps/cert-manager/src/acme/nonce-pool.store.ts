/** Nonces that a CA has issued and no one has used (RFC 8555 §6.5). */
export type NoncePool = Set<string>;

// CAs forget nonces after a while, so a long stock would only be refused.
const maxNonces = 16;

/** The nonce that came last, which is the least likely to have expired; undefined if there is none. */
export function takeNonce(pool: NoncePool): string | undefined {
  const nonces = [...pool];
  for (const old of nonces.slice(0, -maxNonces)) pool.delete(old);
  const nonce = nonces.at(-1);
  if (nonce !== undefined) pool.delete(nonce);
  return nonce;
}

/** SQL condition of the newest certificate of an FQDN, which was stored last; it may be revoked. */
export const isNewest = 'replaced_at is null';

/**
 * SQL condition of a certificate in use: neither replaced nor revoked. A partial index has the same words, so that both
 * databases find by it.
 */
export const inUse = `${isNewest} and revoked_at is null`;

/** Moment after which a certificate is useless: its revocation, or else its expiry. */
export function usableUntil({
  revokedAt,
  expiresAt,
}: {
  readonly revokedAt: Date | null;
  readonly expiresAt: Date;
}): Date {
  return revokedAt ?? expiresAt;
}

/** The two moments of a stored certificate that say when it ends. */
export interface StoredEnds {
  readonly expiresAt: Date;
  readonly leafExpiresAt: Date | null;
}

/** When the certificate itself ends, whatever its chain does. */
export function leafEndOf({ expiresAt, leafExpiresAt }: StoredEnds): Date {
  return leafExpiresAt ?? expiresAt;
}

/** When an intermediate ends before the certificate itself; undefined if none does. */
export function chainEndOf(ends: StoredEnds): Date | undefined {
  return ends.expiresAt < leafEndOf(ends) ? ends.expiresAt : undefined;
}

/** Both as APIs and the audit log show them. */
export function endsView(ends: StoredEnds): { readonly expiresAt: string; readonly chainExpiresAt?: string } {
  const chainEnd = chainEndOf(ends);
  return {
    expiresAt: leafEndOf(ends).toISOString(),
    ...(chainEnd !== undefined && { chainExpiresAt: chainEnd.toISOString() }),
  };
}

/**
 * Returns a sentence that says what to do about an intermediate that ends before the certificate; undefined if none
 * does.
 */
export function chainHint(ends: StoredEnds): string | undefined {
  const chainEnd = chainEndOf(ends);
  if (chainEnd === undefined) return undefined;
  const end = `An intermediate of its chain ends on ${chainEnd.toISOString()}, before the certificate itself`;
  return `${end} (${leafEndOf(ends).toISOString()}): fetch the chain again from the CA.`;
}

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

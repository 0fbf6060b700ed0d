/** A certificate that was issued for the same client, provider, key and identifiers. */
export interface FormerCertificate {
  readonly createdAt: Date;
  readonly notBefore: Date;
  readonly notAfter: Date;
  readonly isRevoked: boolean;
  readonly isKeyCompromised: boolean;
}

const maxReuseMs = 24 * 3_600_000;
const reuseShare = 1 / 20;

/**
 * Whether the certificate answers another order: a client that lost the answer, or restarts again and again, gets what it
 * has. It does for a twentieth of its lifetime after it was issued, at most 24 hours. Later, a client that keeps its key and
 * renews by its own timer gets a new one.
 */
export function isReusable(former: FormerCertificate, now: Date): boolean {
  if (former.isRevoked || former.isKeyCompromised || now >= former.notAfter) return false;
  const lifetime = former.notAfter.getTime() - former.notBefore.getTime();
  const age = now.getTime() - former.createdAt.getTime();
  // one from the future was stored by a clock that was wrong
  return age >= 0 && age < Math.min(lifetime * reuseShare, maxReuseMs);
}

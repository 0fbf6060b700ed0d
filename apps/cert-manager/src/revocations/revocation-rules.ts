import type { RevocationReasonName } from '@certloop/contracts';

/** Facts that decide whether a certificate can be revoked. */
export interface RevocationFacts {
  readonly revokedAt: Date | null;
  readonly revocationReason: RevocationReasonName | null;
  readonly expiresAt: Date;
  readonly providerId: string | null;
}

export type RevocationObstacle = {
  readonly code: 'already_revoked' | 'cannot_be_revoked';
  /** One sentence with what to do. */
  readonly message: string;
};

/** Why a certificate cannot be revoked at `now`, before its CA is asked; undefined when nothing is in the way. */
export function obstacleToRevocation(
  { revokedAt, revocationReason, expiresAt, providerId }: RevocationFacts,
  now: Date,
): RevocationObstacle | undefined {
  if (revokedAt !== null)
    return { code: 'already_revoked', message: revocationText(revokedAt, revocationReason) };
  if (expiresAt <= now) {
    const at = expiresAt.toISOString();
    return cannot(`the certificate expired at ${at}: an expired certificate needs no revocation`);
  }
  if (providerId === null) {
    return cannot(
      'the certificate has no provider: revoke it with the CA that issued it, in the way that this CA documents',
    );
  }
  return undefined;
}

/** That a certificate is revoked, since when and why. */
export function revocationText(revokedAt: Date, reason: RevocationReasonName | null): string {
  const why = reason === null ? '' : ` (${reason})`;
  return `the certificate was revoked at ${revokedAt.toISOString()}${why}`;
}

function cannot(message: string): RevocationObstacle {
  return { code: 'cannot_be_revoked', message };
}

const minute = 60_000;

/** When to ask a CA again that did not answer for the `attempts`th time: after a minute, then twice as long, an hour at most. */
export function nextRevocationTry(attempts: number, now: Date): Date {
  const doubled = minute * 2 ** Math.min(10, Math.max(0, attempts - 1));
  return new Date(now.getTime() + Math.min(60 * minute, doubled));
}

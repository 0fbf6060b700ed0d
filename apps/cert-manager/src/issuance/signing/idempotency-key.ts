import { createHash } from 'node:crypto';

/** What distinguishes a request for a certificate from every other. */
export interface SigningSubject {
  readonly purpose: 'sign' | 'renew';
  readonly fqdnId: string;
  readonly csrId: string;
  /** The newest certificate of the FQDN before this one is stored; undefined for the first one. */
  readonly newestId: string | undefined;
  /** Distinguishes requests for the same that are under way at once. */
  readonly slot?: number;
}

/**
 * Idempotency key of a request to a CA, 43 characters of base64url. It stays the same until a certificate is stored, for
 * each caller and each try: a process that takes over from one that died gets the certificate that was issued for it.
 */
export function idempotencyKeyOf({
  purpose,
  fqdnId,
  csrId,
  newestId = '',
  slot = 0,
}: SigningSubject): string {
  const parts = [purpose, fqdnId, csrId, newestId, slot];
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
}

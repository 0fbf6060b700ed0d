import { createHash } from 'node:crypto';

/** Values that distinguish a request for a certificate from every other. */
export interface SigningSubject {
  readonly fqdnId: string;
  readonly csrId: string;
  /** The newest certificate of the FQDN before this one is stored; undefined for the first one. */
  readonly newestId: string | undefined;
}

/**
 * Idempotency key of a request to a CA, 43 characters of base64url. It stays the same until a certificate is stored,
 * whatever the request is for: a process that takes over from one that died gets the certificate that was issued for it.
 */
export function idempotencyKeyOf({ fqdnId, csrId, newestId = '' }: SigningSubject): string {
  // as earlier versions made it for csr/sign, so that both use the same key
  const parts = ['sign', fqdnId, csrId, newestId, 0];
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
}

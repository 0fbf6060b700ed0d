import type { RenewalWindow } from '@certloop/acme-server/rules';
import type { Validity } from '../../authority/issuance-profile.js';

/**
 * When a certificate had best be renewed: from two thirds of its validity on, for a fiftieth of it. That of a
 * revoked one has just passed (RFC 9773 §4.2).
 */
export function suggestedWindow(
  { notBefore, notAfter }: Validity,
  revokedAt: Date | undefined,
): RenewalWindow {
  if (revokedAt !== undefined) {
    return { start: new Date(revokedAt.getTime() - 1000), end: revokedAt };
  }
  const length = notAfter.getTime() - notBefore.getTime();
  const start = notBefore.getTime() + Math.floor((length * 2) / 3);
  return { start: new Date(start), end: new Date(start + Math.max(1, Math.floor(length / 50))) };
}

import type { CertificateStatus, revocationReasonNames } from '@certloop/contracts';
import type { KnownCertificate } from '../authority/named-issuer.js';

interface RevocationFacts {
  readonly revokedAt: Date;
  readonly reason: (typeof revocationReasonNames)[number];
}

/** Status of a certificate for readers. */
export function certificateStatusView(
  { serialNumber, issuer, notAfter }: KnownCertificate,
  revocation: RevocationFacts | undefined,
): CertificateStatus {
  return {
    serial_number: serialNumber,
    issuer,
    status: revocation === undefined ? 'good' : 'revoked',
    not_after: notAfter.toISOString(),
    ...(revocation && { revoked_at: revocation.revokedAt.toISOString(), reason: revocation.reason }),
  };
}

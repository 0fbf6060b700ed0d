import type { Certificate, FoundCertificate, RevocationReasonName } from '@certloop/contracts';
import { endsView } from './in-use.js';

/** Certificate with what is shown of it. */
export interface ShownCertificate {
  readonly id: string;
  readonly fqdnId: string;
  readonly pem: string;
  readonly issuer: string;
  readonly expiresAt: Date;
  readonly leafExpiresAt: Date | null;
  readonly createdAt: Date;
  readonly revokedAt: Date | null;
  readonly revocationReason: RevocationReasonName | null;
  readonly importedAt: Date | null;
}

/** A certificate of an FQDN in the space; `pem` is the leaf, followed by its intermediates. */
export function certificateView(certificate: ShownCertificate, spaceId: string): Certificate {
  const { revokedAt, revocationReason, importedAt } = certificate;
  return {
    id: certificate.id,
    fqdnId: certificate.fqdnId,
    spaceId,
    pem: certificate.pem,
    issuer: certificate.issuer,
    ...endsView(certificate),
    createdAt: certificate.createdAt.toISOString(),
    ...(revokedAt !== null && { revokedAt: revokedAt.toISOString() }),
    ...(revocationReason !== null && { revocationReason }),
    ...(importedAt !== null && { imported: true }),
  };
}

/** A certificate after its provider was asked; `providerStatus` says that the provider has lost it. */
export function refreshedCertificateView(
  { certificate, isMissing }: { readonly certificate: ShownCertificate; readonly isMissing: boolean },
  spaceId: string,
): Certificate {
  const view = certificateView(certificate, spaceId);
  return isMissing ? { ...view, providerStatus: 'missing' } : view;
}

/** Found certificate with what is shown of it, and where it is. */
interface ShownFind {
  readonly certificate: Pick<
    ShownCertificate,
    'id' | 'fqdnId' | 'issuer' | 'expiresAt' | 'leafExpiresAt' | 'revokedAt'
  > & {
    readonly serialNumber: string;
    readonly notBefore: Date;
    readonly replacedAt: Date | null;
  };
  readonly spaceId: string;
  readonly fqdn: string;
  readonly spaceName: string;
}

/** A certificate that was found by its serial number or a fingerprint. */
export function foundCertificateView({ certificate, spaceId, fqdn, spaceName }: ShownFind): FoundCertificate {
  const { id, fqdnId, issuer, serialNumber, notBefore, replacedAt, revokedAt } = certificate;
  return {
    id,
    fqdnId,
    spaceId,
    fqdn,
    spaceName,
    issuer,
    serialNumber,
    notBefore: notBefore.toISOString(),
    ...endsView(certificate),
    ...(replacedAt !== null && { replacedAt: replacedAt.toISOString() }),
    ...(revokedAt !== null && { revokedAt: revokedAt.toISOString() }),
  };
}

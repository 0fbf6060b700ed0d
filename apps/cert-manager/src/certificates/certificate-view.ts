import type {
  Certificate,
  CertificateDetail,
  CertificateSource,
  FoundCertificate,
  RevocationReasonName,
} from '@certloop/contracts';
import { describeCertificate, fingerprint, parseCertificate, splitChain } from '@certloop/crypto';
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
  readonly source: CertificateSource | null;
}

/** A certificate of an FQDN in the space; `pem` is the leaf, followed by its intermediates. */
export function certificateView(certificate: ShownCertificate, spaceId: string): Certificate {
  const { revokedAt, revocationReason, importedAt, source } = certificate;
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
    ...(source !== null && { source }),
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

/** A certificate with the names of its FQDN and of its space. */
export interface ShownFind {
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

/** A certificate with what is stored about it elsewhere. */
export interface CertificateFacts {
  readonly certificate: ShownCertificate & {
    readonly spkiSha256: string;
    readonly providerId: string | null;
    readonly csrId: string | null;
    readonly replacedAt: Date | null;
  };
  /** Ids of the certificates of the same FQDN stored just before and just after it. */
  readonly neighbors: { readonly before?: string; readonly after?: string };
  readonly jobId: string | undefined;
  readonly lastDownload: { readonly timestamp: Date; readonly username: string } | undefined;
}

/** A certificate of an FQDN in the space, in detail. */
export function certificateDetailView(facts: CertificateFacts, spaceId: string): CertificateDetail {
  const { certificate, neighbors, jobId, lastDownload } = facts;
  const [leaf = Buffer.alloc(0), ...intermediates] = splitChain(certificate.pem);
  const description = describeCertificate(parseCertificate(leaf));
  const { providerId, csrId, replacedAt, spkiSha256 } = certificate;
  return {
    ...certificateView(certificate, spaceId),
    subject: description.subject,
    serialNumber: description.serialNumber,
    notBefore: description.notBefore.toISOString(),
    publicKey: { algorithm: description.publicKeyAlgorithm, size: description.keySize, spkiSha256 },
    signatureAlgorithm: description.signatureAlgorithm,
    dnsNames: [...description.dnsNames],
    ipAddresses: [...description.ipAddresses],
    extensions: description.extensions.map((extension) => ({
      ...extension,
      purposes: [...extension.purposes],
    })),
    sha256: fingerprint(leaf),
    chain: intermediates.map(linkView),
    ...(providerId !== null && { providerId }),
    ...(csrId !== null && { csrId }),
    ...(replacedAt !== null && { replacedAt: replacedAt.toISOString() }),
    ...(neighbors.before !== undefined && { replaces: neighbors.before }),
    ...(neighbors.after !== undefined && { replacedBy: neighbors.after }),
    ...(jobId !== undefined && { jobId }),
    ...(lastDownload !== undefined && {
      lastDownload: { at: lastDownload.timestamp.toISOString(), by: lastDownload.username },
    }),
  };
}

function linkView(der: Buffer): CertificateDetail['chain'][number] {
  const { subject, issuer, notAfter } = describeCertificate(parseCertificate(der));
  return { subject, issuer, expiresAt: notAfter.toISOString(), sha256: fingerprint(der) };
}

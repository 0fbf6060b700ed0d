import { newRowId, type Tx } from '@certloop/db';
import type { CertificateRow } from '../certificates/certificates.repository.js';
import {
  insertCertificate,
  type NewCertificate,
  type StoreResult,
} from '../certificates/insert-certificates.repository.js';
import { describeLeaf } from '../judging/issued-certificate.js';
import type { IssuedCertificate } from '../providers/provider.js';
import type { ProviderRow } from '../providers/providers.repository.js';

/** What a provider issued, and what for. */
type Issued = Pick<CertificateRow, 'fqdnId' | 'csrId' | 'providerId'> & {
  readonly issued: IssuedCertificate;
  readonly now: Date;
};

/** Stores what a provider issued, once, and returns it as stored; the FQDN must be locked, and the CSR be there. */
export function storeIssued(tx: Tx, issued: Issued): Promise<StoreResult> {
  return insertCertificate(tx, certificateOf(issued));
}

/** The certificate that a provider issued, as it is stored. */
export function certificateOf({ issued, now, ...origin }: Issued): NewCertificate {
  return {
    id: newRowId(now),
    ...origin,
    upstreamId: issued.upstreamId,
    pem: issued.certificatePem,
    ...(issued.facts ?? describeLeaf(issued.certificatePem)),
    createdAt: now,
    refreshedAt: null,
    importedAt: null,
  };
}

/** What the audit log keeps of a new certificate. */
export function certificateFacts(
  { id: certificateId, serialNumber: serial, spkiSha256 }: CertificateRow,
  { id: providerId, name: provider }: Pick<ProviderRow, 'id' | 'name'>,
) {
  return { certificateId, serial, spkiSha256, provider, providerId };
}

import { type Database, newRowId, type Tx } from '@certloop/db';
import type { Clock } from '@certloop/server';
import type { Caller } from '../access/caller.js';
import { requireLevel } from '../access/permissions.js';
import { recordAudit } from '../audit/audit.service.js';
import { requireAllowed } from '../csrs/judge-issuance.service.js';
import { type FqdnRow, getFqdn, lockFqdn } from '../fqdns/fqdns.repository.js';
import { formatIssuedChain } from '../judging/acme-certificate.js';
import { judgeImport } from '../judging/imported-certificate.js';
import { leafFacts } from '../judging/issued-certificate.js';
import type { CertificateRow } from './certificates.repository.js';
import { insertCertificate, type StoreResult } from './insert-certificates.repository.js';

export interface ImportDeps {
  readonly db: Database;
  readonly clock: Clock;
  /** Makes what depends on the newest certificate of an FQDN follow it; the FQDN is locked. */
  readonly onCertificateStored: (
    tx: Tx,
    caller: Caller,
    fqdn: FqdnRow,
    newest: CertificateRow,
  ) => Promise<void>;
}

/**
 * Stores a certificate from elsewhere as the newest of its FQDN, without CSR and provider. Throws NotFound when the
 * space or the FQDN is not there, InvalidInput as judgeImport does, and where the policy of
 * the space does not allow the FQDN.
 */
export async function importCertificate(
  { db, clock, onCertificateStored }: ImportDeps,
  caller: Caller,
  { spaceId, fqdnId, pem }: { readonly spaceId: string; readonly fqdnId: string; readonly pem: string },
): Promise<StoreResult> {
  requireLevel(caller, spaceId, 'READ_WRITE');
  const { fqdn: hostname } = await db.read((tx) => getFqdn(tx, spaceId, fqdnId));
  const chain = judgeImport(pem, hostname, clock.now());
  const facts = leafFacts(chain);
  return db.transaction(async (tx) => {
    const fqdn = await lockFqdn(tx, spaceId, fqdnId);
    // the name of the FQDN alone: what else a certificate names was decided elsewhere
    await requireAllowed(tx, { fqdn });
    const now = clock.now();
    const stored = await insertCertificate(tx, {
      id: newRowId(now),
      fqdnId: fqdn.id,
      csrId: null,
      providerId: null,
      upstreamId: null,
      pem: formatIssuedChain(chain),
      ...facts,
      createdAt: now,
      refreshedAt: null,
      importedAt: now,
    });
    if (!stored.isNew) return stored;
    await recordAudit(tx, caller, auditOf(fqdn, stored.certificate), now);
    await onCertificateStored(tx, caller, fqdn, stored.certificate);
    return stored;
  });
}

function auditOf(
  { id: fqdnId, fqdn, spaceId }: FqdnRow,
  { id, serialNumber: serial, spkiSha256, issuer, expiresAt }: CertificateRow,
) {
  const details = { fqdn, fqdnId, serial, spkiSha256, issuer, expiresAt: expiresAt.toISOString() };
  const resource = { resourceType: 'certificate', resourceId: id, spaceId };
  return { action: 'certificate.import' as const, ...resource, details };
}

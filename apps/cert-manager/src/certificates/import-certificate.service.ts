import type { ImportSource } from '@certloop/contracts';
import { newRowId } from '@certloop/db';
import type { Caller } from '../access/caller.js';
import { requireLevel } from '../access/permissions.js';
import { recordAudit } from '../audit/audit.service.js';
import { requireIssuanceAllowed } from '../csrs/issuance-refusals.service.js';
import { rejectHeldNames } from '../csrs/name-refusals.service.js';
import type { DbDeps } from '../db-deps.js';
import { type FqdnRow, getFqdn, lockFqdn } from '../fqdns/fqdns.repository.js';
import { formatIssuedChain } from '../judging/acme-certificate.js';
import { validateImport } from '../judging/imported-certificate.js';
import { leafFacts } from '../judging/issued-certificate.js';
import { type CertificateRow, updateCertificate } from './certificates.repository.js';
import { endsView } from './in-use.js';
import type { StoreResult } from './insert-certificates.repository.js';
import { type CertificateEvents, ofNoClient, storeCertificate } from './store-certificates.service.js';

export interface ImportDeps extends DbDeps {
  readonly emit: CertificateEvents;
}

/** A certificate to import, and the FQDN. */
export interface ImportInput {
  readonly spaceId: string;
  readonly fqdnId: string;
  readonly pem: string;
  /** The tool from whose files it comes, if that is known. */
  readonly source?: ImportSource | undefined;
}

/**
 * Stores a certificate from elsewhere as the newest of its FQDN, without CSR and provider. If the FQDN has it already, a
 * chain that lasts longer takes the place of the stored one. Throws NotFound when the
 * space or the FQDN is not there, InvalidInput as validateImport does, and where the policy of
 * the space does not allow the FQDN, or another space holds its name.
 */
export async function importCertificate(
  { db, clock, emit }: ImportDeps,
  caller: Caller,
  { spaceId, fqdnId, pem, source }: ImportInput,
): Promise<StoreResult & { readonly isVerified: boolean }> {
  requireLevel(caller, spaceId, 'READ_WRITE');
  const { fqdn: hostname } = await db.read((tx) => getFqdn(tx, spaceId, fqdnId));
  const chain = validateImport(pem, hostname, clock.now());
  const facts = leafFacts(chain);
  const stored = await db.transaction(async (tx) => {
    const fqdn = await lockFqdn(tx, spaceId, fqdnId);
    // the name of the FQDN alone: what else a certificate names was decided elsewhere
    await requireIssuanceAllowed(tx, { fqdn });
    await rejectHeldNames(tx, { caller, fqdn });
    const now = clock.now();
    const certificate = {
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
      source: source ?? null,
      ...ofNoClient,
    };
    const auditRow = (row: CertificateRow) => auditOf(fqdn, row, chain.isVerified);
    const item = { caller, fqdn, certificate, auditOf: auditRow };
    const stored = await storeCertificate(tx, item, { now, emit });
    const { id, expiresAt, replacedAt } = stored.certificate;
    if (stored.isNew || facts.expiresAt <= expiresAt) return stored;
    const { leafExpiresAt, authoritySha256 } = facts;
    const change = { pem: certificate.pem, expiresAt: facts.expiresAt, leafExpiresAt, authoritySha256 };
    await updateCertificate(tx, id, change);
    const renewed = { ...stored.certificate, ...change };
    await recordAudit(tx, caller, auditRow(renewed), now);
    if (replacedAt === null) await emit.certificateRefreshed(tx, { fqdn });
    return { ...stored, certificate: renewed };
  });
  return { ...stored, isVerified: chain.isVerified };
}

function auditOf({ id: fqdnId, fqdn, spaceId }: FqdnRow, certificate: CertificateRow, isVerified: boolean) {
  const { id, serialNumber: serial, spkiSha256, issuer, source } = certificate;
  const facts = { fqdn, fqdnId, serial, spkiSha256, issuer, ...endsView(certificate) };
  const details = {
    ...facts,
    ...(source !== null && { source }),
    ...(!isVerified && { unverified: true }),
  };
  const resource = { resourceType: 'certificate', resourceId: id, spaceId };
  return { action: 'certificate.import' as const, ...resource, details };
}

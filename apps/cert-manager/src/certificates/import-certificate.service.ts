import { splitChain } from '@certloop/crypto';
import type { Database, Tx } from '@certloop/db';
import type { Clock } from '@certloop/server';
import type { Caller } from '../access/caller.js';
import { requireLevel } from '../access/permissions.js';
import { newRowId } from '../access/row-id.js';
import { recordAudit } from '../audit/audit.service.js';
import { requireAllowed } from '../csrs/judge-issuance.service.js';
import { type FqdnRow, getFqdn, holdFqdn } from '../fqdns/fqdns.repository.js';
import { keptChain } from '../providers/acme-certificate.js';
import { leafFacts } from '../providers/issued-certificate.js';
import {
  type CertificateRow,
  insertCertificate,
  listCertificatesBySerial,
} from './certificates.repository.js';
import { judgeImport } from './imported-certificate.js';

export interface ImportDeps {
  readonly db: Database;
  readonly clock: Clock;
  /** Makes what depends on the newest certificate of an FQDN follow it; the FQDN is held. */
  readonly onCertificateStored: (
    tx: Tx,
    caller: Caller,
    fqdn: FqdnRow,
    newest: CertificateRow,
  ) => Promise<void>;
}

/** An imported certificate; `isNew` is false when the FQDN had it already, and nothing was changed. */
export interface Imported {
  readonly certificate: CertificateRow;
  readonly isNew: boolean;
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
): Promise<Imported> {
  requireLevel(caller, spaceId, 'READ_WRITE');
  const { fqdn: hostname } = await db.read((tx) => getFqdn(tx, spaceId, fqdnId));
  const chain = judgeImport(pem, hostname, clock.now());
  const facts = leafFacts(chain);
  return db.transaction(async (tx) => {
    const fqdn = await holdFqdn(tx, spaceId, fqdnId);
    // the name of the FQDN alone: what else a certificate names was decided elsewhere
    await requireAllowed(tx, { fqdn });
    const others = await listCertificatesBySerial(tx, fqdn.id, facts.serialNumber);
    const same = others.find((other) => splitChain(other.pem)[0]?.equals(chain.leaf.der));
    if (same !== undefined) return { certificate: same, isNew: false };
    const now = clock.now();
    const certificate = await insertCertificate(tx, {
      ...{ id: newRowId(now), fqdnId: fqdn.id, csrId: null, providerId: null, upstreamId: null },
      ...{ pem: keptChain(chain), ...facts, createdAt: now, refreshedAt: null, importedAt: now },
    });
    await recordAudit(tx, caller, auditOf(fqdn, certificate), now);
    await onCertificateStored(tx, caller, fqdn, certificate);
    return { certificate, isNew: true };
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

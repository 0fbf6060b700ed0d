import { newRowId, type Tx } from '@certloop/db';
import type { Caller } from '../access/caller.js';
import { recordAudits } from '../audit/audit.service.js';
import type { AuditEntry } from '../audit/audit-entry.js';
import { lockCsrsForShare } from '../csrs/csrs.repository.js';
import { type FqdnRow, lockFqdns } from '../fqdns/fqdns.repository.js';
import type { Changes } from '../fqdns/fqdns.service.js';
import { holdNames } from '../fqdns/holders/name-holders.repository.js';
import { describeLeaf } from '../judging/issued-certificate.js';
import type { IssuedCertificate } from '../providers/provider.js';
import type { ProviderRow } from '../providers/providers.repository.js';
import type { CertificateRow } from './certificates.repository.js';
import {
  insertCertificates,
  type NewCertificate,
  type StoreResult,
} from './insert-certificates.repository.js';

/** A certificate that was just stored as the newest of its FQDN. */
export interface StoredCertificate {
  readonly caller: Caller;
  /** Locked. */
  readonly fqdn: FqdnRow;
  readonly certificate: CertificateRow;
  /** Who issued it; undefined for an imported one, and where the provider was deleted in the meantime. */
  readonly provider?: ProviderRow | undefined;
}

/** Events of certificates; `changes/reactions.service.ts` lists what follows each of them. */
export interface CertificateEvents {
  /** FQDNs have a newer certificate. */
  certificateStored(tx: Tx, event: Changes<StoredCertificate>): Promise<void>;
  /** The dates of the newest certificate of the FQDN, which is locked, were read again. */
  certificateRefreshed(tx: Tx, event: { readonly fqdn: FqdnRow }): Promise<void>;
}

/** A certificate to store, and its entry in the audit log. */
export interface CertificateToStore extends Omit<StoredCertificate, 'certificate'> {
  readonly certificate: NewCertificate;
  readonly auditOf: (stored: CertificateRow) => AuditEntry;
  /** Ends the request for it in the same transaction, before the event. */
  readonly endRequest?: (stored: CertificateRow) => Promise<void>;
}

interface Storing {
  readonly now: Date;
  readonly emit: CertificateEvents;
}

/**
 * Stores certificates with their audit entries, one or many of different FQDNs, and then reports them in one event.
 * A certificate that its FQDN has already gets neither an entry nor an event. Returns the results in their order.
 */
export async function storeCertificates(
  tx: Tx,
  items: readonly CertificateToStore[],
  { now, emit }: Storing,
): Promise<StoreResult[]> {
  if (items.length === 0) return [];
  const results = await insertCertificates(
    tx,
    items.map(({ certificate }) => certificate),
    now,
  );
  for (const [index, { certificate }] of results.entries()) await items[index]?.endRequest?.(certificate);
  const added = items.flatMap((item, index) => {
    const result = results[index];
    return result?.isNew ? [{ ...item, certificate: result.certificate }] : [];
  });
  if (added.length === 0) return results;
  // an import proves no right to the name
  const issued = added.filter(({ certificate }) => certificate.importedAt === null);
  await holdNames(
    tx,
    issued.map(({ fqdn }) => fqdn),
    now,
  );
  await recordAudits(
    tx,
    added.map(({ caller, auditOf, certificate }) => ({ caller, entry: auditOf(certificate) })),
    now,
  );
  await emit.certificateStored(tx, {
    changes: added.map(({ caller, fqdn, certificate, provider }) => ({
      caller,
      fqdn,
      certificate,
      provider,
    })),
  });
  return results;
}

/** Stores one certificate as storeCertificates does. */
export async function storeCertificate(
  tx: Tx,
  item: CertificateToStore,
  storing: Storing,
): Promise<StoreResult> {
  const [stored] = await storeCertificates(tx, [item], storing);
  if (stored === undefined) throw new Error('no row for the certificate');
  return stored;
}

/** Parts of the subject of a certificate that still exist. */
export interface LockedSubject {
  readonly fqdn: FqdnRow | undefined;
  readonly hasCsr: boolean;
}

/** Locks FQDNs, and their CSRs against deletion, since they may be deleted while a CA is at work; in their order. */
export async function lockSubjects(
  tx: Tx,
  subjects: readonly { readonly fqdnId: string; readonly csrId: string | undefined }[],
): Promise<LockedSubject[]> {
  const fqdns = await lockFqdns(
    tx,
    subjects.map(({ fqdnId }) => fqdnId),
  );
  const byId = new Map(fqdns.map((fqdn) => [fqdn.id, fqdn]));
  const ids = subjects.flatMap(({ csrId }) => csrId ?? []);
  const csrs = new Set<string | undefined>(ids.length === 0 ? [] : await lockCsrsForShare(tx, ids));
  return subjects.map(({ fqdnId, csrId }) => ({ fqdn: byId.get(fqdnId), hasCsr: csrs.has(csrId) }));
}

/** Certificate that a provider issued, with its subject. */
type Issued = Pick<CertificateRow, 'fqdnId' | 'csrId' | 'providerId'> & {
  readonly ofClient?: CertificateOfClient | undefined;
  readonly issued: IssuedCertificate;
  readonly now: Date;
};

/** Columns of a certificate for an order of an ACME client. */
export type CertificateOfClient = Pick<CertificateRow, 'acmeClientId' | 'acmeAccountId' | 'lineage'>;

/** Columns of a certificate that no ACME client ordered. */
export const ofNoClient = { acmeClientId: null, acmeAccountId: null, lineage: null } as const;

/** The certificate that a provider issued, as it is stored. */
export function newCertificateOf({ issued, now, ofClient = ofNoClient, ...origin }: Issued): NewCertificate {
  return {
    id: newRowId(now),
    ...origin,
    ...ofClient,
    upstreamId: issued.upstreamId,
    pem: issued.certificatePem,
    ...(issued.facts ?? describeLeaf(issued.certificatePem)),
    createdAt: now,
    refreshedAt: null,
    importedAt: null,
    source: null,
  };
}

/** Returns the facts of a new certificate for the audit log. */
export function certificateFacts(
  { id: certificateId, serialNumber: serial, spkiSha256 }: CertificateRow,
  { id: providerId, name: provider }: Pick<ProviderRow, 'id' | 'name'>,
) {
  return { certificateId, serial, spkiSha256, provider, providerId };
}

import { findRow, findRows, placeholders, querySql, type Tx } from '@certloop/db';
import { IsNull } from 'typeorm';
import { type CertificateRow, certificates } from './certificates.repository.js';
import { isNewest } from './in-use.js';

/** The certificate of an FQDN that was stored last, revoked or not. */
export async function findNewestCertificate(tx: Tx, fqdnId: string): Promise<CertificateRow | undefined> {
  const text = `select * from certificates where fqdn_id = $1 and ${isNewest}`;
  const [row] = await querySql<CertificateRow>(tx, certificates.columns, text, [fqdnId]);
  return row;
}

/** The certificate that was stored last of each of the FQDNs that has one; at least one FQDN is asked for. */
export function listNewestCertificates(tx: Tx, fqdnIds: readonly string[]): Promise<CertificateRow[]> {
  return querySql<CertificateRow>(tx, certificates.columns, newestOf(fqdnIds, 'r.*'), fqdnIds);
}

/** Id of the certificate that was stored last, of each of the FQDNs that has one; at least one is asked for. */
export function listNewestCertificateIds(
  tx: Tx,
  fqdnIds: readonly string[],
): Promise<Pick<CertificateRow, 'id' | 'fqdnId'>[]> {
  return querySql<CertificateRow>(tx, certificates.columns, newestOf(fqdnIds, 'r.id, r.fqdn_id'), fqdnIds);
}

/** Returns what changes with the newest certificate of each of the FQDNs that has one; at least one is asked for. */
export function listNewestVersions(
  tx: Tx,
  fqdnIds: readonly string[],
): Promise<Pick<CertificateRow, 'id' | 'fqdnId' | 'expiresAt' | 'leafExpiresAt'>[]> {
  const read = 'r.id, r.fqdn_id, r.expires_at, r.leaf_expires_at';
  return querySql<CertificateRow>(tx, certificates.columns, newestOf(fqdnIds, read), fqdnIds);
}

function newestOf(fqdnIds: readonly string[], read: string): string {
  return `select ${read} from certificates r where r.fqdn_id in (${placeholders(fqdnIds.length)}) and r.${isNewest}`;
}

const newestFirst = { by: ['position'], direction: 'desc' } as const;

/** The last certificates of an FQDN, at most `limit`, the newest at the end. */
export async function listLastCertificates(tx: Tx, fqdnId: string, limit: number): Promise<CertificateRow[]> {
  return (await findRows(tx, certificates, { fqdnId }, { order: newestFirst, limit })).reverse();
}

/** The certificate of an FQDN that its provider issued last, for the lineage or, where that is null, for no ACME client. */
export async function findLastOfProvider(
  tx: Tx,
  {
    fqdnId,
    providerId,
    lineage,
  }: { readonly providerId: string } & Pick<CertificateRow, 'fqdnId' | 'lineage'>,
): Promise<CertificateRow | undefined> {
  if (lineage !== null) return findRow(tx, certificates, { lineage, providerId }, newestFirst);
  const text = `select * from certificates where fqdn_id = $1 and provider_id = $2 and lineage is null
    order by position desc limit 1`;
  return (await querySql<CertificateRow>(tx, certificates.columns, text, [fqdnId, providerId]))[0];
}

/** The certificate of a lineage that was stored last, revoked or not. */
export function findNewestOfLineage(tx: Tx, lineage: string): Promise<CertificateRow | undefined> {
  return findRow(tx, certificates, { lineage }, newestFirst);
}

/** Whether CertLoop has obtained a certificate for the FQDN, be it replaced or not; imports do not count. */
export async function hasObtainedCertificate(tx: Tx, fqdnId: string): Promise<boolean> {
  return tx.existsBy(certificates, { fqdnId, importedAt: IsNull() });
}

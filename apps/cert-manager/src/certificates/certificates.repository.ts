import { NotFound, type RevocationReasonName } from '@certloop/contracts';
import {
  column,
  defineTable,
  findRow,
  findRows,
  type ListPage,
  placeholders,
  querySql,
  type Tx,
  updateRows,
} from '@certloop/db';
import { readStoredPage, type StoredWindow } from '../fqdns/stored-order.repository.js';
import { findProviderUsers, type ProviderUsers } from '../providers/provider-users.repository.js';
import { inUse, isNewest } from './in-use.js';

/** A certificate as it is stored. */
export interface CertificateRow {
  readonly id: string;
  readonly fqdnId: string;
  /** The CSR that it was issued for; null once that is deleted. */
  readonly csrId: string | null;
  /** Who issued it; null when it did not come from a provider. */
  readonly providerId: string | null;
  /** What the provider calls it. */
  readonly upstreamId: string | null;
  /** Leaf, followed by its intermediates. */
  readonly pem: string;
  readonly issuer: string;
  /** Hex without a sign octet. */
  readonly serialNumber: string;
  /** SHA-256 over the SubjectPublicKeyInfo, hex. */
  readonly spkiSha256: string;
  /** SHA-256 over the leaf, hex; null for one that an earlier version stored. */
  readonly leafSha256: string | null;
  readonly notBefore: Date;
  readonly expiresAt: Date;
  readonly createdAt: Date;
  /** Its number among the certificates of the FQDN, in the order of their storing; clocks have no say in it. */
  readonly position: number | null;
  /** When the provider was last asked for it. */
  readonly refreshedAt: Date | null;
  /** When a newer one of the same FQDN was stored; null for the newest. */
  readonly replacedAt: Date | null;
  /** When and why its CA revoked it; null while it has not. */
  readonly revokedAt: Date | null;
  readonly revocationReason: RevocationReasonName | null;
  /** When it was imported; null for one that a provider issued. */
  readonly importedAt: Date | null;
}

export const certificates = defineTable<CertificateRow>('certificates', {
  columns: {
    id: column.uuid().primary(),
    fqdnId: column.uuid(),
    csrId: column.uuid().nullable(),
    providerId: column.uuid().nullable(),
    upstreamId: column.text().nullable(),
    pem: column.text(),
    issuer: column.text(),
    serialNumber: column.text(),
    spkiSha256: column.word(64),
    notBefore: column.instant(),
    expiresAt: column.instant(),
    createdAt: column.instant(),
    // SQLite adds no column that refuses null
    position: column.integer().nullable(),
    refreshedAt: column.instant().nullable(),
    replacedAt: column.instant().nullable(),
    revokedAt: column.instant().nullable(),
    revocationReason: column.word<RevocationReasonName>(32).nullable(),
    importedAt: column.instant().nullable(),
    leafSha256: column.word(64).nullable(),
  },
  indexes: [
    { columns: ['fqdnId', 'position'], unique: true },
    // an FQDN has one newest; the name is from when that was the one in use
    { name: 'uq_certificates_in_use', columns: ['fqdnId'], unique: true, where: isNewest },
    // the same certificate is stored once; what an earlier version stored is found by its serial number
    { columns: ['fqdnId', 'serialNumber', 'leafSha256'], unique: true },
    { columns: ['csrId'] },
    { columns: ['providerId', 'upstreamId'] },
    // what people look for by a serial number or a fingerprint that they have
    { columns: ['serialNumber', 'createdAt', 'id'] },
    { columns: ['leafSha256'] },
    { columns: ['spkiSha256'] },
    // what is in use, by when it expires
    {
      name: 'ix_certificates_in_use',
      columns: ['expiresAt', 'fqdnId'],
      where: inUse,
    },
    // whose keys must not be certified again
    {
      name: 'ix_certificates_compromised',
      columns: ['spkiSha256'],
      where: "revocation_reason = 'keyCompromise'",
    },
  ],
  references: [
    { columns: ['fqdnId'], table: 'fqdns', onDelete: 'CASCADE' },
    { columns: ['csrId'], table: 'csrs', onDelete: 'SET NULL' },
    { columns: ['providerId'], table: 'providers', onDelete: 'SET NULL' },
  ],
});

export async function findCertificate(tx: Tx, id: string): Promise<CertificateRow | undefined> {
  return findRow(tx, certificates, { id });
}

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

function newestOf(fqdnIds: readonly string[], read: string): string {
  return `select ${read} from certificates r where r.fqdn_id in (${placeholders(fqdnIds.length)}) and r.${isNewest}`;
}

/** The certificates of an FQDN with the serial number, hex; of several issuers there may be several. */
export function listCertificatesBySerial(
  tx: Tx,
  fqdnId: string,
  serialNumber: string,
): Promise<CertificateRow[]> {
  return findRows(tx, certificates, { fqdnId, serialNumber });
}

/** Certificates in use that a provider issued and that have not expired. */
export function findCertificatesOfProvider(tx: Tx, providerId: string, now: Date): Promise<ProviderUsers> {
  const condition = `provider_id = $1 and expires_at > $2 and ${inUse}`;
  return findProviderUsers(tx, { table: 'certificates', fqdnId: 'fqdn_id', condition }, [providerId, now]);
}

/** Throws NotFound when the FQDN has no such certificate. */
export async function getCertificate(tx: Tx, fqdnId: string, id: string): Promise<CertificateRow> {
  const row = await findRow(tx, certificates, { id, fqdnId });
  if (row === undefined) throw certificateNotFound();
  return row;
}

/** The refusal for a certificate that the FQDN does not have. */
export function certificateNotFound(): NotFound {
  return new NotFound('certificate not found', {
    code: 'certificate_not_found',
    title: 'Certificate not found',
  });
}

/** Replaces what a provider says of a certificate; returns how many rows there were, 0 or 1. */
export function updateCertificate(tx: Tx, id: string, change: Partial<CertificateRow>): Promise<number> {
  return updateRows(tx, certificates, { id }, change);
}

/** How many certificates in use have run out at `now`, and how many will until `horizon`. */
export async function countExpiring(
  tx: Tx,
  now: Date,
  horizon: Date,
): Promise<{ readonly expired: number; readonly expiring: number }> {
  const count = async (condition: string, values: readonly Date[]) => {
    const text = `select count(*) as count from certificates where ${inUse} and ${condition}`;
    const [counted] = await querySql(tx, { count: column.bigint() }, text, values);
    return counted?.count ?? 0;
  };
  return {
    expired: await count('expires_at < $1', [now]),
    expiring: await count('expires_at between $1 and $2', [now, horizon]),
  };
}

const newestFirst = { by: ['position'], direction: 'desc' } as const;

/** The last certificates of an FQDN, at most `limit`, the newest at the end. */
export async function listLastCertificates(tx: Tx, fqdnId: string, limit: number): Promise<CertificateRow[]> {
  return (await findRows(tx, certificates, { fqdnId }, { order: newestFirst, limit })).reverse();
}

/** The certificate of an FQDN that its provider issued last. */
export function findLastOfProvider(
  tx: Tx,
  fqdnId: string,
  providerId: string,
): Promise<CertificateRow | undefined> {
  return findRow(tx, certificates, { fqdnId, providerId }, newestFirst);
}

/** Ids of the certificates of the same FQDN that were stored just before and just after this one. */
export async function findNeighbors(
  tx: Tx,
  { fqdnId, position }: Pick<CertificateRow, 'fqdnId' | 'position'>,
): Promise<{ readonly before?: string; readonly after?: string }> {
  const find = async (comparison: string) => {
    const text = `select id from certificates where fqdn_id = $1 and position ${comparison} limit 1`;
    const [row] = await querySql(tx, { id: certificates.columns.id }, text, [fqdnId, position]);
    return row?.id;
  };
  const before = await find('< $2 order by position desc');
  const after = await find('> $2 order by position');
  return { ...(before !== undefined && { before }), ...(after !== undefined && { after }) };
}

/** Certificates of an FQDN, in the order of their storing. */
export function readCertificatePage(
  tx: Tx,
  fqdnId: string,
  window: StoredWindow,
): Promise<ListPage<CertificateRow>> {
  return readStoredPage(tx, certificates, fqdnId, window);
}

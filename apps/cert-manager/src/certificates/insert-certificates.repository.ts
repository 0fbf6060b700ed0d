import { executeSql, findRows, insertMany, placeholders, querySql, type Tx, updateRows } from '@certloop/db';
import { describeLeaf } from '../judging/issued-certificate.js';
import { type CertificateRow, certificates } from './certificates.repository.js';
import { isNewest } from './in-use.js';

/** A certificate before it has its place among those of its FQDN. */
export type NewCertificate = Omit<
  CertificateRow,
  'position' | 'replacedAt' | 'revokedAt' | 'revocationReason'
>;

/** A certificate as its FQDN has it. */
export interface StoreResult {
  readonly certificate: CertificateRow;
  /** False where the FQDN had it already, in whatever way it came there: nothing was changed then. */
  readonly isNew: boolean;
}

/**
 * Stores certificates of one moment, each in the place of the newest of its FQDN, if any, whatever the
 * moments of that. One that its FQDN has already is not stored again: the row that exists is returned. The FQDNs are
 * locked, so that of two transactions that store the same certificate the second one finds it.
 * This is the only way into the table. Returns what is stored in the order of the certificates.
 */
export async function insertCertificates(
  tx: Tx,
  all: readonly NewCertificate[],
  now: Date,
): Promise<StoreResult[]> {
  const same = await findSame(tx, all);
  const rows = await insertNewest(
    tx,
    all.filter((_, index) => same[index] === undefined),
    now,
  );
  const inserted = new Map(rows.map((row) => [row.id, row]));
  return all.flatMap(({ id }, index) => {
    const certificate = same[index] ?? inserted.get(id);
    return certificate === undefined ? [] : [{ certificate, isNew: same[index] === undefined }];
  });
}

/** The rows of FQDNs that are the given certificates, in their order; undefined where the FQDN has it not. */
async function findSame(tx: Tx, all: readonly Identity[]): Promise<(CertificateRow | undefined)[]> {
  const fqdnId = all.map((one) => one.fqdnId);
  const serialNumber = all.map((one) => one.serialNumber);
  const rows = await findRows(tx, certificates, { fqdnId, serialNumber });
  return all.map((one) => rows.find((row) => row.fqdnId === one.fqdnId && isSame(row, one)));
}

/** By what an FQDN has a certificate once. CAs that number from 1 may give a serial number twice. */
type Identity = Pick<CertificateRow, 'fqdnId' | 'serialNumber' | 'leafSha256'>;

function isSame(row: CertificateRow, { serialNumber, leafSha256 }: Identity): boolean {
  if (row.serialNumber !== serialNumber) return false;
  return (row.leafSha256 ?? describeLeaf(row.pem).leafSha256) === leafSha256;
}

/** Whether the FQDN, which is locked, has the certificate in another row than that of the id. */
export async function hasOther(tx: Tx, id: string, identity: Identity): Promise<boolean> {
  const [row] = await findSame(tx, [identity]);
  return row !== undefined && row.id !== id;
}

async function insertNewest(tx: Tx, news: readonly NewCertificate[], now: Date): Promise<CertificateRow[]> {
  if (news.length === 0) return [];
  const fqdnIds = news.map(({ fqdnId }) => fqdnId);
  const text = `update certificates set replaced_at = $1
    where fqdn_id in (${placeholders(fqdnIds.length, 2)}) and ${isNewest}
    returning fqdn_id, ${lastPosition} as position`;
  const replaced = await querySql(tx, positionColumns, text, [now, ...fqdnIds]);
  const found = new Set(replaced.map((row) => row.fqdnId));
  // hardly ever has an FQDN certificates, but no newest one
  const others = await listLastPositions(
    tx,
    fqdnIds.filter((id) => !found.has(id)),
  );
  const last = new Map([...replaced, ...others].map((row) => [row.fqdnId, row.position ?? 0]));
  const rows = news.map((certificate) => ({
    ...certificate,
    position: (last.get(certificate.fqdnId) ?? 0) + 1,
    replacedAt: null,
    revokedAt: null,
    revocationReason: null,
  }));
  await insertMany(tx, certificates, rows);
  return rows;
}

/** Makes a certificate that another one has replaced the newest of its FQDN again, which is locked. */
export async function restoreAsNewest(tx: Tx, row: CertificateRow, now: Date): Promise<CertificateRow> {
  const [last] = await listLastPositions(tx, [row.fqdnId]);
  const restored = { position: (last?.position ?? 0) + 1, replacedAt: null };
  const newest = `update certificates set replaced_at = $1 where fqdn_id = $2 and ${isNewest}`;
  await executeSql(tx, newest, [now, row.fqdnId]);
  await updateRows(tx, certificates, { id: row.id }, restored);
  return { ...row, ...restored };
}

const lastPosition = '(select max(l.position) from certificates l where l.fqdn_id = certificates.fqdn_id)';
const { fqdnId, position } = certificates.columns;
const positionColumns = { fqdnId, position };

/** The last position of each of the FQDNs that has certificates. */
async function listLastPositions(tx: Tx, fqdnIds: readonly string[]) {
  if (fqdnIds.length === 0) return [];
  const text = `select fqdn_id, max(position) as position from certificates
    where fqdn_id in (${placeholders(fqdnIds.length)}) group by fqdn_id`;
  return querySql(tx, positionColumns, text, fqdnIds);
}

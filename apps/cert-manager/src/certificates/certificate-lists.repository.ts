import { column, findRows, type ListPage, querySql, type Tx } from '@certloop/db';
import { readStoredPage, type StoredWindow } from '../fqdns/stored-order.repository.js';
import { findProviderUsers, type ProviderUsers } from '../providers/provider-users.repository.js';
import { type CertificateRow, certificates } from './certificates.repository.js';
import { inUse } from './in-use.js';

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

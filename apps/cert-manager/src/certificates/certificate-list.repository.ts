import { findRow, findRows, type Tx } from '@certloop/db';
import type { ListPage, ListWindow } from '../access/list-page.js';
import { readStoredPage } from '../fqdns/stored-order.repository.js';
import { type CertificateRow, certificates } from './certificates.repository.js';

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

/** Certificates of an FQDN, in the order of their storing. */
export function readCertificatePage(
  tx: Tx,
  fqdnId: string,
  window: ListWindow,
): Promise<ListPage<CertificateRow>> {
  return readStoredPage(tx, certificates, fqdnId, window);
}

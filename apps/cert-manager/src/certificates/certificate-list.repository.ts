import type { Tx } from '@certloop/db';
import type { ListPage, ListWindow } from '../access/list-page.js';
import { readListPage } from '../access/list-page.repository.js';
import { type CertificateRow, certificates } from './certificates.repository.js';

/** Certificates of an FQDN, oldest first. */
export function readCertificatePage(
  tx: Tx,
  fqdnId: string,
  window: ListWindow,
): Promise<ListPage<CertificateRow>> {
  return readListPage(tx, { table: certificates, by: 'createdAt', where: { fqdn_id: [fqdnId] } }, window);
}

import type { Tx } from '@certloop/db';
import type { ListPage, ListWindow } from '../access/list-page.js';
import { readListPage } from '../access/list-page.repository.js';
import { type CsrRow, csrs } from './csrs.repository.js';

/** CSRs of an FQDN, oldest first. */
export function readCsrPage(tx: Tx, fqdnId: string, window: ListWindow): Promise<ListPage<CsrRow>> {
  return readListPage(tx, { table: csrs, by: 'createdAt', where: { fqdn_id: [fqdnId] } }, window);
}

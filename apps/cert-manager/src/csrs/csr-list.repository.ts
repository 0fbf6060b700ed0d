import type { Tx } from '@certloop/db';
import type { ListPage, ListWindow } from '../access/list-page.js';
import { readStoredPage } from '../fqdns/stored-order.repository.js';
import { type CsrRow, csrs } from './csrs.repository.js';

/** CSRs of an FQDN, in the order of their storing. */
export function readCsrPage(tx: Tx, fqdnId: string, window: ListWindow): Promise<ListPage<CsrRow>> {
  return readStoredPage(tx, csrs, fqdnId, window);
}

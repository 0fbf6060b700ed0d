import type { Tx } from '@certloop/db';
import type { ListPage, ListWindow } from '../access/list-page.js';
import { readListPage } from '../access/list-page.repository.js';
import { type FqdnRow, fqdns } from './fqdns.repository.js';

/** FQDNs of a space, oldest first. */
export function readFqdnPage(tx: Tx, spaceId: string, window: ListWindow): Promise<ListPage<FqdnRow>> {
  return readListPage(tx, { table: fqdns, by: 'createdAt', where: { space_id: [spaceId] } }, window);
}

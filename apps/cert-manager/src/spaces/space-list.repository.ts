import type { Tx } from '@certloop/db';
import type { ListPage, ListWindow } from '../access/list-page.js';
import { readListPage } from '../access/list-page.repository.js';
import { type SpaceRow, type SpaceScope, spaces } from './spaces.repository.js';

/** Those of the spaces that exist, oldest first. */
export function readSpacePage(tx: Tx, scope: SpaceScope, window: ListWindow): Promise<ListPage<SpaceRow>> {
  const where = scope === 'all' ? {} : { id: scope };
  return readListPage(tx, { table: spaces, by: 'createdAt', where }, window);
}

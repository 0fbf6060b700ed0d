import type { Tx } from '@certloop/db';
import type { ListPage, ListWindow } from '../access/list-page.js';
import { readListPage } from '../access/list-page.repository.js';
import { type ProviderRow, providers } from './providers.repository.js';

/** Providers, oldest first; there are so few that no index sorts them. */
export function readProviderPage(tx: Tx, window: ListWindow): Promise<ListPage<ProviderRow>> {
  return readListPage(tx, { table: providers, by: 'createdAt' }, window);
}

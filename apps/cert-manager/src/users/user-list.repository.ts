import type { Tx } from '@certloop/db';
import type { ListPage, ListWindow } from '../access/list-page.js';
import { readListPage } from '../access/list-page.repository.js';
import type { UserRow } from './user.js';
import { users } from './users.repository.js';

/** Every user, oldest first. */
export function readUserPage(tx: Tx, window: ListWindow): Promise<ListPage<UserRow>> {
  return readListPage(tx, { table: users, by: 'createdAt' }, window);
}

import { longestPage } from '@certloop/contracts';
import type { Database, Tx } from '@certloop/db';
import { isWhole, type ListPage, type ListWindow } from './list-page.js';

/**
 * What `read` makes of a list. A whole list that is longer than a page is read where no other request waits for it; whether
 * it is that long turns out by its first page.
 */
export async function readList<Row>(
  db: Database,
  window: ListWindow,
  read: (tx: Tx, window: ListWindow) => Promise<ListPage<Row>>,
): Promise<ListPage<Row>> {
  if (!isWhole(window)) return db.read((tx) => read(tx, window));
  const first = await db.read((tx) => read(tx, { limit: longestPage }));
  return first.next === undefined ? first : db.longRead((tx) => read(tx, window));
}

import type { SharedNames } from '@certloop/contracts';
import type { Database } from '@certloop/db';
import type { Caller } from '../access/caller.js';
import { requireAdmin } from '../access/permissions.js';
import { listSharedRows } from './shared-names.repository.js';

const maxRows = 1000;

/** Names that several spaces were issued certificates for, with the one that holds each. Throws Forbidden. */
export async function listSharedNames(
  { db }: { readonly db: Database },
  caller: Caller,
): Promise<SharedNames> {
  requireAdmin(caller);
  const rows = await db.longRead((tx) => listSharedRows(tx, maxRows + 1));
  const items = new Map<string, SharedNames['items'][number]>();
  for (const row of rows.slice(0, maxRows)) {
    const { name, since, holderSpaceId: spaceId, holderSpace: spaceName, holderFqdnId: fqdnId } = row;
    const holder = { spaceId, spaceName, fqdnId, since: since.toISOString() };
    const item = items.get(name) ?? { name, holder, others: [] };
    item.others.push({ spaceId: row.spaceId, spaceName: row.space, fqdnId: row.fqdnId });
    items.set(name, item);
  }
  return { items: [...items.values()], hasMore: rows.length > maxRows };
}

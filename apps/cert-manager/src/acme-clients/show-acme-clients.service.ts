import type { ClientUse } from '@certloop/contracts';
import { type Database, type ListPage, type ListWindow, mapPage, readList, type Tx } from '@certloop/db';
import type { Caller } from '../access/caller.js';
import { requireLevel } from '../access/permissions.js';
import type { AcmeClientRow } from './acme-client.js';
import type { ShownClient } from './acme-client-view.js';
import { findClientOfSpace, readClientPage } from './acme-clients.repository.js';
import type { ClientPlace } from './acme-clients.service.js';

export interface ShowClientDeps {
  readonly db: Database;
  /** Returns who uses the clients, by their ids, with at most so many accounts and FQDNs of each. */
  readonly readUse: (
    tx: Tx,
    clientIds: readonly string[],
    maxShown: number,
  ) => Promise<ReadonlyMap<string, ClientUse>>;
}

const maxInList = 10;
const maxOfOne = 100;

/** The ACME clients of a space, oldest first. Throws NotFound. */
export async function listAcmeClients(
  { db, readUse }: ShowClientDeps,
  caller: Caller,
  { spaceId, window }: { readonly spaceId: string; readonly window: ListWindow },
): Promise<ListPage<ShownClient>> {
  requireLevel(caller, spaceId, 'READ');
  const page = await readList(db, window, (tx, part) => readClientPage(tx, spaceId, part));
  const ids = page.rows.map(({ id }) => id);
  // they may have very many accounts
  const uses = await db.longRead((tx) => readUse(tx, ids, maxInList));
  return mapPage(page, (row) => ({ row, use: uses.get(row.id) }));
}

/** Throws NotFound. */
export async function showAcmeClient(
  { db, readUse }: ShowClientDeps,
  caller: Caller,
  { spaceId, id }: ClientPlace,
): Promise<ShownClient> {
  requireLevel(caller, spaceId, 'READ');
  return db.longRead(async (tx) => {
    const row: AcmeClientRow = await findClientOfSpace(tx, spaceId, id);
    return { row, use: (await readUse(tx, [id], maxOfOne)).get(id) };
  });
}

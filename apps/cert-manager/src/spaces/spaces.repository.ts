import {
  column,
  defineTable,
  hasRow,
  type ListPage,
  type ListWindow,
  lockForShare,
  lockForUpdate,
  type RowOf,
  readListPage,
  type Tx,
  updateRows,
} from '@certloop/db';
import { In } from 'typeorm';

/** Spaces to look at, by their ids. */
export type SpaceScope = 'all' | readonly string[];

export const spaces = defineTable('spaces', {
  columns: {
    id: column.uuid().primary(),
    name: column.text(),
    description: column.text(),
    createdAt: column.instant(),
    /** Since when the monitor does not watch its FQDNs; null while it does. */
    unwatchedSince: column.instant().nullable(),
    /** Mark of the request that made it, where that had an Idempotency-Key. */
    requestKey: column.word(64).nullable(),
    requestHash: column.word(64).nullable(),
  },
  indexes: [{ columns: ['createdAt', 'id'] }, { columns: ['requestKey'], unique: true }],
});

export type SpaceRow = RowOf<typeof spaces>;

const oldestFirst = { createdAt: 'ASC', id: 'ASC' } as const;

export async function insertSpace(tx: Tx, row: SpaceRow): Promise<void> {
  await tx.insert(spaces, row);
}

export async function findSpace(tx: Tx, id: string): Promise<SpaceRow | undefined> {
  return (await tx.findOneBy(spaces, { id })) ?? undefined;
}

/** The space that a request of this mark made. */
export async function findSpaceByRequest(tx: Tx, requestKey: string): Promise<SpaceRow | undefined> {
  return (await tx.findOneBy(spaces, { requestKey })) ?? undefined;
}

export async function updateSpaceRow(
  tx: Tx,
  id: string,
  change: Partial<Pick<SpaceRow, 'name' | 'description' | 'unwatchedSince'>>,
): Promise<void> {
  await updateRows<SpaceRow>(tx, spaces, { id }, change);
}

export async function spaceExists(tx: Tx, id: string): Promise<boolean> {
  return hasRow(tx, spaces, { id });
}

/**
 * The space, locked until the transaction ends: a transaction that adds something to it waits, and then finds
 * it was left.
 */
export async function lockSpace(tx: Tx, id: string): Promise<SpaceRow | undefined> {
  return (await lockForUpdate(tx, spaces, { id }))[0];
}

/** Returns the ids that name a space; none of these is deleted before the transaction ends. */
export async function lockSpacesForShare(tx: Tx, ids: readonly string[]): Promise<string[]> {
  return (await lockForShare(tx, spaces, { id: In([...ids]) })).map(({ id }) => id);
}

/** Returns the spaces of the scope that exist, oldest first. */
export async function listSpaceRows(tx: Tx, scope: SpaceScope): Promise<SpaceRow[]> {
  return tx.find(spaces, { ...(scope !== 'all' && { where: { id: In([...scope]) } }), order: oldestFirst });
}

/** How many of the spaces there are. */
export async function countSpaceRows(tx: Tx, scope: SpaceScope): Promise<number> {
  return scope === 'all' ? tx.count(spaces) : tx.countBy(spaces, { id: In([...scope]) });
}

/** Deletes the space with all that is in it. */
export async function deleteSpaceRow(tx: Tx, id: string): Promise<void> {
  await tx.delete(spaces, { id });
}

/** Returns the spaces of the scope that exist, oldest first. */
export function readSpacePage(tx: Tx, scope: SpaceScope, window: ListWindow): Promise<ListPage<SpaceRow>> {
  const where = scope === 'all' ? {} : { id: scope };
  return readListPage(tx, { table: spaces, by: 'createdAt', where }, window);
}

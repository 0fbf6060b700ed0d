import { column, defineTable, deleteRows, insertOrUpdate, type RowOf, type Tx } from '@certloop/db';
import { In } from 'typeorm';

export const userAvatars = defineTable('user_avatars', {
  columns: {
    userId: column.uuid().primary(),
    /** Encoded again by this service, never as it was uploaded. */
    png: column.bytes(),
    updatedAt: column.instant(),
  },
  references: [{ columns: ['userId'], table: 'users', onDelete: 'CASCADE' }],
});

export type UserAvatarRow = RowOf<typeof userAvatars>;

/** Stores the picture as that of its user, replacing a previous one. */
export function storeAvatar(tx: Tx, row: UserAvatarRow): Promise<void> {
  return insertOrUpdate(tx, userAvatars, row);
}

/** Deletes the picture of the user; returns whether there was one. */
export async function deleteAvatarRow(tx: Tx, userId: string): Promise<boolean> {
  return (await deleteRows(tx, userAvatars, { userId })) === 1;
}

/** Returns the users, of these or of all, who have a picture. */
export async function listAvatarOwners(
  tx: Tx,
  userIds: 'all' | readonly string[],
): Promise<ReadonlySet<string>> {
  const where = userIds === 'all' ? {} : { userId: In([...userIds]) };
  const rows = await tx.find(userAvatars, { where, select: { userId: true } });
  return new Set(rows.map(({ userId }) => userId));
}

export async function findAvatar(tx: Tx, userId: string): Promise<Uint8Array | undefined> {
  return (await tx.findOneBy(userAvatars, { userId }))?.png;
}

import { column, defineTable, deleteRows, insertIfAbsent, insertMany, type Tx } from '@certloop/db';
import { In } from 'typeorm';
import { byGroup } from './permission-group.js';

export const permissionGroupMembers = defineTable('permission_group_members', {
  columns: { groupId: column.uuid().primary(), userId: column.uuid().primary() },
  indexes: [{ columns: ['userId'] }],
  references: [
    { columns: ['groupId'], table: 'permission_groups', onDelete: 'CASCADE' },
    { columns: ['userId'], table: 'users', onDelete: 'CASCADE' },
  ],
});

/** Members of each of at most 1000 groups, or of every group; a group without members is absent. */
export async function listMembersOfEach(
  tx: Tx,
  groupIds: 'all' | readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const where = groupIds === 'all' ? {} : { groupId: In([...groupIds]) };
  const rows = await tx.find(permissionGroupMembers, { where, order: { userId: 'ASC' } });
  return byGroup(rows, ({ userId }) => userId);
}

/** Ids of the members of the group. */
export async function listMembers(tx: Tx, groupId: string): Promise<string[]> {
  const rows = await tx.find(permissionGroupMembers, { where: { groupId }, order: { userId: 'ASC' } });
  return rows.map(({ userId }) => userId);
}

/** Ids of the groups that the user belongs to. */
export async function listMemberships(tx: Tx, userId: string): Promise<string[]> {
  const rows = await tx.find(permissionGroupMembers, { where: { userId }, order: { groupId: 'ASC' } });
  return rows.map(({ groupId }) => groupId);
}

/** Ids of the groups of each of these users, at most 1000, or of every user; a user without groups is absent. */
export async function listMembershipsOfEach(
  tx: Tx,
  userIds: 'all' | readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const where = userIds === 'all' ? {} : { userId: In([...userIds]) };
  const rows = await tx.find(permissionGroupMembers, { where, order: { groupId: 'ASC' } });
  const held = new Map<string, string[]>();
  for (const { userId, groupId } of rows) held.set(userId, [...(held.get(userId) ?? []), groupId]);
  return held;
}

export async function insertMembers(tx: Tx, groupId: string, userIds: readonly string[]): Promise<void> {
  await insertMany(
    tx,
    permissionGroupMembers,
    userIds.map((userId) => ({ groupId, userId })),
  );
}

/** Makes the user a member; false if they already are. */
export function insertMember(tx: Tx, groupId: string, userId: string): Promise<boolean> {
  return insertIfAbsent(tx, permissionGroupMembers, { groupId, userId });
}

/** Removes the user from the group; false if they were not a member. */
export async function deleteMember(tx: Tx, groupId: string, userId: string): Promise<boolean> {
  return (await deleteRows(tx, permissionGroupMembers, { groupId, userId })) === 1;
}

/** Makes these the members of the group, and no one else. */
export async function replaceMembers(tx: Tx, groupId: string, userIds: readonly string[]): Promise<void> {
  await deleteRows(tx, permissionGroupMembers, { groupId });
  await insertMembers(tx, groupId, userIds);
}

/** Makes these the groups of the user, and no others. */
export async function replaceMemberships(tx: Tx, userId: string, groupIds: readonly string[]): Promise<void> {
  await deleteRows(tx, permissionGroupMembers, { userId });
  await insertMany(
    tx,
    permissionGroupMembers,
    groupIds.map((groupId) => ({ groupId, userId })),
  );
}

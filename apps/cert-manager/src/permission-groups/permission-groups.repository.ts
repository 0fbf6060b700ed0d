import { column, defineTable, insertMany, type Tx } from '@certloop/db';
import { In } from 'typeorm';
import type { Level } from '../access/permissions.js';
import type { Grant } from '../access/rights.js';

export interface PermissionGroupRow {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly permission: Level;
  /** Every space, those made later included. A group without spaces reaches none unless this says so. */
  readonly allSpaces: boolean;
  readonly createdAt: Date;
}

export const permissionGroups = defineTable<PermissionGroupRow>('permission_groups', {
  columns: {
    id: column.uuid().primary(),
    name: column.text(),
    description: column.text(),
    permission: column.word<Level>(16),
    allSpaces: column.boolean(),
    createdAt: column.instant(),
  },
  indexes: [{ columns: ['createdAt', 'id'] }],
});

export interface PermissionGroupMemberRow {
  readonly groupId: string;
  readonly userId: string;
}

export const permissionGroupMembers = defineTable<PermissionGroupMemberRow>('permission_group_members', {
  columns: { groupId: column.uuid().primary(), userId: column.uuid().primary() },
  indexes: [{ columns: ['userId'] }],
  references: [
    { columns: ['groupId'], table: 'permission_groups', onDelete: 'CASCADE' },
    { columns: ['userId'], table: 'users', onDelete: 'CASCADE' },
  ],
});

export interface PermissionGroupSpaceRow {
  readonly groupId: string;
  readonly spaceId: string;
}

export const permissionGroupSpaces = defineTable<PermissionGroupSpaceRow>('permission_group_spaces', {
  columns: { groupId: column.uuid().primary(), spaceId: column.uuid().primary() },
  indexes: [{ columns: ['spaceId'] }],
  references: [{ columns: ['groupId'], table: 'permission_groups', onDelete: 'CASCADE' }],
});

/** A group with the spaces that it reaches. */
export interface PermissionGroup extends PermissionGroupRow {
  readonly spaceIds: readonly string[];
}

export async function insertPermissionGroup(
  tx: Tx,
  { spaceIds, ...row }: PermissionGroup,
  userIds: readonly string[],
): Promise<void> {
  await tx.insert(permissionGroups, row);
  await insertMany(
    tx,
    permissionGroupSpaces,
    spaceIds.map((spaceId) => ({ groupId: row.id, spaceId })),
  );
  await insertMany(
    tx,
    permissionGroupMembers,
    userIds.map((userId) => ({ groupId: row.id, userId })),
  );
}

/** Groups of the user with their spaces, oldest first. */
export async function listGroupsOf(tx: Tx, userId: string): Promise<PermissionGroup[]> {
  const memberships = await tx.findBy(permissionGroupMembers, { userId });
  if (memberships.length === 0) return [];
  const ids = memberships.map(({ groupId }) => groupId);
  const groups = await tx.find(permissionGroups, {
    where: { id: In(ids) },
    order: { createdAt: 'ASC', id: 'ASC' },
  });
  const spaceIds = new Map<string, string[]>(groups.map(({ id }) => [id, []]));
  for (const { groupId, spaceId } of await listReached(tx, ids)) spaceIds.get(groupId)?.push(spaceId);
  return groups.map((group) => ({ ...group, spaceIds: spaceIds.get(group.id) ?? [] }));
}

async function listReached(tx: Tx, groupIds: readonly string[]): Promise<PermissionGroupSpaceRow[]> {
  return tx.find(permissionGroupSpaces, { where: { groupId: In([...groupIds]) }, order: { spaceId: 'ASC' } });
}

/** What the user's groups give him. */
export async function listGrants(tx: Tx, userId: string): Promise<Grant[]> {
  return listGroupsOf(tx, userId);
}

/** Makes the groups forget the space; one that reached only this space reaches none then. */
export async function deleteSpaceFromGroups(tx: Tx, spaceId: string): Promise<void> {
  await tx.delete(permissionGroupSpaces, { spaceId });
}

import { NotFound } from '@certloop/contracts';
import {
  column,
  defineTable,
  deleteRows,
  insertMany,
  isWholeList,
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
import type { Level } from '../access/levels.js';
import { permissionGroupMembers } from './group-members.repository.js';
import { byGroup, type PermissionGroup, type PermissionGroupRow } from './permission-group.js';

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

export const permissionGroupSpaces = defineTable('permission_group_spaces', {
  columns: { groupId: column.uuid().primary(), spaceId: column.uuid().primary() },
  indexes: [{ columns: ['spaceId'] }],
  references: [{ columns: ['groupId'], table: 'permission_groups', onDelete: 'CASCADE' }],
});

export type PermissionGroupSpaceRow = RowOf<typeof permissionGroupSpaces>;

const oldestFirst = { createdAt: 'ASC', id: 'ASC' } as const;

export async function insertPermissionGroup(tx: Tx, group: PermissionGroup): Promise<void> {
  await insertMany(tx, permissionGroups, [rowOf(group)]);
  await insertReach(tx, group);
}

/** Groups with their spaces, oldest first. */
export async function readGroupPage(tx: Tx, window: ListWindow): Promise<ListPage<PermissionGroup>> {
  const page = await readListPage(tx, { table: permissionGroups, by: 'createdAt' }, window);
  const where = isWholeList(window) ? {} : { groupId: In(page.rows.map(({ id }) => id)) };
  const reached = await tx.find(permissionGroupSpaces, { where, order: { spaceId: 'ASC' } });
  return { ...page, rows: withSpaces(page.rows, reached) };
}

/** Groups of the user with their spaces, oldest first. */
export async function listGroupsOf(tx: Tx, userId: string): Promise<PermissionGroup[]> {
  const memberships = await tx.findBy(permissionGroupMembers, { userId });
  if (memberships.length === 0) return [];
  const ids = In(memberships.map(({ groupId }) => groupId));
  const groups = await tx.find(permissionGroups, { where: { id: ids }, order: oldestFirst });
  return withSpaces(
    groups,
    await tx.find(permissionGroupSpaces, { where: { groupId: ids }, order: { spaceId: 'ASC' } }),
  );
}

/** Throws NotFound. */
export async function getGroupRow(tx: Tx, id: string): Promise<PermissionGroup> {
  return peopled(tx, await tx.findBy(permissionGroups, { id }));
}

/** The group, which no one else may change until the transaction ends. Throws NotFound. */
export async function lockPermissionGroup(tx: Tx, id: string): Promise<PermissionGroup> {
  return peopled(tx, await lockForUpdate(tx, permissionGroups, { id }));
}

/** Returns the ids that name a group; none of these is deleted before the transaction ends. */
export async function lockPermissionGroupsForShare(tx: Tx, ids: readonly string[]): Promise<string[]> {
  return (await lockForShare(tx, permissionGroups, { id: In([...ids]) })).map(({ id }) => id);
}

export function groupNotFound(): NotFound {
  return new NotFound('permission group not found', {
    code: 'permission_group_not_found',
    title: 'Permission group not found',
  });
}

/** Makes the stored group and its spaces those of `group`. */
export async function updateGroupRow(tx: Tx, group: PermissionGroup): Promise<void> {
  await updateRows(tx, permissionGroups, { id: group.id }, rowOf(group));
  await deleteRows(tx, permissionGroupSpaces, { groupId: group.id });
  await insertReach(tx, group);
}

/** Deletes the group; who belonged to it has one less. */
export async function deleteGroupRow(tx: Tx, id: string): Promise<void> {
  await deleteRows(tx, permissionGroups, { id });
}

/** Removes a deleted space from all groups; a group that reached only this space reaches none then. */
export async function deleteSpaceFromGroups(
  tx: Tx,
  { scope }: { readonly scope: { readonly spaceId: string } },
): Promise<void> {
  await deleteRows(tx, permissionGroupSpaces, { spaceId: scope.spaceId });
}

async function peopled(tx: Tx, [group]: readonly PermissionGroupRow[]): Promise<PermissionGroup> {
  if (group === undefined) throw groupNotFound();
  const reached = await tx.find(permissionGroupSpaces, {
    where: { groupId: group.id },
    order: { spaceId: 'ASC' },
  });
  return { ...group, spaceIds: reached.map(({ spaceId }) => spaceId) };
}

function withSpaces(
  groups: readonly PermissionGroupRow[],
  reached: readonly PermissionGroupSpaceRow[],
): PermissionGroup[] {
  const spaceIds = byGroup(reached, ({ spaceId }) => spaceId);
  return groups.map((group) => ({ ...group, spaceIds: spaceIds.get(group.id) ?? [] }));
}

function rowOf({
  id,
  name,
  description,
  permission,
  allSpaces,
  createdAt,
}: PermissionGroup): PermissionGroupRow {
  return { id, name, description, permission, allSpaces, createdAt };
}

async function insertReach(tx: Tx, { id: groupId, spaceIds }: PermissionGroup): Promise<void> {
  await insertMany(
    tx,
    permissionGroupSpaces,
    spaceIds.map((spaceId) => ({ groupId, spaceId })),
  );
}

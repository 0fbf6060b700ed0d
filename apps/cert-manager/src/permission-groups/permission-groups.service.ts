import type { BodyOf, certManagerContract } from '@certloop/contracts';
import { isWholeList, type ListPage, type ListWindow, mapPage, newRowId, type Tx } from '@certloop/db';
import type { Caller } from '../access/caller.js';
import { requireAdmin } from '../access/permissions.js';
import { recordAudit } from '../audit/audit.service.js';
import type { DbDeps } from '../db-deps.js';
import { insertMembers, listMembers, listMembersOfEach, replaceMembers } from './group-members.repository.js';
import { changedReach, newReach } from './group-reach.js';
import { requireKnown } from './known-ids.js';
import type { PeopledGroup, PermissionGroup } from './permission-group.js';
import {
  deleteGroupRow,
  getGroupRow,
  insertPermissionGroup,
  lockPermissionGroup,
  readGroupPage,
  updateGroupRow,
} from './permission-groups.repository.js';

export interface PermissionGroupsDeps extends DbDeps {
  /** The ids of existing spaces, locked against deletion until the transaction ends. */
  readonly lockSpacesForShare: (tx: Tx, ids: readonly string[]) => Promise<string[]>;
  /** The ids of existing users, locked against deletion until the transaction ends. */
  readonly lockUsersForShare: (tx: Tx, ids: readonly string[]) => Promise<string[]>;
}

/** Settings of a group. */
export type GroupInput = BodyOf<typeof certManagerContract.updatePermissionGroup>;

/** Every group, oldest first. Throws Forbidden. */
export async function listPermissionGroups(
  { db }: PermissionGroupsDeps,
  caller: Caller,
  window: ListWindow,
): Promise<ListPage<PeopledGroup>> {
  requireAdmin(caller);
  return db.read(async (tx) => {
    const page = await readGroupPage(tx, window);
    const ids = isWholeList(window) ? 'all' : page.rows.map(({ id }) => id);
    const members = await listMembersOfEach(tx, ids);
    return mapPage(page, (group) => ({ ...group, userIds: members.get(group.id) ?? [] }));
  });
}

/** Throws Forbidden, NotFound. */
export async function getPermissionGroup(
  { db }: PermissionGroupsDeps,
  caller: Caller,
  id: string,
): Promise<PeopledGroup> {
  requireAdmin(caller);
  return db.read(async (tx) => {
    const group = await getGroupRow(tx, id);
    return { ...group, userIds: await listMembers(tx, id) };
  });
}

/**
 * Creates a group; FULL_ACCESS without spaces grants access to all of them. Throws Forbidden, and InvalidInput for
 * unknown spaces and users, or for contradictory settings.
 */
export async function createPermissionGroup(
  deps: PermissionGroupsDeps,
  caller: Caller,
  input: BodyOf<typeof certManagerContract.createPermissionGroup>,
): Promise<PeopledGroup> {
  requireAdmin(caller);
  const now = deps.clock.now();
  const { name, description = '' } = input;
  const group = { id: newRowId(now), name, description, ...newReach(input), createdAt: now };
  const userIds = [...new Set(input.userIds)].toSorted();
  await deps.db.transaction(async (tx) => {
    await requireNamed(deps, tx, input);
    await insertPermissionGroup(tx, group);
    await insertMembers(tx, group.id, userIds);
    const details = { after: { ...factsOf(group), userIds } };
    await recordAudit(tx, caller, { ...entryOf('group.create', group.id), details }, now);
  });
  return { ...group, userIds };
}

/**
 * Changes a group; absent settings stay unchanged. Throws Forbidden, NotFound, and InvalidInput as at creation.
 */
export async function updatePermissionGroup(
  deps: PermissionGroupsDeps,
  caller: Caller,
  id: string,
  input: GroupInput,
): Promise<PeopledGroup> {
  requireAdmin(caller);
  return deps.db.transaction(async (tx) => {
    const before = await lockPermissionGroup(tx, id);
    const { name = before.name, description = before.description } = input;
    const group = { ...before, name, description, ...changedReach(before, input) };
    await requireNamed(deps, tx, input);
    await updateGroupRow(tx, group);
    const members = await listMembers(tx, id);
    const userIds = input.userIds === undefined ? members : [...new Set(input.userIds)].toSorted();
    if (input.userIds !== undefined) await replaceMembers(tx, id, userIds);
    const details = {
      before: { ...factsOf(before), userIds: members },
      after: { ...factsOf(group), userIds },
    };
    await recordAudit(tx, caller, { ...entryOf('group.update', id), details }, deps.clock.now());
    return { ...group, userIds };
  });
}

/** Deletes a group; its members lose its permissions at once. Throws Forbidden, NotFound. */
export async function deletePermissionGroup(
  { db, clock }: PermissionGroupsDeps,
  caller: Caller,
  id: string,
): Promise<void> {
  requireAdmin(caller);
  await db.transaction(async (tx) => {
    const group = await lockPermissionGroup(tx, id);
    const details = { before: { ...factsOf(group), userIds: await listMembers(tx, id) } };
    await deleteGroupRow(tx, id);
    await recordAudit(tx, caller, { ...entryOf('group.delete', id), details }, clock.now());
  });
}

async function requireNamed(deps: PermissionGroupsDeps, tx: Tx, input: GroupInput): Promise<void> {
  const { spaceIds = [], userIds = [] } = input;
  requireKnown('spaceIds', spaceIds, 'space', await deps.lockSpacesForShare(tx, spaceIds));
  requireKnown('userIds', userIds, 'user', await deps.lockUsersForShare(tx, userIds));
}

function factsOf({ name, description, permission, allSpaces, spaceIds }: PermissionGroup) {
  return { name, description, permission, allSpaces, spaceIds };
}

function entryOf(action: 'group.create' | 'group.update' | 'group.delete', resourceId: string) {
  return { action, resourceType: 'permission-group', resourceId } as const;
}

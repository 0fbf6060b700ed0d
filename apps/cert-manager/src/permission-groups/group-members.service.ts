import { NotFound } from '@certloop/contracts';
import type { Tx } from '@certloop/db';
import type { Caller } from '../access/caller.js';
import { requireAdmin } from '../access/permissions.js';
import { recordAudit } from '../audit/audit.service.js';
import { deleteMember, insertMember, listMembers, replaceMembers } from './group-members.repository.js';
import { requireKnown } from './known-ids.js';
import {
  getGroupRow,
  groupNotFound,
  lockPermissionGroup,
  lockPermissionGroupsForShare,
} from './permission-groups.repository.js';
import type { PermissionGroupsDeps } from './permission-groups.service.js';

type GroupMembersDeps = Pick<PermissionGroupsDeps, 'db' | 'clock' | 'lockUsersForShare'>;

/** Ids of the users that belong to the group. Throws Forbidden, NotFound. */
export async function listGroupMembers(
  { db }: GroupMembersDeps,
  caller: Caller,
  id: string,
): Promise<string[]> {
  requireAdmin(caller);
  return db.read(async (tx) => {
    await getGroupRow(tx, id);
    return listMembers(tx, id);
  });
}

/**
 * Makes these users the members of the group and returns them; all others leave it. Throws Forbidden,
 * NotFound, and InvalidInput for users that do not exist.
 */
export async function setGroupMembers(
  { db, clock, lockUsersForShare }: GroupMembersDeps,
  caller: Caller,
  id: string,
  asked: readonly string[],
): Promise<string[]> {
  requireAdmin(caller);
  const userIds = [...new Set(asked)].toSorted();
  return db.transaction(async (tx) => {
    await lockPermissionGroup(tx, id);
    requireKnown('userIds', asked, 'user', await lockUsersForShare(tx, userIds));
    const before = await listMembers(tx, id);
    await replaceMembers(tx, id, userIds);
    const [wanted, known] = [new Set(userIds), new Set(before)];
    const details = {
      added: userIds.filter((user) => !known.has(user)),
      removed: before.filter((user) => !wanted.has(user)),
    };
    await recordAudit(tx, caller, { ...entryOf('group.member.set', id), details }, clock.now());
    return userIds;
  });
}

/** One user in one group. */
export interface Membership {
  readonly id: string;
  readonly userId: string;
}

/** Makes the user a member of the group if they are not yet. Throws Forbidden, NotFound. */
export async function addGroupMember(
  { db, clock, lockUsersForShare }: GroupMembersDeps,
  caller: Caller,
  { id, userId }: Membership,
): Promise<void> {
  requireAdmin(caller);
  await db.transaction(async (tx) => {
    await requireGroup(tx, id);
    if ((await lockUsersForShare(tx, [userId])).length === 0) throw userNotFound();
    const isNew = await insertMember(tx, id, userId);
    const details = { userId, isNew };
    await recordAudit(tx, caller, { ...entryOf('group.member.add', id), details }, clock.now());
  });
}

/** Removes the user from the group. Throws Forbidden, and NotFound if they are not a member. */
export async function removeGroupMember(
  { db, clock }: GroupMembersDeps,
  caller: Caller,
  { id, userId }: Membership,
): Promise<void> {
  requireAdmin(caller);
  await db.transaction(async (tx) => {
    await requireGroup(tx, id);
    if (!(await deleteMember(tx, id, userId))) {
      throw new NotFound('the user does not belong to the permission group', {
        code: 'member_not_found',
        title: 'Not a member',
      });
    }
    await recordAudit(
      tx,
      caller,
      { ...entryOf('group.member.remove', id), details: { userId } },
      clock.now(),
    );
  });
}

async function requireGroup(tx: Tx, id: string): Promise<void> {
  if ((await lockPermissionGroupsForShare(tx, [id])).length === 0) throw groupNotFound();
}

function userNotFound(): NotFound {
  return new NotFound('user not found', { code: 'user_not_found', title: 'User not found' });
}

function entryOf(
  action: 'group.member.set' | 'group.member.add' | 'group.member.remove',
  resourceId: string,
) {
  return { action, resourceType: 'permission-group', resourceId } as const;
}

import type { UserPermissions } from '@certloop/contracts';
import type { Database, Tx } from '@certloop/db';
import type { Caller } from '../access/caller.js';
import { canOn, type Level, readableSpaces, requireAdmin } from '../access/permissions.js';
import { type Rights, rightsOf } from '../access/rights.js';
import { permissionGroupView } from '../permission-groups/permission-group-view.js';
import { listGroupsOf } from '../permission-groups/permission-groups.repository.js';
import { getUserRow } from './users.repository.js';

export interface OwnPermissionsDeps {
  readonly db: Database;
  /** Ids of the existing spaces among these, oldest first. */
  readonly listSpaceIds: (tx: Tx, spaces: 'all' | readonly string[]) => Promise<string[]>;
}

/** The same of another user, by the groups of now. Throws Forbidden, NotFound. */
export async function describePermissionsOf(
  deps: OwnPermissionsDeps,
  caller: Caller,
  userId: string,
): Promise<UserPermissions> {
  requireAdmin(caller);
  const rights = await deps.db.read(async (tx) => {
    return rightsOf(await getUserRow(tx, userId), await listGroupsOf(tx, userId));
  });
  return describeOwnPermissions(deps, { ...rights, userId });
}

/** Returns what the caller may do: for each space that they may read, whether or not they may do it there. */
export async function describeOwnPermissions(
  { db, listSpaceIds }: OwnPermissionsDeps,
  caller: Rights & Pick<Caller, 'userId'>,
): Promise<UserPermissions> {
  const { spaceIds, groups } = await db.read(async (tx) => ({
    spaceIds: await listSpaceIds(tx, readableSpaces(caller)),
    groups: await listGroupsOf(tx, caller.userId),
  }));
  const where = (level: Level) => Object.fromEntries(spaceIds.map((id) => [id, canOn(caller, id, level)]));
  const { isAdmin, hasFullAccess } = caller;
  return {
    isAdmin,
    hasFullAccess,
    accessibleSpaces: spaceIds,
    permissions: {
      canCreateSpace: hasFullAccess,
      canDeleteSpace: hasFullAccess,
      canCreateFqdn: where('READ_WRITE'),
      canDeleteFqdn: where('FULL_ACCESS'),
      canUploadCSR: where('READ_WRITE'),
      canSignCSR: where('READ_WRITE'),
    },
    groups: groups.map((group) =>
      permissionGroupView({ ...group, spaceIds: seen(group.spaceIds, spaceIds) }),
    ),
  };
}

/** Spaces of a group that the caller may know of: their token may reach fewer than their groups do. */
function seen(ofGroup: readonly string[], readable: readonly string[]): string[] {
  const visible = new Set(readable);
  return ofGroup.filter((id) => visible.has(id));
}

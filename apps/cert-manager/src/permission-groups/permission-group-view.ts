import type { PermissionGroup } from '@certloop/contracts';
import type { PeopledGroup, PermissionGroup as StoredGroup } from './permission-group.js';

/** A group as its members see it, without saying who else is one. */
export function permissionGroupView(group: StoredGroup): PermissionGroup {
  return {
    id: group.id,
    name: group.name,
    description: group.description,
    permission: group.permission,
    spaceIds: [...group.spaceIds],
    createdAt: group.createdAt.toISOString(),
    allSpaces: group.allSpaces,
  };
}

/** A group as administrators see it. */
export function peopledGroupView(group: PeopledGroup): PermissionGroup {
  return { ...permissionGroupView(group), userIds: [...group.userIds] };
}

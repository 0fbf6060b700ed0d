import { created, ok, type SomeHandlers } from '../http/handlers.js';
import { pageHeaders } from '../http/page-headers.js';
import {
  addGroupMember,
  listGroupMembers,
  removeGroupMember,
  setGroupMembers,
} from './group-members.service.js';
import { peopledGroupView } from './permission-group-view.js';
import {
  createPermissionGroup,
  deletePermissionGroup,
  getPermissionGroup,
  listPermissionGroups,
  type PermissionGroupsDeps,
  updatePermissionGroup,
} from './permission-groups.service.js';

export function permissionGroupsHandlers(deps: PermissionGroupsDeps) {
  return {
    listPermissionGroups: async ({ query, context }) => {
      const page = await listPermissionGroups(deps, context, query);
      const headers = pageHeaders(page, '/permission-groups', query);
      return { status: 200, body: page.rows.map(peopledGroupView), headers };
    },
    createPermissionGroup: async ({ body, context }) =>
      created(peopledGroupView(await createPermissionGroup(deps, context, body))),
    getPermissionGroup: async ({ params, context }) =>
      ok(peopledGroupView(await getPermissionGroup(deps, context, params.id))),
    updatePermissionGroup: async ({ params, body, context }) =>
      ok(peopledGroupView(await updatePermissionGroup(deps, context, params.id, body))),
    deletePermissionGroup: async ({ params, context }) => {
      await deletePermissionGroup(deps, context, params.id);
      return ok({ message: 'permission group deleted' });
    },
    listGroupMembers: async ({ params, context }) =>
      ok({ userIds: await listGroupMembers(deps, context, params.id) }),
    setGroupMembers: async ({ params, body, context }) =>
      ok({ userIds: await setGroupMembers(deps, context, params.id, body.userIds) }),
    addGroupMember: async ({ params, context }) => {
      await addGroupMember(deps, context, params);
      return ok({ message: 'user belongs to the permission group' });
    },
    removeGroupMember: async ({ params, context }) => {
      await removeGroupMember(deps, context, params);
      return ok({ message: 'user removed from the permission group' });
    },
  } satisfies SomeHandlers;
}

import { created, ok, type SomeHandlers } from '../http/handlers.js';
import { eachOf } from '../http/lazy-rows.js';
import { pageHeaders } from '../http/page-headers.js';
import type { AccountsDeps } from './accounts.service.js';
import { createUser } from './create-user.service.js';
import { deleteUser } from './delete-user.service.js';
import {
  describeOwnPermissions,
  describePermissionsOf,
  type OwnPermissionsDeps,
} from './own-permissions.service.js';
import { updateUser } from './update-user.service.js';
import { shownUserView, userView } from './user-view.js';
import { getUser, listUsers } from './users.service.js';

export function usersHandlers(deps: AccountsDeps & OwnPermissionsDeps) {
  return {
    listUsers: async ({ query, context }) => {
      const wanted = { ...query, isAdmin: query.isAdmin && query.isAdmin === 'true' };
      const page = await listUsers(deps, context, wanted);
      const body = eachOf(page.rows, shownUserView);
      return { status: 200, body, headers: pageHeaders(page, '/users', query) };
    },
    createUser: async ({ body, context }) => created(userView(await createUser(deps, context, body))),
    getUser: async ({ params, query, context }) =>
      ok(shownUserView(await getUser(deps, context, { ...params, ...query }))),
    updateUser: async ({ params, body, context }) =>
      ok(userView(await updateUser(deps, context, params.id, body))),
    deleteUser: async ({ params, context }) => {
      await deleteUser(deps, context, params.id);
      return ok({ message: 'user deleted' });
    },
    getUserPermissions: async ({ params, context }) =>
      ok(await describePermissionsOf(deps, context, params.id)),
    getOwnPermissions: async ({ context }) => ok(await describeOwnPermissions(deps, context)),
  } satisfies SomeHandlers;
}

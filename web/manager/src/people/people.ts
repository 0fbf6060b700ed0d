import type { PermissionGroup, User } from '@certloop/contracts/browser';
import { type ListPage, listPageOf } from '@certloop/web-kit';
import { api } from '../service.js';

/** Which users a list shows. */
export interface UserFilter {
  readonly q?: string | undefined;
  readonly isAdmin?: boolean | undefined;
  readonly groupId?: string | undefined;
}

/** One page of users with their groups, oldest first. */
export async function loadUsers(
  { q, isAdmin, groupId }: UserFilter,
  cursor: string | undefined,
  signal: AbortSignal,
  limit = 100,
): Promise<ListPage<User>> {
  const query = {
    include: 'groups',
    limit: String(limit),
    ...(q !== undefined && { q }),
    ...(isAdmin !== undefined && { isAdmin: isAdmin ? ('true' as const) : ('false' as const) }),
    ...(groupId !== undefined && { groupId }),
    ...(cursor !== undefined && { cursor }),
  } as const;
  const { body, headers } = await api.listUsers({ query, signal });
  return listPageOf(body, headers);
}

/** Query of one user with groups and last sign-in. */
export function userQuery(id: string) {
  return {
    queryKey: ['users', 'one', id],
    queryFn: async ({ signal }: { readonly signal: AbortSignal }) =>
      (await api.getUser({ params: { id }, query: { include: 'groups' }, signal })).body,
  };
}

/** Query of the administrators, at most 1000. */
export const adminsQuery = {
  queryKey: ['users', 'admins'],
  queryFn: async ({ signal }: { readonly signal: AbortSignal }) =>
    (await loadUsers({ isAdmin: true }, undefined, signal, 1_000)).rows,
};

/** Query of all permission groups with their spaces and members. */
export const groupsQuery = {
  queryKey: ['groups'],
  queryFn: async ({ signal }: { readonly signal: AbortSignal }): Promise<readonly PermissionGroup[]> =>
    (await api.listPermissionGroups({ signal })).body,
};

/** Texts of what each level permits on a space. */
export const levelTexts: Readonly<Record<PermissionGroup['permission'], string>> = {
  READ: 'See the names, certificates and renewals of the spaces.',
  READ_WRITE: 'Also add names, upload CSRs and request certificates.',
  FULL_ACCESS: 'Also delete names, revoke certificates and rename the spaces.',
};

import type { PermissionGroup } from '@certloop/contracts/browser';
import { queryOptions } from '@certloop/web-kit';
import { api } from '../service.js';

/** Which users a list shows. */
export interface UserFilter {
  readonly q?: string | undefined;
  readonly isAdmin?: boolean | undefined;
  readonly groupId?: string | undefined;
}

/** The input that asks for users with their groups, oldest first. */
export function usersInput({ q, isAdmin, groupId }: UserFilter, limit = 100) {
  return {
    query: {
      include: 'groups',
      limit: String(limit),
      ...(q !== undefined && { q }),
      ...(isAdmin !== undefined && { isAdmin: isAdmin ? ('true' as const) : ('false' as const) }),
      ...(groupId !== undefined && { groupId }),
    },
  } as const;
}

/** Query of one user with groups and last sign-in. */
export const userQuery = (id: string) =>
  queryOptions(api.getUser, { params: { id }, query: { include: 'groups' } });

/** Query of the administrators, at most 1000. */
export const adminsQuery = queryOptions(api.listUsers, usersInput({ isAdmin: true }, 1_000));

/** Query of all permission groups with their spaces and members. */
export const groupsQuery = queryOptions(api.listPermissionGroups);

/** Texts of what each level permits on a space. */
export const levelTexts: Readonly<Record<PermissionGroup['permission'], string>> = {
  READ: 'See the names, certificates and renewals of the spaces.',
  READ_WRITE: 'Also add names, upload CSRs and request certificates.',
  FULL_ACCESS: 'Also delete names, revoke certificates and rename the spaces.',
};

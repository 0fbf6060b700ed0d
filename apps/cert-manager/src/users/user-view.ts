import type { ApiToken, User } from '@certloop/contracts';
import { builtInUserIds } from '../access/caller.js';
import type { ApiTokenRow } from './api-tokens/api-token.js';
import type { UserFacts, UserRow } from './user.js';

export function userView(
  row: Omit<UserRow, 'usernameKey' | 'emailKey' | 'passwordHash' | 'lastLoginAt'>,
): User {
  return {
    id: row.id,
    username: row.username,
    email: row.email,
    isAdmin: row.isAdmin,
    enabled: row.enabled,
    createdAt: row.createdAt.toISOString(),
  };
}

/** A user, with groups, last sign-in and whether there is a picture where these are known. */
export function shownUserView(user: UserRow | UserFacts): User {
  return 'groupIds' in user ? userFactsView(user) : userView(user);
}

function userFactsView(user: UserFacts): User {
  return {
    ...userView(user),
    groupIds: [...user.groupIds],
    ...(user.lastLoginAt !== null && { lastLoginAt: user.lastLoginAt.toISOString() }),
    hasAvatar: user.hasAvatar,
  };
}

/** The administrator as whom all requests run in open mode; there is no account. */
export const openModeUser: User = {
  id: builtInUserIds.open,
  username: 'open-mode',
  email: 'open-mode@localhost',
  isAdmin: true,
  enabled: true,
  createdAt: new Date(0).toISOString(),
};

export function apiTokenView(row: ApiTokenRow): ApiToken {
  return {
    id: row.id,
    name: row.name,
    scope: row.scope,
    expiresAt: row.expiresAt.toISOString(),
    spaceIds: row.spaceIds === null ? null : [...row.spaceIds],
    allowedCidrs: [...row.allowedCidrs],
    lastUsedAt: row.lastUsedAt?.toISOString() ?? null,
    lastUsedIp: row.lastUsedIp,
    createdAt: row.createdAt.toISOString(),
    ...(row.familyId !== null && { familyId: row.familyId }),
    ...(row.renewableUntil !== null && { renewableUntil: row.renewableUntil.toISOString() }),
  };
}

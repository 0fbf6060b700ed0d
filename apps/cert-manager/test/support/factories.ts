import { randomUUID } from 'node:crypto';
import { type Database, newRowId } from '@certloop/db';
import type { Clock } from '@certloop/server';
import { createPasswords, newSecret, secretHash } from '@certloop/server';
import type { Level } from '../../src/access/permissions.js';
import { insertMembers } from '../../src/permission-groups/group-members.repository.js';
import type { PermissionGroup } from '../../src/permission-groups/permission-group.js';
import { insertPermissionGroup } from '../../src/permission-groups/permission-groups.repository.js';
import type { ApiTokenRow } from '../../src/users/api-tokens/api-token.js';
import { insertApiToken } from '../../src/users/api-tokens/api-tokens.repository.js';
import { formatApiToken, newApiToken } from '../../src/users/sessions/credentials.js';
import { caselessKeyOf, type UserRow } from '../../src/users/user.js';
import { insertUser, markFirstAdmin } from '../../src/users/users.repository.js';

/** What a factory needs of a test's application. */
export interface Place {
  readonly database: Database;
  readonly clock: Clock;
}

export interface NewUser {
  readonly username?: string;
  readonly email?: string;
  readonly password?: string;
  readonly isAdmin?: boolean;
  readonly enabled?: boolean;
}

const passwords = createPasswords({ N: 16, r: 1, p: 1 });

/** Inserts a user as given, the rest made up. */
export async function addUser(
  { database, clock }: Place,
  user: NewUser = {},
): Promise<UserRow & { readonly password: string }> {
  const username = user.username ?? `user-${randomUUID().slice(0, 8)}`;
  const email = user.email ?? `${username}@example.org`;
  const password = user.password ?? `${username} and a horse`;
  const row = {
    id: newRowId(clock.now()),
    username,
    usernameKey: caselessKeyOf(username),
    email,
    emailKey: caselessKeyOf(email),
    passwordHash: await passwords.hash(password),
    isAdmin: user.isAdmin ?? false,
    enabled: user.enabled ?? true,
    createdAt: clock.now(),
    lastLoginAt: null,
  };
  await database.transaction(async (tx) => {
    await insertUser(tx, row);
    if (row.isAdmin) await markFirstAdmin(tx, row.createdAt);
  });
  return { ...row, password };
}

export type NewToken = Partial<Omit<ApiTokenRow, 'id' | 'secretHash' | 'userId'>>;

/** Inserts an API token, of the scope ADMIN and without limits unless said, and returns its text. */
export async function addToken(
  { database, clock }: Place,
  userId: string,
  token: NewToken = {},
): Promise<string> {
  const parts = newApiToken(newSecret());
  const now = clock.now();
  await database.transaction((tx) =>
    insertApiToken(tx, {
      id: parts.id,
      secretHash: secretHash(parts.secret),
      userId,
      name: 'test',
      scope: 'ADMIN',
      spaceIds: null,
      allowedCidrs: [],
      expiresAt: new Date(now.getTime() + 90 * 86_400_000),
      createdAt: now,
      lastUsedAt: null,
      lastUsedIp: null,
      familyId: null,
      predecessorId: null,
      renewableUntil: null,
      lifetimeSeconds: null,
      ...token,
    }),
  );
  return formatApiToken(parts);
}

/** Inserts a permission group with its members; FULL_ACCESS without spaces reaches none unless `allSpaces`. */
export async function addGroup(
  { database, clock }: Place,
  group: Partial<Omit<PermissionGroup, 'id'>> & { readonly userIds?: readonly string[] } = {},
): Promise<PermissionGroup> {
  const { userIds = [], ...overrides } = group;
  const row: PermissionGroup = {
    id: newRowId(clock.now()),
    name: 'group',
    description: '',
    permission: 'READ',
    allSpaces: false,
    spaceIds: [],
    createdAt: clock.now(),
    ...overrides,
  };
  await database.transaction(async (tx) => {
    await insertPermissionGroup(tx, row);
    await insertMembers(tx, row.id, userIds);
  });
  return row;
}

/** Gives a person a level on spaces, through a group for this only. */
export async function grant(
  place: Place,
  person: { readonly id: string },
  permission: Level,
  spaceIds: readonly string[],
): Promise<void> {
  await addGroup(place, { permission, spaceIds, userIds: [person.id] });
}

/** Gives a person FULL_ACCESS to every space. */
export async function grantEverything(place: Place, person: { readonly id: string }): Promise<void> {
  await addGroup(place, { permission: 'FULL_ACCESS', allSpaces: true, userIds: [person.id] });
}

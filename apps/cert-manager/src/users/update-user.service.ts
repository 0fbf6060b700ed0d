import type { BodyOf, certManagerContract } from '@certloop/contracts';
import type { Tx } from '@certloop/db';
import { requireAcceptablePassword } from '@certloop/server';
import type { Caller } from '../access/caller.js';
import { requireAdmin } from '../access/permissions.js';
import { recordAudit } from '../audit/audit.service.js';
import { listMemberships, replaceMemberships } from '../permission-groups/group-members.repository.js';
import { requireKnown } from '../permission-groups/known-ids.js';
import { lockPermissionGroupsForShare } from '../permission-groups/permission-groups.repository.js';
import { refuseTakenNames, requireFree } from './account-names.service.js';
import type { AccountsDeps } from './accounts.service.js';
import { revokeAllApiTokens } from './api-tokens/revoke-api-tokens.service.js';
import { requireOtherAdmin } from './last-admin.service.js';
import { deleteSessionsOf } from './sessions/sessions.repository.js';
import { caselessKeyOf, type UserRow } from './user.js';
import { getUserRow, lockUser, markFirstAdmin, updateUserRow, userNotFound } from './users.repository.js';

/** Change of a user; absent members stay as they are. */
export type UserChange = BodyOf<typeof certManagerContract.updateUser>;

/**
 * Changes a user. A new password, being disabled and being an administrator no more end their sessions. Throws
 * Forbidden, NotFound, and InvalidInput as for a new user and for the last enabled administrator.
 */
export async function updateUser(
  deps: AccountsDeps,
  caller: Caller,
  id: string,
  input: UserChange,
): Promise<UserRow> {
  requireAdmin(caller);
  const passwordHash = await newPasswordHash(deps, await deps.db.read((tx) => getUserRow(tx, id)), input);
  return deps.db.transaction(async (tx) => {
    if (input.isAdmin === false || input.enabled === false) await requireOtherAdmin(tx, id);
    const before = await lockUser(tx, id);
    if (before === undefined) throw userNotFound();
    const set = changesOf(input, passwordHash);
    const after = { ...before, ...set };
    await requireFree(tx, input, id);
    if (Object.keys(set).length > 0) await refuseTakenNames(() => updateUserRow(tx, { id }, set));
    if (endsSessions(before, after)) await deleteSessionsOf(tx, id);
    if (after.isAdmin) await markFirstAdmin(tx, deps.clock.now());
    const groups = await changeGroups(tx, id, input.groupIds);
    const tokens = input.revokeTokens === true ? await revokeAllApiTokens(tx, id) : [];
    const details = {
      ...differences(before, after),
      ...groups,
      ...(tokens.length > 0 && { revokedTokens: tokens }),
    };
    const entry = { action: 'user.update', resourceType: 'user', resourceId: id, details } as const;
    await recordAudit(tx, caller, entry, deps.clock.now());
    return after;
  });
}

/** Hash of the new password, made before the transaction as it takes its time; undefined without one. */
async function newPasswordHash(
  { passwords, passwordMinLength }: AccountsDeps,
  { username, email }: UserRow,
  input: UserChange,
): Promise<string | undefined> {
  if (input.password === undefined) return undefined;
  const user = { username: input.username ?? username, email: input.email ?? email };
  requireAcceptablePassword(input.password, user, passwordMinLength);
  return passwords.hash(input.password);
}

function changesOf(
  { username, email, isAdmin, enabled }: UserChange,
  passwordHash: string | undefined,
): Partial<UserRow> {
  return {
    ...(username !== undefined && { username, usernameKey: caselessKeyOf(username) }),
    ...(email !== undefined && { email, emailKey: caselessKeyOf(email) }),
    ...(isAdmin !== undefined && { isAdmin }),
    ...(enabled !== undefined && { enabled }),
    ...(passwordHash !== undefined && { passwordHash }),
  };
}

function endsSessions(before: UserRow, after: UserRow): boolean {
  if (before.passwordHash !== after.passwordHash) return true;
  return (before.enabled && !after.enabled) || (before.isAdmin && !after.isAdmin);
}

async function changeGroups(tx: Tx, userId: string, groupIds: readonly string[] | undefined) {
  if (groupIds === undefined) return {};
  requireKnown('groupIds', groupIds, 'permission group', await lockPermissionGroupsForShare(tx, groupIds));
  const before = await listMemberships(tx, userId);
  const after = [...new Set(groupIds)].toSorted();
  await replaceMemberships(tx, userId, after);
  return { groupIds: { before, after } };
}

const shown = ['username', 'email', 'isAdmin', 'enabled'] as const;

/** Returns the members that changed, and whether the password did, for the audit log. */
function differences(before: UserRow, after: UserRow) {
  const changed = shown.filter((name) => before[name] !== after[name]);
  const of = (row: UserRow) => Object.fromEntries(changed.map((name) => [name, row[name]]));
  return {
    before: of(before),
    after: of(after),
    ...(before.passwordHash !== after.passwordHash && { password: { changed: true } }),
  };
}

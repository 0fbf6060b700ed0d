import type { BodyOf, certManagerContract } from '@certloop/contracts';
import type { Caller } from '../access/caller.js';
import { requireAdmin } from '../access/permissions.js';
import { replaceMemberships } from '../permission-groups/group-members.repository.js';
import { requireKnown } from '../permission-groups/known-ids.js';
import { lockPermissionGroupsForShare } from '../permission-groups/permission-groups.repository.js';
import { requireFree } from './account-names.service.js';
import { type AccountsDeps, newAccount, storeAccount } from './accounts.service.js';
import type { UserRow } from './user.js';
import { markFirstAdmin } from './users.repository.js';

export type NewUser = BodyOf<typeof certManagerContract.createUser>;

/**
 * Makes an enabled user. Throws Forbidden, and InvalidInput for a name or mail address that is taken, a
 * password that may not be used, and groups that do not exist.
 */
export async function createUser(deps: AccountsDeps, caller: Caller, input: NewUser): Promise<UserRow> {
  requireAdmin(caller);
  const { isAdmin = false, groupIds = [] } = input;
  // refused before the password costs its time; the unique indexes decide in the end
  await deps.db.read((tx) => requireFree(tx, input));
  const row = { ...(await newAccount(deps, input)), isAdmin };
  await deps.db.transaction(async (tx) => {
    requireKnown('groupIds', groupIds, 'permission group', await lockPermissionGroupsForShare(tx, groupIds));
    const entry = { action: 'user.create', resourceType: 'user', details: { groupIds } } as const;
    await storeAccount(tx, caller, row, entry);
    await replaceMemberships(tx, row.id, [...new Set(groupIds)]);
    if (isAdmin) await markFirstAdmin(tx, row.createdAt);
  });
  return row;
}

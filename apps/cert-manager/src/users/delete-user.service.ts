import { InvalidInput } from '@certloop/contracts';
import type { Caller } from '../access/caller.js';
import { requireAdmin } from '../access/permissions.js';
import { recordAudit } from '../audit/audit.service.js';
import type { DbDeps } from '../db-deps.js';
import { requireOtherAdmin } from './last-admin.service.js';
import { deleteUserRow, lockUser, userNotFound } from './users.repository.js';

/**
 * Deletes a user with their sessions, tokens, memberships and picture; their name stays in the audit log. Throws
 * Forbidden, NotFound, and InvalidInput for oneself and the last enabled administrator.
 */
export async function deleteUser({ db, clock }: DbDeps, caller: Caller, id: string): Promise<void> {
  requireAdmin(caller);
  if (id === caller.userId) {
    throw new InvalidInput('you cannot delete yourself', {
      code: 'self_delete',
      title: 'Own account cannot be deleted',
    });
  }
  await db.transaction(async (tx) => {
    await requireOtherAdmin(tx, id);
    const user = await lockUser(tx, id);
    if (user === undefined) throw userNotFound();
    await deleteUserRow(tx, id);
    const { username, email, isAdmin, enabled } = user;
    const details = { before: { username, email, isAdmin, enabled } };
    const entry = { action: 'user.delete', resourceType: 'user', resourceId: id, details } as const;
    await recordAudit(tx, caller, entry, clock.now());
  });
}

import { Forbidden } from '@certloop/contracts';
import type { Database } from '@certloop/db';
import type { Caller } from '../access/caller.js';
import { isUuid } from '../access/uuid.js';
import { findUser, userNotFound } from './users.repository.js';

/**
 * Throws NotFound when there is no such user, which every user may know, and Forbidden when they are neither the
 * caller nor the caller an administrator, or the caller's token may only read.
 */
export async function requireOwnAccount(
  { db }: { readonly db: Database },
  caller: Caller,
  userId: string,
): Promise<void> {
  const user = isUuid(userId) ? await db.read((tx) => findUser(tx, userId)) : undefined;
  if (user === undefined) throw userNotFound();
  if (caller.isReadOnly === true) {
    throw new Forbidden('this API token may only read', {
      code: 'token_read_only',
      title: 'Not permitted to this token',
    });
  }
  if (caller.isAdmin || caller.userId === user.id) return;
  throw new Forbidden('only the user and administrators may do this', {
    code: 'not_own_account',
    title: 'Not your account',
  });
}

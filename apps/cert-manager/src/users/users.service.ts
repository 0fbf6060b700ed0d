import type { Database } from '@certloop/db';
import type { Caller } from '../access/caller.js';
import type { UserRow } from './user.js';
import { findUser } from './users.repository.js';

/** The caller's own account; undefined for a caller that is built in. */
export async function findAccount(
  { db }: { readonly db: Database },
  { userId }: Caller,
): Promise<UserRow | undefined> {
  return db.read((tx) => findUser(tx, userId));
}

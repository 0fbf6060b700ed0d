import { NotFound } from '@certloop/contracts';
import { type Database, type ListPage, type ListWindow, readList } from '@certloop/db';
import type { Caller } from '../access/caller.js';
import { requireAdmin } from '../access/permissions.js';
import type { UserRow } from './user.js';
import { findUser, readUserPage } from './users.repository.js';

export interface UsersDeps {
  readonly db: Database;
}

/** The caller's own account; undefined for a caller that is built in. */
export async function findAccount({ db }: UsersDeps, { userId }: Caller): Promise<UserRow | undefined> {
  return db.read((tx) => findUser(tx, userId));
}

/** Every user, oldest first. Throws Forbidden. */
export async function listUsers(
  { db }: UsersDeps,
  caller: Caller,
  window: ListWindow,
): Promise<ListPage<UserRow>> {
  requireAdmin(caller);
  return readList(db, window, readUserPage);
}

/** Throws Forbidden, NotFound. */
export async function getUser({ db }: UsersDeps, caller: Caller, id: string): Promise<UserRow> {
  requireAdmin(caller);
  const user = await db.read((tx) => findUser(tx, id));
  if (user === undefined) throw userNotFound();
  return user;
}

export function userNotFound(): NotFound {
  return new NotFound('user not found', { code: 'user_not_found', title: 'User not found' });
}

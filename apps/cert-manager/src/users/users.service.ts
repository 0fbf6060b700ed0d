import {
  type Database,
  isWholeList,
  type ListPage,
  type ListWindow,
  mapPage,
  readList,
  type Tx,
} from '@certloop/db';
import type { Caller } from '../access/caller.js';
import { requireAdmin } from '../access/permissions.js';
import { listMembershipsOfEach } from '../permission-groups/group-members.repository.js';
import { listAvatarOwners } from './avatars/avatars.repository.js';
import type { UserFacts, UserRow } from './user.js';
import { readUserPage, type UserFilter } from './user-page.repository.js';
import { findUser, getUserRow } from './users.repository.js';

export interface UsersDeps {
  readonly db: Database;
}

/** The caller's own account; undefined for a caller that is built in. */
export async function findOwnAccount({ db }: UsersDeps, { userId }: Caller): Promise<UserRow | undefined> {
  return db.read((tx) => findUser(tx, userId));
}

/** Parts that a request includes in addition to the users. */
interface Included {
  readonly include?: 'groups' | undefined;
}

/** The users that match the filter, oldest first, with their groups where these are included. Throws Forbidden. */
export async function listUsers(
  { db }: UsersDeps,
  caller: Caller,
  query: UserFilter & ListWindow & Included,
): Promise<ListPage<UserRow | UserFacts>> {
  requireAdmin(caller);
  const readPage = async (tx: Tx, window: ListWindow): Promise<ListPage<UserRow | UserFacts>> => {
    const page = await readUserPage(tx, query, window);
    if (query.include !== 'groups') return page;
    const factsOf = await readFacts(tx, isWholeList(window) ? 'all' : page.rows.map(({ id }) => id));
    return mapPage(page, (row) => ({ ...row, ...factsOf(row) }));
  };
  return query.q === undefined ? readList(db, query, readPage) : db.longRead((tx) => readPage(tx, query));
}

/** A user, with the groups where these are included. Throws Forbidden, NotFound. */
export async function getUser(
  { db }: UsersDeps,
  caller: Caller,
  { id, include }: { readonly id: string } & Included,
): Promise<UserRow | UserFacts> {
  requireAdmin(caller);
  const user = await db.read((tx) => getUserRow(tx, id));
  if (include !== 'groups') return user;
  const factsOf = await db.read((tx) => readFacts(tx, [id]));
  return { ...user, ...factsOf(user) };
}

async function readFacts(tx: Tx, ids: 'all' | readonly string[]) {
  const groups = await listMembershipsOfEach(tx, ids);
  const owners = await listAvatarOwners(tx, ids);
  return ({ id }: UserRow) => ({ groupIds: groups.get(id) ?? [], hasAvatar: owners.has(id) });
}

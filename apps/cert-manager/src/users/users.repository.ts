import {
  column,
  defineTable,
  deleteRows,
  executeSql,
  findRow,
  findRows,
  holdRows,
  keepRows,
  type ListPage,
  type ListWindow,
  readListPage,
  type Tx,
  updateRows,
} from '@certloop/db';
import { In } from 'typeorm';
import { keyOf, type UserRow } from './user.js';

export const users = defineTable<UserRow>('users', {
  columns: {
    id: column.uuid().primary(),
    username: column.word(64),
    usernameKey: column.word(64),
    email: column.word(254),
    emailKey: column.word(254),
    passwordHash: column.text(),
    isAdmin: column.boolean(),
    enabled: column.boolean(),
    createdAt: column.instant(),
  },
  indexes: [
    { columns: ['usernameKey'], unique: true },
    { columns: ['emailKey'], unique: true },
    { columns: ['createdAt', 'id'] },
    // the administrators
    { columns: ['isAdmin', 'enabled', 'id'] },
  ],
});

/** What has been done once and for all; a second attempt meets the primary key. */
export interface SetupMarkRow {
  readonly name: string;
  readonly at: Date;
}

export const setupMarks = defineTable<SetupMarkRow>('setup_marks', {
  columns: { name: column.word(64).primary(), at: column.instant() },
});

export async function insertUser(tx: Tx, row: UserRow): Promise<void> {
  await tx.insert(users, row);
}

export async function findUser(tx: Tx, id: string): Promise<UserRow | undefined> {
  return findRow(tx, users, { id });
}

/** Those of the users that are there; at least one is asked for. */
export function listUsersById(tx: Tx, ids: readonly string[]): Promise<UserRow[]> {
  return findRows(tx, users, { id: ids });
}

/** Those of the ids that name a user; none of these is deleted before the transaction ends. */
export async function keepUsers(tx: Tx, ids: readonly string[]): Promise<string[]> {
  return (await keepRows(tx, users, { id: In([...ids]) })).map(({ id }) => id);
}

/** The user, whom no one else may change until the transaction ends. */
export async function holdUser(tx: Tx, id: string): Promise<UserRow | undefined> {
  return (await holdRows(tx, users, { id }))[0];
}

/** Ids of the enabled administrators, whom no one else may change until the transaction ends. */
export async function holdEnabledAdmins(tx: Tx): Promise<string[]> {
  return (await holdRows(tx, users, { isAdmin: true, enabled: true })).map(({ id }) => id);
}

/** Users who have one of the keys. */
export async function findUsersByKeys(
  tx: Tx,
  keys: Partial<Pick<UserRow, 'usernameKey' | 'emailKey'>>,
): Promise<UserRow[]> {
  const { usernameKey, emailKey } = keys;
  const alternatives = [
    ...(usernameKey === undefined ? [] : [{ usernameKey }]),
    ...(emailKey === undefined ? [] : [{ emailKey }]),
  ];
  return alternatives.length === 0 ? [] : tx.findBy(users, alternatives);
}

/** Deletes the user with all that is his. */
export async function deleteUser(tx: Tx, id: string): Promise<void> {
  await deleteRows(tx, users, { id });
}

export async function findUserByName(tx: Tx, username: string): Promise<UserRow | undefined> {
  // PostgreSQL takes no such text, and no one can have it as a name
  if (username.includes('\0')) return undefined;
  return (await tx.findOneBy(users, { usernameKey: keyOf(username) })) ?? undefined;
}

/** Changes the user and returns whether he still is as `where` says. */
export async function updateUser(
  tx: Tx,
  where: Pick<UserRow, 'id'> & Partial<UserRow>,
  set: Partial<UserRow>,
): Promise<boolean> {
  return (await updateRows(tx, users, where, set)) === 1;
}

const firstAdmin = 'first-admin';

/** Whether there has ever been an administrator. */
export async function hadAdmin(tx: Tx): Promise<boolean> {
  return tx.existsBy(setupMarks, { name: firstAdmin });
}

/** Remembers that there is an administrator; false when someone did so before, or does so at this moment. */
export async function markFirstAdmin(tx: Tx, now: Date): Promise<boolean> {
  const marked = await executeSql(
    tx,
    'insert into setup_marks (name, at) values ($1, $2) on conflict (name) do nothing',
    [firstAdmin, now],
  );
  return marked === 1;
}

/** Every user, oldest first. */
export function readUserPage(tx: Tx, window: ListWindow): Promise<ListPage<UserRow>> {
  return readListPage(tx, { table: users, by: 'createdAt' }, window);
}

import { NotFound } from '@certloop/contracts';
import {
  column,
  defineTable,
  deleteRows,
  findRow,
  findRows,
  insertIfAbsent,
  lockForShare,
  lockForUpdate,
  type Tx,
  updateRows,
} from '@certloop/db';
import { In } from 'typeorm';
import { caselessKeyOf, type UserRow } from './user.js';

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
    lastLoginAt: column.instant().nullable(),
  },
  indexes: [
    { columns: ['usernameKey'], unique: true },
    { columns: ['emailKey'], unique: true },
    { columns: ['createdAt', 'id'] },
    // the administrators
    { columns: ['isAdmin', 'enabled', 'id'] },
  ],
});

/** Actions that happen only once; a second attempt violates the primary key. */
export const setupMarks = defineTable('setup_marks', {
  columns: { name: column.word(64).primary(), at: column.instant() },
});

export async function insertUser(tx: Tx, row: UserRow): Promise<void> {
  await tx.insert(users, row);
}

export async function findUser(tx: Tx, id: string): Promise<UserRow | undefined> {
  return findRow(tx, users, { id });
}

/** Throws NotFound if there is no such user. */
export async function getUserRow(tx: Tx, id: string): Promise<UserRow> {
  const user = await findUser(tx, id);
  if (user === undefined) throw userNotFound();
  return user;
}

export function userNotFound(): NotFound {
  return new NotFound('user not found', { code: 'user_not_found', title: 'User not found' });
}

/** The existing users among at least one id. */
export function listUsersById(tx: Tx, ids: readonly string[]): Promise<UserRow[]> {
  return findRows(tx, users, { id: ids });
}

/** The ids of existing users, locked against deletion until the transaction ends. */
export async function lockUsersForShare(tx: Tx, ids: readonly string[]): Promise<string[]> {
  return (await lockForShare(tx, users, { id: In([...ids]) })).map(({ id }) => id);
}

/** The user, locked until the transaction ends. */
export async function lockUser(tx: Tx, id: string): Promise<UserRow | undefined> {
  return (await lockForUpdate(tx, users, { id }))[0];
}

/** Ids of the enabled administrators, locked until the transaction ends. */
export async function lockEnabledAdmins(tx: Tx): Promise<string[]> {
  return (await lockForUpdate(tx, users, { isAdmin: true, enabled: true })).map(({ id }) => id);
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

/** Deletes the user with all dependent rows. */
export async function deleteUserRow(tx: Tx, id: string): Promise<void> {
  await deleteRows(tx, users, { id });
}

export async function findUserByName(tx: Tx, username: string): Promise<UserRow | undefined> {
  // PostgreSQL rejects such a text, and no user can have it as a name
  if (username.includes('\0')) return undefined;
  return (await tx.findOneBy(users, { usernameKey: caselessKeyOf(username) })) ?? undefined;
}

/** Changes the user if the row still matches `where`; returns whether it did. */
export async function updateUserRow(
  tx: Tx,
  where: Pick<UserRow, 'id'> & Partial<Pick<UserRow, 'passwordHash' | 'enabled'>>,
  set: Partial<UserRow>,
): Promise<boolean> {
  return (await updateRows(tx, users, where, set)) === 1;
}

const firstAdmin = 'first-admin';

/** Whether there has ever been an administrator. */
export async function hadAdmin(tx: Tx): Promise<boolean> {
  return tx.existsBy(setupMarks, { name: firstAdmin });
}

/** Records that there is an administrator; false if another transaction has recorded this or is recording it. */
export function markFirstAdmin(tx: Tx, now: Date): Promise<boolean> {
  return insertIfAbsent(tx, setupMarks, { name: firstAdmin, at: now });
}

import {
  column,
  defineTable,
  executeSql,
  insertOrUpdate,
  querySql,
  type RowOf,
  type Tx,
  updateRows,
} from '@certloop/db';
import type { Micros } from '../instants.js';
import { type User, users } from '../projects/users.repository.js';

export const passwords = defineTable('passwords', {
  columns: {
    userId: column.uuid().primary(),
    /** As `createPasswords` makes it. */
    hash: column.word(200),
    changedAt: column.preciseInstant(),
  },
  references: [{ columns: ['userId'], table: 'users', onDelete: 'CASCADE' }],
});

export type PasswordRow = RowOf<typeof passwords>;

export const sessions = defineTable('sessions', {
  columns: {
    /** SHA-256 of what the cookie holds, hex. */
    secretHash: column.word(64).primary(),
    userId: column.uuid(),
    createdAt: column.preciseInstant(),
    /** Behind the truth by up to a minute. */
    lastUsedAt: column.preciseInstant(),
  },
  indexes: [{ columns: ['userId', 'createdAt'] }, { columns: ['lastUsedAt'] }],
  references: [{ columns: ['userId'], table: 'users', onDelete: 'CASCADE' }],
});

export type SessionRow = RowOf<typeof sessions>;

export async function findPassword(tx: Tx, userId: string): Promise<string | undefined> {
  return (await tx.findOneBy(passwords, { userId }))?.hash;
}

/** Whether any user has a password. */
export async function hasAnyPassword(tx: Tx): Promise<boolean> {
  return tx.exists(passwords);
}

/** Puts the password in the place of an earlier one. */
export function replacePassword(tx: Tx, row: PasswordRow): Promise<void> {
  return insertOrUpdate(tx, passwords, row);
}

export async function insertSession(tx: Tx, row: SessionRow): Promise<void> {
  await tx.insert(sessions, row);
}

/** The session of that hash with its user. */
export async function findSession(tx: Tx, secretHash: string): Promise<(SessionRow & User) | undefined> {
  const columns = { ...sessions.columns, ...users.columns };
  const text = `select s.secret_hash, s.user_id, s.last_used_at, u.id, u.email, u.check_limit, u.ping_limit,
      u.check_count, s.created_at
    from sessions s join users u on u.id = s.user_id where s.secret_hash = $1`;
  const [found] = await querySql(tx, columns, text, [secretHash]);
  return found;
}

export async function noteSessionUse(tx: Tx, secretHash: string, now: Micros): Promise<void> {
  await updateRows(tx, sessions, { secretHash }, { lastUsedAt: now });
}

export async function deleteSession(tx: Tx, secretHash: string): Promise<void> {
  await tx.delete(sessions, { secretHash });
}

export async function deleteSessionsOf(tx: Tx, userId: string): Promise<void> {
  await tx.delete(sessions, { userId });
}

/** Deletes the user's sessions beyond the newest, and the ended sessions of all users. */
export async function sweepSessions(
  tx: Tx,
  userId: string,
  { maxSessions, unusedSince, openedBefore }: SessionBounds,
): Promise<void> {
  const beyond = `delete from sessions where user_id = $1 and secret_hash not in (
    select secret_hash from sessions where user_id = $1 order by created_at desc, secret_hash limit $2)`;
  await executeSql(tx, beyond, [userId, maxSessions]);
  const ended = 'delete from sessions where last_used_at <= $1 or created_at <= $2';
  await executeSql(tx, ended, [unusedSince, openedBefore]);
}

export interface SessionBounds {
  readonly maxSessions: number;
  readonly unusedSince: Micros;
  readonly openedBefore: Micros;
}

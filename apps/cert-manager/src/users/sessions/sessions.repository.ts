import { column, defineTable, type RowOf, type Tx, updateRows } from '@certloop/db';
import { In, LessThanOrEqual } from 'typeorm';

export const sessions = defineTable('sessions', {
  columns: {
    id: column.uuid().primary(),
    /** SHA-256 of what the cookie holds, hex. */
    secretHash: column.word(64),
    userId: column.uuid(),
    createdAt: column.instant(),
    /** Behind the truth by up to a minute. */
    lastUsedAt: column.instant(),
    /** End whatever its use. */
    expiresAt: column.instant(),
  },
  indexes: [
    { columns: ['secretHash'], unique: true },
    { columns: ['userId'] },
    { columns: ['expiresAt'] },
    { columns: ['lastUsedAt'] },
  ],
  references: [{ columns: ['userId'], table: 'users', onDelete: 'CASCADE' }],
});

export type SessionRow = RowOf<typeof sessions>;

export async function insertSession(tx: Tx, row: SessionRow): Promise<void> {
  await tx.insert(sessions, row);
}

export async function findSessionByHash(tx: Tx, secretHash: string): Promise<SessionRow | undefined> {
  return (await tx.findOneBy(sessions, { secretHash })) ?? undefined;
}

export async function findSession(tx: Tx, id: string): Promise<SessionRow | undefined> {
  return (await tx.findOneBy(sessions, { id })) ?? undefined;
}

/** Sessions of a user, also those that have ended by disuse, the newest first. */
export async function listSessionsOf(tx: Tx, userId: string): Promise<SessionRow[]> {
  return tx.find(sessions, { where: { userId }, order: { createdAt: 'DESC', id: 'DESC' } });
}

export async function noteSessionUse(tx: Tx, id: string, now: Date): Promise<void> {
  await updateRows(tx, sessions, { id }, { lastUsedAt: now });
}

export async function deleteSession(tx: Tx, id: string): Promise<void> {
  await tx.delete(sessions, { id });
}

export async function deleteSessionsOf(tx: Tx, userId: string): Promise<void> {
  await tx.delete(sessions, { userId });
}

/** Deletes the oldest sessions of the user, so that the newest `count` remain. */
export async function deleteSessionsBeyond(tx: Tx, userId: string, count: number): Promise<void> {
  const order = { createdAt: 'DESC', id: 'DESC' } as const;
  const beyond = await tx.find(sessions, {
    select: { id: true },
    where: { userId },
    order,
    skip: count,
    take: 100,
  });
  if (beyond.length > 0) await tx.delete(sessions, { id: In(beyond.map(({ id }) => id)) });
}

/** Deletes the sessions that ended, or were last used, at the latest then. */
export async function deleteEndedSessions(tx: Tx, expired: Date, lastUsed: Date): Promise<void> {
  await tx.delete(sessions, { expiresAt: LessThanOrEqual(expired) });
  await tx.delete(sessions, { lastUsedAt: LessThanOrEqual(lastUsed) });
}

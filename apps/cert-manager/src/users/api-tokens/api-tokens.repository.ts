import type { TokenScope } from '@certloop/contracts';
import {
  column,
  defineTable,
  deleteRows,
  findRow,
  findRows,
  insertMany,
  type Tx,
  updateRows,
} from '@certloop/db';
import { In } from 'typeorm';
import type { ApiTokenRow } from './api-token.js';

export const apiTokens = defineTable<ApiTokenRow>('api_tokens', {
  columns: {
    id: column.word(8).primary(),
    secretHash: column.word(64),
    userId: column.uuid(),
    name: column.text(),
    scope: column.word<TokenScope>(16),
    spaceIds: column.json<readonly string[]>().nullable(),
    allowedCidrs: column.json<readonly string[]>(),
    expiresAt: column.instant(),
    createdAt: column.instant(),
    lastUsedAt: column.instant().nullable(),
    lastUsedIp: column.word(45).nullable(),
    familyId: column.word(8).nullable(),
    predecessorId: column.word(8).nullable(),
    renewableUntil: column.instant().nullable(),
    lifetimeSeconds: column.integer().nullable(),
  },
  indexes: [{ columns: ['userId', 'createdAt', 'id'] }],
  references: [{ columns: ['userId'], table: 'users', onDelete: 'CASCADE' }],
});

export async function insertApiToken(tx: Tx, row: ApiTokenRow): Promise<void> {
  await insertMany(tx, apiTokens, [row]);
}

export async function findApiToken(tx: Tx, id: string): Promise<ApiTokenRow | undefined> {
  return findRow(tx, apiTokens, { id });
}

/** The existing tokens among at least one id. */
export function listApiTokensById(tx: Tx, ids: readonly string[]): Promise<ApiTokenRow[]> {
  return findRows(tx, apiTokens, { id: ids });
}

/** Tokens of the user, oldest first. */
export async function listApiTokensOf(tx: Tx, userId: string): Promise<ApiTokenRow[]> {
  return tx.find(apiTokens, { where: { userId }, order: { createdAt: 'ASC', id: 'ASC' } });
}

export async function countApiTokensOf(tx: Tx, userId: string): Promise<number> {
  return tx.countBy(apiTokens, { userId });
}

export async function noteTokenUse(tx: Tx, id: string, use: { at: Date; ip: string }): Promise<void> {
  await updateRows(tx, apiTokens, { id }, { lastUsedAt: use.at, lastUsedIp: use.ip });
}

export async function endApiToken(tx: Tx, id: string, expiresAt: Date): Promise<void> {
  await updateRows(tx, apiTokens, { id }, { expiresAt });
}

/** At least one id is given. */
export async function deleteApiTokens(tx: Tx, ids: readonly string[]): Promise<void> {
  await deleteRows(tx, apiTokens, { id: In([...ids]) });
}

import { column, defineTable, findRows, insertOrUpdate, type RowOf, type Tx } from '@certloop/db';
import type { KeyKind } from './api-key.js';

export const apiKeys = defineTable('api_keys', {
  columns: {
    projectId: column.uuid().primary(),
    kind: column.word<KeyKind>(10).primary(),
    /** As `hashKey` makes it; the key itself is not stored. */
    hash: column.word(73),
    createdAt: column.preciseInstant(),
  },
  indexes: [{ columns: ['hash'], unique: true }],
  references: [{ columns: ['projectId'], table: 'projects', onDelete: 'CASCADE' }],
});

export type ApiKey = RowOf<typeof apiKeys>;

/** Keys of the projects, of each the read-write one first. */
export async function listApiKeys(tx: Tx, projectIds: readonly string[]): Promise<ApiKey[]> {
  if (projectIds.length === 0) return [];
  return findRows(tx, apiKeys, { projectId: projectIds }, { order: { by: ['kind'], direction: 'desc' } });
}

export async function deleteApiKey(tx: Tx, projectId: string, kind: KeyKind): Promise<void> {
  await tx.delete(apiKeys, { projectId, kind });
}

/** Puts the key in the place of an older one of its kind. */
export function replaceApiKey(tx: Tx, key: ApiKey): Promise<void> {
  return insertOrUpdate(tx, apiKeys, key);
}

import { column, defineTable, deleteRows, executeSql, insertMany, type RowOf, type Tx } from '@certloop/db';
import { LessThanOrEqual, MoreThan } from 'typeorm';

export const setupTokens = defineTable('setup_tokens', {
  columns: {
    /** SHA-256 of the token, hex. */
    secretHash: column.word(64).primary(),
    expiresAt: column.instant(),
  },
});

export type SetupTokenRow = RowOf<typeof setupTokens>;

/** Stores a token in addition to those of other processes, and deletes expired ones. */
export async function insertSetupToken(tx: Tx, row: SetupTokenRow, now: Date): Promise<void> {
  await deleteRows(tx, setupTokens, { expiresAt: LessThanOrEqual(now) });
  await insertMany(tx, setupTokens, [row]);
}

export async function hasSetupToken(tx: Tx, secretHash: string, now: Date): Promise<boolean> {
  return tx.existsBy(setupTokens, { secretHash, expiresAt: MoreThan(now) });
}

export async function hasSetupTokens(tx: Tx): Promise<boolean> {
  return tx.existsBy(setupTokens, {});
}

export async function deleteSetupTokens(tx: Tx): Promise<void> {
  await executeSql(tx, 'delete from setup_tokens', []);
}

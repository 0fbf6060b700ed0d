import { column, defineTable, deleteRows, insertMany, type RowOf, type Tx } from '@certloop/db';
import { Not } from 'typeorm';

export const encryptionCanaries = defineTable('encryption_canaries', {
  columns: {
    keyId: column.word(32).primary(),
    sealed: column.text(),
    createdAt: column.instant(),
  },
});

/** A known word, encrypted with one key, by which another process checks that its key is the same. */
export type CanaryRow = RowOf<typeof encryptionCanaries>;

export function listCanaries(tx: Tx): Promise<CanaryRow[]> {
  return tx.find(encryptionCanaries, { order: { keyId: 'ASC' } });
}

export function insertCanary(tx: Tx, row: CanaryRow): Promise<void> {
  return insertMany(tx, encryptionCanaries, [row]);
}

/** Forgets the keys that no longer encrypt anything: all but one. */
export async function deleteOtherCanaries(tx: Tx, keyId: string): Promise<void> {
  await deleteRows(tx, encryptionCanaries, { keyId: Not(keyId) });
}

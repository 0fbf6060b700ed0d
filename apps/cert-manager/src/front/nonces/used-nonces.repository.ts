import { column, defineTable, executeSql, insertIfAbsent, type Tx } from '@certloop/db';

export const acmeUsedNonces = defineTable('acme_used_nonces', {
  columns: {
    nonce: column.word(64).primary(),
    /** From then on its time refuses it. */
    expiresAt: column.instant(),
  },
  indexes: [{ columns: ['expiresAt'] }],
});

/** Uses a nonce up; false if it was used before. */
export function insertUsedNonce(tx: Tx, nonce: string, expiresAt: Date): Promise<boolean> {
  return insertIfAbsent(tx, acmeUsedNonces, { nonce, expiresAt });
}

/** Deletes nonces that have expired; how many, at most `limit`. */
export function deleteExpiredNonces(tx: Tx, now: Date, limit: number): Promise<number> {
  const expired = `select nonce from acme_used_nonces where expires_at <= $1 order by expires_at limit ${limit}`;
  return executeSql(tx, `delete from acme_used_nonces where nonce in (${expired})`, [now]);
}

import {
  capabilitiesOf,
  column,
  connectionName,
  defineTable,
  deleteRows,
  insertMany,
  querySql,
  type RowOf,
  type Tx,
} from '@certloop/db';
import { In } from 'typeorm';

export const encryptionCanaries = defineTable('encryption_canaries', {
  columns: {
    keyId: column.word(32).primary(),
    sealed: column.text(),
    createdAt: column.preciseInstant(),
  },
});

/**
 * A known word, encrypted with one key, by which another process checks that its key is the same. The first one also
 * says that secrets are stored encrypted from then on.
 */
export type CanaryRow = RowOf<typeof encryptionCanaries>;

export function listCanaries(tx: Tx): Promise<CanaryRow[]> {
  return tx.find(encryptionCanaries, { order: { keyId: 'ASC' } });
}

export function insertCanary(tx: Tx, row: CanaryRow): Promise<void> {
  return insertMany(tx, encryptionCanaries, [row]);
}

/** Forgets keys that no longer encrypt anything. */
export async function deleteCanaries(tx: Tx, keyIds: readonly string[]): Promise<void> {
  if (keyIds.length > 0) await deleteRows(tx, encryptionCanaries, { keyId: In([...keyIds]) });
}

/**
 * Whether a process of a version that cannot read encrypted secrets is connected; undefined if that cannot be known,
 * as the URL or a pooler names the connections. SQLite has one process only.
 */
export async function hasEarlierProcess(tx: Tx): Promise<boolean | undefined> {
  if (capabilitiesOf(tx).isEmbedded) return false;
  const text = `select current_setting('application_name') as own, count(*) as earlier from pg_stat_activity
    where datname = current_database() and application_name = 'certloop'`;
  const [row] = await querySql(tx, { own: column.text(), earlier: column.bigint() }, text);
  if ((row?.earlier ?? 0) > 0) return true;
  return row?.own === connectionName ? false : undefined;
}

import { column, defineTable, deleteRows, executeSql, insertMany, type RowOf, type Tx } from '@certloop/db';
import { In } from 'typeorm';
import type { WatchSignal } from '../signal-now.js';

export const watchPings = defineTable('watch_pings', {
  columns: {
    /** Sent as the run id, so that one which was sent twice can be recognised. */
    id: column.uuid().primary(),
    /** Id of an FQDN, or name of a recurring job. */
    subject: column.word(64),
    signal: column.word<WatchSignal>(8),
    body: column.text(),
    createdAt: column.instant(),
  },
  indexes: [{ columns: ['subject', 'createdAt', 'id'] }],
});

/** A ping that the monitor has not taken yet. */
export type WatchPingRow = RowOf<typeof watchPings>;

// what a monitor that comes back after a month wants to know
const maxStored = 20;

/** Keeps a ping until it is sent, and of each subject the newest 20. */
export async function insertPing(tx: Tx, ping: WatchPingRow): Promise<void> {
  await insertMany(tx, watchPings, [ping]);
  await executeSql(
    tx,
    `delete from watch_pings where subject = $1 and id not in (
       select id from watch_pings where subject = $1 order by created_at desc, id desc limit ${maxStored})`,
    [ping.subject],
  );
}

/** Pings of a subject, oldest first. */
export function listPings(tx: Tx, subject: string): Promise<WatchPingRow[]> {
  return tx.find(watchPings, { where: { subject }, order: { createdAt: 'ASC', id: 'ASC' }, take: maxStored });
}

export async function deletePings(tx: Tx, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await deleteRows(tx, watchPings, { id: In([...ids]) });
}

export async function deletePingsOf(tx: Tx, subject: string): Promise<void> {
  await deleteRows(tx, watchPings, { subject });
}

import type { Database } from '@certloop/db';
import type { Clock } from '@certloop/server';
import type { LostPings } from '../../renewals/heartbeat/heartbeat.client.js';
import { sentText } from './ping-text.js';
import { deletePings, insertPing, listPings } from './watch-pings.repository.js';

/** Keeps what the monitor did not take of the recurring job of that name, the newest 20. */
export function createLostPings(
  { db, clock }: { readonly db: Database; readonly clock: Clock },
  job: string,
): LostPings {
  return {
    store: (signal, id, body) =>
      db.transaction((tx) => insertPing(tx, { id, subject: job, signal, body, createdAt: clock.now() })),
    list: async () => {
      const rows = await db.read((tx) => listPings(tx, job));
      return rows.map((row) => ({ signal: row.signal, rid: row.id, text: sentText(row, clock.now()) }));
    },
    remove: (id) => db.transaction((tx) => deletePings(tx, [id])),
  };
}

import { column, querySql, type Tx } from '@certloop/db';

export interface Counters {
  /** Pings ever received of the checks that there are. */
  readonly pings: number | null;
  readonly lastNotificationId: number | null;
  /** Changes of status that wait to be sent. */
  readonly waitingFlips: number;
}

export async function readCounters(tx: Tx): Promise<Counters> {
  const columns = {
    pings: column.bigint().nullable(),
    lastNotificationId: column.bigint().nullable(),
    waitingFlips: column.bigint(),
  };
  const text = `select
    (select nullif(cast(sum(ping_count) as bigint), 0) from check_states) as pings,
    (select max(id) from notifications) as last_notification_id,
    (select count(*) from flips where processed_at is null) as waiting_flips`;
  const [counters] = await querySql<Counters>(tx, columns, text);
  return counters ?? { pings: null, lastNotificationId: null, waitingFlips: 0 };
}

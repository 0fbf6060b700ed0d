import { column, querySql, type Tx } from '@certloop/db';
import type { StoredStatus } from '../checks/check-state.js';
import type { Micros } from '../instants.js';

/** Rows that a count looks at: a scrape must cost the same however much waits. */
export const mostCounted = 100_000;
/** Checks that are counted by their status. */
export const mostChecks = 1_000_000;

/** What waits for the alert loop and for the workers that deliver. */
export interface Waiting {
  /** Moment at which a look at some check has been due for the longest time; null when none is due. */
  readonly earliestDue: Micros | null;
  /** Changes of status that are not yet made into messages, up to `mostCounted`. */
  readonly flips: number;
  /** Messages that are not delivered yet, up to `mostCounted`, and when the oldest of them was made. */
  readonly messages: number;
  readonly oldestMessage: Micros | null;
}

/** Each part is answered from an index that holds only what waits. */
export async function readWaiting(tx: Tx, now: Micros): Promise<Waiting> {
  const columns = {
    earliestDue: column.preciseInstant().nullable(),
    flips: column.bigint(),
    messages: column.bigint(),
    oldestMessage: column.preciseInstant().nullable(),
  };
  const text = `select
    (select min(alert_after) from check_states where alert_after is not null and alert_after < $1) as earliest_due,
    (select count(*) from (select 1 from flips where processed_at is null limit ${mostCounted}) f) as flips,
    (select count(*) from (select 1 from notifications where settled_at is null limit ${mostCounted}) n) as messages,
    (select created_at from notifications where settled_at is null order by id limit 1) as oldest_message`;
  const [waiting] = await querySql(tx, columns, text, [now]);
  return waiting ?? { earliestDue: null, flips: 0, messages: 0, oldestMessage: null };
}

/** Checks by their stored status, of up to `mostChecks`. */
export async function countChecks(tx: Tx): Promise<{ storedStatus: StoredStatus; count: number }[]> {
  const columns = { storedStatus: column.word<StoredStatus>(6), count: column.bigint() };
  const text = `select stored_status, count(*) as count
    from (select stored_status from check_states limit ${mostChecks}) s group by stored_status`;
  return querySql(tx, columns, text);
}

import { column, querySql, type Tx } from '@certloop/db';
import type { StoredStatus } from '../checks/check-timing.js';
import type { Micros } from '../instants.js';

/** Rows that a count looks at: a scrape must cost the same however much waits. */
export const maxCounted = 100_000;
/** Checks that are counted by their status. */
export const maxChecks = 1_000_000;

/** Alerts that wait for the alert loop, and messages that wait for the workers. */
export interface WaitingAlerts {
  /** Earliest moment at which the evaluation of a check was due; null when none is due. */
  readonly earliestDue: Micros | null;
  /** Changes of status that are not yet made into messages, up to `maxCounted`. */
  readonly flips: number;
  /** Messages that are not delivered yet, up to `maxCounted`. */
  readonly messages: number;
  /** When the oldest of them was made, of channels that neither fail nor are held back. */
  readonly oldestMessage: Micros | null;
  /** When the oldest of them was made, of channels that are held back but do not fail. */
  readonly oldestHeld: Micros | null;
  /** Channels that fail while messages wait for them. */
  readonly failingChannels: number;
}

/** Each part is answered from an index that holds only what waits. */
export async function readWaiting(tx: Tx, now: Micros): Promise<WaitingAlerts> {
  const columns = {
    earliestDue: column.preciseInstant().nullable(),
    flips: column.bigint(),
    messages: column.bigint(),
  };
  const text = `select
    (select min(alert_after) from check_states where alert_after is not null and alert_after < $1) as earliest_due,
    (select count(*) from (select 1 from flips where processed_at is null limit ${maxCounted}) f) as flips,
    (select count(*) from (select 1 from notifications where settled_at is null limit ${maxCounted}) n) as messages`;
  const [waiting] = await querySql(tx, columns, text, [now]);
  const none = { earliestDue: null, flips: 0, messages: 0 };
  return { ...none, ...waiting, ...(await readWaitingChannels(tx, now)) };
}

/** The recursion visits each channel that messages wait for once, however many there are. */
async function readWaitingChannels(
  tx: Tx,
  now: Micros,
): Promise<Pick<WaitingAlerts, 'oldestMessage' | 'oldestHeld' | 'failingChannels'>> {
  const columns = {
    oldestMessage: column.preciseInstant().nullable(),
    oldestHeld: column.preciseInstant().nullable(),
    failingChannels: column.bigint(),
  };
  const text = `with recursive queued(id) as (
      select min(channel_id) from notifications where settled_at is null
      union all
      select (select min(channel_id) from notifications where settled_at is null and channel_id > queued.id)
        from queued where queued.id is not null)
    select min(case when failing_since is null and (held_until is null or held_until <= $1) then oldest end)
        as oldest_message,
      min(case when failing_since is null and held_until > $1 then oldest end) as oldest_held,
      count(failing_since) as failing_channels
    from (
      select c.failing_since, c.held_until, (select n.created_at from notifications n
        where n.channel_id = c.id and n.settled_at is null order by n.id limit 1) as oldest
      from queued join channels c on c.id = queued.id where c.disabled_at is null) w`;
  const [waiting] = await querySql(tx, columns, text, [now]);
  return waiting ?? { oldestMessage: null, oldestHeld: null, failingChannels: 0 };
}

/** Checks by their stored status, of up to `maxChecks`. */
export async function countChecksByStatus(tx: Tx): Promise<{ storedStatus: StoredStatus; count: number }[]> {
  const columns = { storedStatus: column.word<StoredStatus>(6), count: column.bigint() };
  const text = `select stored_status, count(*) as count
    from (select stored_status from check_states limit ${maxChecks}) s group by stored_status`;
  return querySql(tx, columns, text);
}

interface Counters {
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

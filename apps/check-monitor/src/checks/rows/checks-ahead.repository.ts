import { querySql, type Tx } from '@certloop/db';
import type { Micros } from '../../instants.js';
import { deadlineOf } from '../check-timing.js';
import { type OverdueCheck, overdueColumns, updateSeen } from './overdue-checks.repository.js';

const columns = { last_ping: 'bigint', last_start: 'bigint', alert_after: 'bigint' } as const;
const set = `last_ping = v.last_ping, last_start = v.last_start, alert_after = v.alert_after,
  revision = check_states.revision + 1`;

/** Checks whose last ping or start is after the moment. */
export function listChecksAhead(tx: Tx, after: Micros, limit: number): Promise<OverdueCheck[]> {
  const text = `select * from ${overdueColumns.from} where id in (
    select check_id from check_states where last_ping > $1 or last_start > $1 limit $2)`;
  return querySql<OverdueCheck>(tx, overdueColumns.columns, text, [after, limit]);
}

/**
 * Sets the last ping and start of checks to `now` where they are later, and the deadline by these, unless something has
 * happened to the check since it was read; the number of checks.
 */
export async function setBackChecks(tx: Tx, seen: readonly OverdueCheck[], now: Micros): Promise<number> {
  const atMost = (moment: Micros | null) => (moment === null ? null : Math.min(moment, now));
  const rows = seen.map((check) => {
    const [lastPing, lastStart] = [atMost(check.lastPing), atMost(check.lastStart)];
    const alertAfter = check.alertAfter === null ? null : deadlineOf({ ...check, lastPing, lastStart });
    const state = { last_ping: lastPing, last_start: lastStart, alert_after: alertAfter };
    return { check, ...state };
  });
  return (await updateSeen(tx, set, columns, rows)).size;
}

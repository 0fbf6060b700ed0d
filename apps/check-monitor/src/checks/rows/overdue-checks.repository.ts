import { inDialect, querySql, type Tx } from '@certloop/db';
import type { Micros } from '../../instants.js';
import type { Check } from '../check.js';
import { deadlineOf } from '../check-timing.js';
import { type CheckStateRow, checkStates } from './check-states.repository.js';
import { wholeCheckColumns, wholeChecks } from './checks.repository.js';
import { type JsonColumnType, jsonRows } from './json-rows.js';

/** A check whose `alertAfter` has passed, as it was read. */
export type OverdueCheck = Check & Pick<CheckStateRow, 'revision'>;

const columns = { ...wholeCheckColumns, revision: checkStates.columns.revision };

/** Checks whose `alertAfter` has passed, the earliest first. */
export async function listOverdueChecks(tx: Tx, now: Micros, limit: number): Promise<OverdueCheck[]> {
  const text = `select * from ${wholeChecks} where alert_after is not null and alert_after < $1
    and stored_status <> 'down' order by alert_after limit $2`;
  return querySql(tx, columns, text, [now, limit]);
}

/** Puts off the next look at checks, where nothing has happened to them since they were read. */
export async function postponeChecks(
  tx: Tx,
  seen: readonly { readonly check: OverdueCheck; readonly alertAfter: Micros | null }[],
): Promise<void> {
  const rows = seen.map(({ check, alertAfter }) => ({ check, alert_after: alertAfter }));
  // no new revision: when to look is no business of pings
  await updateSeen(tx, 'alert_after = v.alert_after', { alert_after: 'bigint' }, rows);
}

/** Turns the checks down to which nothing has happened since they were read; returns the ids of these. */
export async function turnDown(tx: Tx, seen: readonly OverdueCheck[]): Promise<Set<number>> {
  const set = "stored_status = 'down', alert_after = null, revision = check_states.revision + 1";
  const rows = seen.map((check) => ({ check }));
  return updateSeen(tx, set, {}, rows);
}

const aheadColumns = { last_ping: 'bigint', last_start: 'bigint', alert_after: 'bigint' } as const;
const setBack = `last_ping = v.last_ping, last_start = v.last_start, alert_after = v.alert_after,
  revision = check_states.revision + 1`;

/** Checks whose last ping or start is after the moment. */
export function listChecksAhead(tx: Tx, after: Micros, limit: number): Promise<OverdueCheck[]> {
  const text = `select * from ${wholeChecks} where id in (
    select check_id from check_states where last_ping > $1 or last_start > $1 limit $2)`;
  return querySql(tx, columns, text, [after, limit]);
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
  return (await updateSeen(tx, setBack, aheadColumns, rows)).size;
}

/** Writes the columns of the rows where the check is as it was read; returns the ids of these. */
async function updateSeen(
  tx: Tx,
  set: string,
  columns: Readonly<Record<string, JsonColumnType>>,
  rows: readonly { readonly check: Pick<OverdueCheck, 'id' | 'revision'> }[],
): Promise<Set<number>> {
  if (rows.length === 0) return new Set();
  const source = jsonRows({ id: 'bigint', revision: 'bigint', ...columns });
  const text = `update check_states set ${set} from ${inDialect(tx, source)}
    where check_states.check_id = v.id and check_states.revision = v.revision returning check_id`;
  const values = rows.map(({ check: { id, revision }, ...row }) => ({ id, revision, ...row }));
  const updated = await querySql(tx, { checkId: checkStates.columns.checkId }, text, [values]);
  return new Set(updated.map(({ checkId }) => checkId));
}

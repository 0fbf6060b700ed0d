import { inDialect, querySql, type Tx } from '@certloop/db';
import type { Micros } from '../../instants.js';
import type { Check } from '../check.js';
import { type CheckStateRow, checkStates } from './check-states.repository.js';
import { wholeCheckColumns, wholeChecks } from './checks.repository.js';
import { type JsonColumnType, jsonRows } from './json-rows.js';

/** A check whose `alertAfter` has passed, as it was read. */
export type OverdueCheck = Check & Pick<CheckStateRow, 'revision'>;

/** How checks are read with the revision of their state. */
export const overdueColumns = {
  from: wholeChecks,
  columns: { ...wholeCheckColumns, revision: checkStates.columns.revision },
};

/** Checks whose `alertAfter` has passed, the earliest first. */
export async function listOverdueChecks(tx: Tx, now: Micros, limit: number): Promise<OverdueCheck[]> {
  const text = `select * from ${wholeChecks} where alert_after is not null and alert_after < $1
    and stored_status <> 'down' order by alert_after limit $2`;
  return querySql<OverdueCheck>(tx, overdueColumns.columns, text, [now, limit]);
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

/** Writes the columns of the rows where the check is as it was read; returns the ids of these. */
export async function updateSeen(
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

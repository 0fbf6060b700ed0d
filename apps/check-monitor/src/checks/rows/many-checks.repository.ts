import {
  capabilitiesOf,
  deleteRows,
  executeSql,
  inDialect,
  placeholders,
  querySql,
  type Tx,
} from '@certloop/db';
import { In } from 'typeorm';
import type { Check } from '../check.js';
import type { StateChange } from '../check-timing.js';
import { checks, wholeCheckColumns, wholeChecks } from './checks.repository.js';
import { jsonRows } from './json-rows.js';

/** A check by which names a request may mean it. */
export type NamedCheck = Pick<Check, 'id' | 'uuid' | 'name'>;

/** Checks of a project by their uuids; others are ignored. */
export async function listNamedChecks(
  tx: Tx,
  projectId: string,
  uuids: readonly string[],
): Promise<NamedCheck[]> {
  if (uuids.length === 0) return [];
  const { id, uuid, name } = checks.columns;
  const text = `select id, uuid, name from checks
    where project_id = $1 and uuid in (${placeholders(uuids.length, 2)}) order by id`;
  return querySql(tx, { id, uuid, name }, text, [projectId, ...uuids]);
}

/**
 * Checks of a project, locked until the transaction ends; those that were deleted are omitted. Locked in the order of
 * their ids, as by pings, and before they are read: a statement that waits for a lock reads old versions of joined rows.
 */
export async function lockChecks(tx: Tx, projectId: string, ids: readonly number[]): Promise<Check[]> {
  if (capabilitiesOf(tx).hasConcurrentWriters) {
    const lock = `select 1 from check_states where check_id in (${placeholders(ids.length, 1)})
      order by check_id for update`;
    await executeSql(tx, lock, ids);
  }
  const text = `select * from ${wholeChecks}
    where project_id = $1 and id in (${placeholders(ids.length, 2)}) order by id`;
  return querySql(tx, wholeCheckColumns, text, [projectId, ...ids]);
}

const stateRows = jsonRows({
  id: 'bigint',
  stored_status: 'text',
  last_ping: 'bigint',
  last_start: 'bigint',
  last_start_run_id: 'uuid',
  last_duration: 'bigint',
  alert_after: 'bigint',
});

/** Sets the states of locked checks. */
export async function updateManyStates(
  tx: Tx,
  changes: readonly { readonly id: number; readonly state: StateChange }[],
): Promise<void> {
  if (changes.length === 0) return;
  const text = `update check_states set revision = check_states.revision + 1,
      stored_status = v.stored_status, last_ping = v.last_ping, last_start = v.last_start,
      last_start_run_id = v.last_start_run_id, last_duration = v.last_duration, alert_after = v.alert_after
    from ${inDialect(tx, stateRows)} where check_states.check_id = v.id`;
  const rows = changes.map(({ id, state }) => ({
    id,
    stored_status: state.storedStatus,
    last_ping: state.lastPing,
    last_start: state.lastStart,
    last_start_run_id: state.lastStartRunId,
    last_duration: state.lastDuration,
    alert_after: state.alertAfter,
  }));
  await executeSql(tx, text, [JSON.stringify(rows)]);
}

/** Sets the tags of locked checks. */
export async function updateManyTags(
  tx: Tx,
  changes: readonly { readonly id: number; readonly tags: string }[],
): Promise<void> {
  if (changes.length === 0) return;
  const rows = inDialect(tx, jsonRows({ id: 'bigint', tags: 'text' }));
  await executeSql(tx, `update checks set tags = v.tags from ${rows} where checks.id = v.id`, [
    JSON.stringify(changes.map(({ id, tags }) => ({ id, tags }))),
  ]);
  const ids = changes.map(({ id }) => id);
  const text = `update check_states set revision = revision + 1
    where check_id in (${placeholders(ids.length, 1)})`;
  await executeSql(tx, text, ids);
}

/** Deletes locked checks with their pings and flips. */
export async function deleteManyChecks(tx: Tx, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  await deleteRows(tx, checks, { id: In([...ids]) });
}

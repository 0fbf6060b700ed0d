import { column, inDialect, querySql, type Tx } from '@certloop/db';
import { type Micros, microsPerSecond } from '../../instants.js';
import type { TaggedCheck, TaggedStatus } from '../check.js';
import { type StoredStatus, statusAt } from '../check-timing.js';
import { periodColumns, wholeCheckColumns, wholeChecks } from './checks.repository.js';
import { rowCells } from './row-cells.repository.js';

const { uuid, tags, storedStatus, lastPing, lastStart } = wholeCheckColumns;

const tagged = rowCells<TaggedCheck>({ uuid, tags, ...periodColumns, storedStatus, lastPing, lastStart });
const cellColumns = tagged.select.join(', ');

const checksAtOnce = 500;

/**
 * Checks of a project, or those of them that `uuids` names, in no order, with their status at `now`. Some hundred
 * checks come as one JSON text, since to read ten columns of thousands of rows takes longer than all the rest.
 */
export async function listTaggedStatuses(
  tx: Tx,
  projectId: string,
  now: Micros,
  uuids?: readonly string[],
): Promise<TaggedStatus[]> {
  const list = inDialect(tx, { sqlite: listOnSqlite, postgres: listOnPostgres });
  return list(tx, projectId, now, uuids);
}

async function listOnSqlite(
  tx: Tx,
  projectId: string,
  now: Micros,
  uuids: readonly string[] | undefined,
): Promise<TaggedStatus[]> {
  const named = 'and uuid in (select value from json_each($2))';
  const text = `select group_concat(json_array(${cellColumns}), ',') as cells from ${wholeChecks}
    where project_id = $1 ${uuids === undefined ? '' : named} group by id / ${checksAtOnce}`;
  const values = uuids === undefined ? [projectId] : [projectId, JSON.stringify(uuids)];
  const rows = await querySql(tx, { cells: column.text() }, text, values);
  return rows.flatMap(({ cells }) => statusesOf(cells, now));
}

// What `statusAt` makes of a check whose status follows from a few of its columns: it is not running, and it is not up
// or the next ping is not due. `alert_after` is never later than the end of its grace.
const isSettled = `last_start is null and (stored_status <> 'up' or last_ping is null or
  case when kind = 'simple' then last_ping + timeout_seconds * cast(${microsPerSecond} as bigint)
    else coalesce(alert_after, 0) - grace_seconds * cast(${microsPerSecond} as bigint) end > $2)`;

const settledColumns = {
  uuids: 'cast(uuid as text)',
  tags: 'cast(to_json(tags) as text)',
  statuses: 'stored_status',
};

const settledLists = Object.entries(settledColumns).map(
  ([name, cell]) => `string_agg(${cell}, ',') filter (where is_settled) as ${name}`,
);

/** Of most checks three columns are enough: to write ten as JSON takes PostgreSQL twice as long. */
async function listOnPostgres(
  tx: Tx,
  projectId: string,
  now: Micros,
  uuids: readonly string[] | undefined,
): Promise<TaggedStatus[]> {
  const named = 'and uuid = any(cast($3 as uuid[]))';
  const cells = `string_agg(cast(json_build_array(${cellColumns}) as text), ',') filter (where not is_settled)`;
  const text = `select ${settledLists.join(', ')}, ${cells} as cells
    from (select id, alert_after, ${cellColumns}, ${isSettled} as is_settled from ${wholeChecks}
      where project_id = $1 ${uuids === undefined ? '' : named}) judged
    group by id / ${checksAtOnce}`;
  const values = uuids === undefined ? [projectId, now] : [projectId, now, `{${uuids.join(',')}}`];
  const list = column.text().nullable();
  const rows = await querySql(tx, { uuids: list, tags: list, statuses: list, cells: list }, text, values);
  return rows.flatMap(({ uuids, tags, statuses, cells }) => [
    ...settledOf(uuids, tags, statuses),
    ...statusesOf(cells, now),
  ]);
}

function settledOf(uuids: string | null, tags: string | null, statuses: string | null): TaggedStatus[] {
  if (uuids === null || statuses === null) return [];
  const tagsOfAll = JSON.parse(`[${tags}]`) as string[];
  const statusOfAll = statuses.split(',') as StoredStatus[];
  return uuids
    .split(',')
    .map((uuid, place) => ({ uuid, tags: tagsOfAll[place] ?? '', status: statusOfAll[place] ?? 'new' }));
}

function statusesOf(cells: string | null, now: Micros): TaggedStatus[] {
  if (cells === null) return [];
  return (JSON.parse(`[${cells}]`) as unknown[][]).map((cell) => {
    const check = tagged.read(cell, {});
    return { uuid: check.uuid, tags: check.tags, status: statusAt(check, now) };
  });
}

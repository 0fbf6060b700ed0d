import { column, querySql, type Tx } from '@certloop/db';
import type { TaggedCheck } from './check.js';
import { wholeChecks } from './checks.repository.js';

const properties = [
  'uuid',
  'tags',
  'kind',
  'timeoutSeconds',
  'graceSeconds',
  'schedule',
  'tz',
  'storedStatus',
  'lastPing',
  'lastStart',
] as const satisfies readonly (keyof TaggedCheck)[];

type CellsOf<Names extends readonly (keyof TaggedCheck)[]> = {
  readonly [Place in keyof Names]: TaggedCheck[Names[Place]];
};

const cellColumns = properties
  .map((name) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`))
  .join(', ');

const checksAtOnce = 500;

/**
 * Checks of a project, or those of them that `uuids` names, in no order. Some hundred checks come as one JSON text,
 * since to read ten columns of thousands of rows takes longer than all the rest.
 */
export async function listTaggedChecks(
  tx: Tx,
  projectId: string,
  uuids?: readonly string[],
): Promise<TaggedCheck[]> {
  const isPostgres = tx.dataSource.options.type === 'postgres';
  const cells = isPostgres
    ? `string_agg(cast(json_build_array(${cellColumns}) as text), ',')`
    : `group_concat(json_array(${cellColumns}), ',')`;
  const named = isPostgres
    ? 'and uuid = any(cast($2 as uuid[]))'
    : 'and uuid in (select value from json_each($2))';
  const text = `select ${cells} as cells from ${wholeChecks}
    where project_id = $1 ${uuids === undefined ? '' : named} group by id / ${checksAtOnce}`;
  const list = isPostgres ? `{${uuids?.join(',')}}` : JSON.stringify(uuids);
  const rows = await querySql(
    tx,
    { cells: column.text() },
    text,
    uuids === undefined ? [projectId] : [projectId, list],
  );
  return rows.flatMap((row) => (JSON.parse(`[${row.cells}]`) as CellsOf<typeof properties>[]).map(checkOf));
}

function checkOf([
  uuid,
  tags,
  kind,
  timeoutSeconds,
  graceSeconds,
  schedule,
  tz,
  storedStatus,
  lastPing,
  lastStart,
]: CellsOf<typeof properties>): TaggedCheck {
  return { uuid, tags, kind, timeoutSeconds, graceSeconds, schedule, tz, storedStatus, lastPing, lastStart };
}

import { column, querySql, type Tx } from '@certloop/db';
import type { Check } from './check.js';
import { wholeChecks } from './checks.repository.js';

const properties = [
  'id',
  'projectId',
  'uuid',
  'badgeUuid',
  'uniqueKey',
  'name',
  'slug',
  'tags',
  'description',
  'kind',
  'timeoutSeconds',
  'graceSeconds',
  'schedule',
  'tz',
  'manualResume',
  'methods',
  'startKeywords',
  'successKeywords',
  'failureKeywords',
  'filterSubject',
  'filterBody',
  'filterHttpBody',
  'filterDefaultFail',
  'storedStatus',
  'lastPing',
  'lastStart',
  'lastStartRunId',
  'lastDuration',
  'alertAfter',
  'pingCount',
  'createdAt',
] as const satisfies readonly (keyof Check)[];

/** SQLite knows no booleans. */
type Cell<Value> = Value extends boolean ? boolean | 0 | 1 : Value;
type CellsOf<Names extends readonly (keyof Check)[]> = {
  readonly [Place in keyof Names]: Cell<Check[Names[Place]]>;
};
/** A check as the array of its columns. */
type Cells = CellsOf<typeof properties>;

/** Columns in the order of `Cells`. */
const cellColumns = properties
  .map((name) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`))
  .join(', ');

/**
 * Checks of a project in the order of their making; of one slug if given. For lists of thousands: each row comes as
 * one JSON array, as to read thirty columns of a row one by one takes three times as long.
 */
export async function listManyChecks(tx: Tx, projectId: string, slug?: string): Promise<Check[]> {
  const isPostgres = tx.dataSource.options.type === 'postgres';
  const cells = isPostgres ? `cast(json_build_array(${cellColumns}) as text)` : `json_array(${cellColumns})`;
  const bySlug = slug === undefined ? '' : 'and slug = $2';
  const text = `select ${cells} as cells from ${wholeChecks} where project_id = $1 ${bySlug} order by id`;
  const values = slug === undefined ? [projectId] : [projectId, slug];
  const rows = await querySql(tx, { cells: column.text() }, text, values);
  return rows.map((row) => checkOf(JSON.parse(row.cells) as Cells));
}

/** The check of its cells. Named one by one: a loop over the names takes longer than all the rest. */
function checkOf([
  id,
  projectId,
  uuid,
  badgeUuid,
  uniqueKey,
  name,
  slug,
  tags,
  description,
  kind,
  timeoutSeconds,
  graceSeconds,
  schedule,
  tz,
  manualResume,
  methods,
  startKeywords,
  successKeywords,
  failureKeywords,
  filterSubject,
  filterBody,
  filterHttpBody,
  filterDefaultFail,
  storedStatus,
  lastPing,
  lastStart,
  lastStartRunId,
  lastDuration,
  alertAfter,
  pingCount,
  createdAt,
]: Cells): Check {
  return {
    id,
    projectId,
    uuid,
    badgeUuid,
    uniqueKey,
    name,
    slug,
    tags,
    description,
    kind,
    timeoutSeconds,
    graceSeconds,
    schedule,
    tz,
    manualResume: isSet(manualResume),
    methods,
    startKeywords,
    successKeywords,
    failureKeywords,
    filterSubject: isSet(filterSubject),
    filterBody: isSet(filterBody),
    filterHttpBody: isSet(filterHttpBody),
    filterDefaultFail: isSet(filterDefaultFail),
    storedStatus,
    lastPing,
    lastStart,
    lastStartRunId,
    lastDuration,
    alertAfter,
    pingCount,
    createdAt,
  };
}

function isSet(cell: Cell<boolean>): boolean {
  return cell === true || cell === 1;
}

import { column, querySql, type Tx } from '@certloop/db';
import type { ShownCheck } from '../check.js';
import { wholeChecks } from './checks.repository.js';

const properties = [
  'id',
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
  'methods',
  'startKeywords',
  'successKeywords',
  'failureKeywords',
  'storedStatus',
  'lastPing',
  'lastStart',
  'lastDuration',
  'pingCount',
] as const satisfies readonly (keyof ShownCheck)[];

/** As bits of one number, the first one the lowest. */
const flags = [
  'manualResume',
  'filterSubject',
  'filterBody',
  'filterHttpBody',
  'filterDefaultFail',
] as const satisfies readonly (keyof ShownCheck)[];

/** A number, which PostgreSQL sends as its digits, since an array has one type. */
type Cell<Value> = Value extends number ? number | string : Value;
type CellsOf<Names extends readonly (keyof ShownCheck)[]> = {
  readonly [Place in keyof Names]: Cell<ShownCheck[Names[Place]]>;
};
/** A check as the array of its columns, its flags last. */
type Cells = readonly [...CellsOf<typeof properties>, number | string];

const columns = properties.map(columnOf);
const flagColumn = flags.map((name, bit) => `${2 ** bit} * cast(${columnOf(name)} as integer)`).join(' + ');

const checksAtOnce = 500;
const onPostgres = `cast(json_agg(array[${[...columns, flagColumn].map((cell) => `cast(${cell} as text)`).join(', ')}]
  order by id) as text)`;
const onSqlite = `json_group_array(json_array(${columns.join(', ')}, ${flagColumn}) order by id)`;

/**
 * Checks of a project in the order of their making; of one slug if given. For lists of thousands: some hundred come as
 * one JSON text, as to read the columns of each row one by one takes several times as long.
 */
export async function listManyChecks(tx: Tx, projectId: string, slug?: string): Promise<ShownCheck[]> {
  const cells = tx.dataSource.options.type === 'postgres' ? onPostgres : onSqlite;
  const bySlug = slug === undefined ? '' : 'and slug = $2';
  const text = `select ${cells} as cells from ${wholeChecks} where project_id = $1 ${bySlug}
    group by id / ${checksAtOnce} order by id / ${checksAtOnce}`;
  const values = slug === undefined ? [projectId] : [projectId, slug];
  const rows = await querySql(tx, { cells: column.text() }, text, values);
  return rows.flatMap((row) => (JSON.parse(row.cells) as Cells[]).map((check) => checkOf(projectId, check)));
}

function columnOf(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** The check of its cells. Named one by one: a loop over the names takes longer than all the rest. */
function checkOf(
  projectId: string,
  [
    id,
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
    methods,
    startKeywords,
    successKeywords,
    failureKeywords,
    storedStatus,
    lastPing,
    lastStart,
    lastDuration,
    pingCount,
    flagCell,
  ]: Cells,
): ShownCheck {
  const bits = Number(flagCell);
  return {
    id: Number(id),
    projectId,
    uuid,
    badgeUuid,
    uniqueKey,
    name,
    slug,
    tags,
    description,
    kind,
    timeoutSeconds: Number(timeoutSeconds),
    graceSeconds: Number(graceSeconds),
    schedule,
    tz,
    manualResume: (bits & 1) !== 0,
    methods,
    startKeywords,
    successKeywords,
    failureKeywords,
    filterSubject: (bits & 2) !== 0,
    filterBody: (bits & 4) !== 0,
    filterHttpBody: (bits & 8) !== 0,
    filterDefaultFail: (bits & 16) !== 0,
    storedStatus,
    lastPing: numberOrNull(lastPing),
    lastStart: numberOrNull(lastStart),
    lastDuration: numberOrNull(lastDuration),
    pingCount: Number(pingCount),
  };
}

function numberOrNull(cell: number | string | null): number | null {
  return cell === null ? null : Number(cell);
}

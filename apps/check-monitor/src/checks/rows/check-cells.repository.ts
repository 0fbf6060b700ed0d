import { column, inDialect, placeholders, querySql, type Tx } from '@certloop/db';
import type { Check, ShownCheck } from '../check.js';
import { wholeCheckColumns, wholeChecks } from './checks.repository.js';
import { rowCells } from './row-cells.repository.js';

const {
  projectId: _projectId,
  lastStartRunId: _lastStartRunId,
  alertAfter: _alertAfter,
  createdAt: _createdAt,
  ...shownColumns
} = wholeCheckColumns;

const shown = rowCells<Omit<ShownCheck, 'projectId'>, Pick<Check, 'projectId'>>(shownColumns, ['projectId']);

const checksAtOnce = 500;
// all elements of a PostgreSQL array have one type
const cellsOnPostgres = `cast(json_agg(array[${shown.select.map((cell) => `cast(${cell} as text)`).join(', ')}]
  order by id) as text)`;
const cellsOnSqlite = `json_group_array(json_array(${shown.select.join(', ')}) order by id)`;
const cellsSql = { sqlite: cellsOnSqlite, postgres: cellsOnPostgres };

/**
 * Checks of a project in the order of creation, optionally only those with a slug. For lists of thousands: the database
 * returns 500 checks as one JSON text, since reading each column of each row takes several times as long.
 */
export async function listManyChecks(tx: Tx, projectId: string, slug?: string): Promise<ShownCheck[]> {
  if (slug === undefined) return listWhere(tx, projectId, '', []);
  return listWhere(tx, projectId, 'and slug = $2', [slug]);
}

/** The same for the checks of the project with these ids; unknown ids are ignored. */
export async function listChecksByIds(
  tx: Tx,
  projectId: string,
  ids: readonly number[],
): Promise<ShownCheck[]> {
  if (ids.length === 0) return [];
  return listWhere(tx, projectId, `and id in (${placeholders(ids.length, 2)})`, ids);
}

async function listWhere(
  tx: Tx,
  projectId: string,
  condition: string,
  others: readonly (string | number)[],
): Promise<ShownCheck[]> {
  const cells = inDialect(tx, cellsSql);
  const text = `select ${cells} as cells from ${wholeChecks} where project_id = $1 ${condition}
    group by id / ${checksAtOnce} order by id / ${checksAtOnce}`;
  const values = [projectId, ...others];
  const rows = await querySql(tx, { cells: column.text() }, text, values);
  const given = { projectId };
  return rows.flatMap((row) =>
    (JSON.parse(row.cells) as unknown[][]).map((check) => shown.read(check, given)),
  );
}

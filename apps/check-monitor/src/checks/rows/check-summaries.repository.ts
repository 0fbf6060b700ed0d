import { setImmediate as nextTurn } from 'node:timers/promises';
import { column, inDialect, querySql, type Tx } from '@certloop/db';
import type { CheckSummary } from '../check-summary.js';
import { periodColumns, wholeCheckColumns, wholeChecks } from './checks.repository.js';
import { rowCells } from './row-cells.repository.js';

const { id, uuid, uniqueKey, name, slug, tags } = wholeCheckColumns;
const { storedStatus, lastPing, lastStart, lastDuration, alertAfter, pingCount } = wholeCheckColumns;

const summary = rowCells<CheckSummary>({
  id,
  uuid,
  uniqueKey,
  name,
  slug,
  tags,
  ...periodColumns,
  storedStatus,
  lastPing,
  lastStart,
  lastDuration,
  alertAfter,
  pingCount,
});

const checksAtOnce = 500;
const cells = summary.select.join(', ');
const cellsSql = {
  sqlite: `group_concat(json_array(${cells}), ',')`,
  postgres: `string_agg(cast(json_build_array(${cells}) as text), ',')`,
};
const namedSql = {
  sqlite: 'and uuid in (select value from json_each($2))',
  postgres: 'and uuid in (select cast(value as uuid) from json_array_elements_text(cast($2 as json)))',
};

/**
 * Texts of the checks of a project, or of those of them that `uuids` names, in no order, for `readCheckSummaries`. Each text
 * has some hundred.
 */
export async function listSummaryTexts(
  tx: Tx,
  projectId: string,
  uuids?: readonly string[],
): Promise<string[]> {
  // without an index for the project, so that SQLite looks the few up by their uuids and does not read all
  const where =
    uuids === undefined ? 'project_id = $1' : `(project_id = $1) is true ${inDialect(tx, namedSql)}`;
  const text = `select ${inDialect(tx, cellsSql)} as cells from ${wholeChecks}
    where ${where} group by id / ${checksAtOnce}`;
  const values = uuids === undefined ? [projectId] : [projectId, JSON.stringify(uuids)];
  const rows = await querySql(tx, { cells: column.text() }, text, values);
  return rows.map(({ cells: checks }) => checks);
}

/** The checks in texts of `listSummaryTexts`; others have a turn between two texts. */
export async function readCheckSummaries(texts: readonly string[]): Promise<CheckSummary[]> {
  const checks: CheckSummary[] = [];
  for (const [place, text] of texts.entries()) {
    if (place > 0) await nextTurn();
    for (const check of JSON.parse(`[${text}]`) as unknown[][]) checks.push(summary.read(check, {}));
  }
  return checks;
}

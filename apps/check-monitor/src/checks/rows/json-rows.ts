/** Types that a column of rows sent as JSON may have; PostgreSQL requires them, SQLite ignores them. */
export type JsonColumnType = 'bigint' | 'integer' | 'text' | 'uuid';

/**
 * SQL of a table `v` read from the JSON array at placeholder `$1`, so that one statement, always the same, writes
 * many rows at once. `columns` are named as in the objects of the array.
 */
export function jsonRows(columns: Readonly<Record<string, JsonColumnType>>) {
  const entries = Object.entries(columns);
  const typed = entries.map(([name, type]) => `${name} ${type}`).join(', ');
  const read = entries.map(([name]) => `json_extract(value, '$.${name}') as ${name}`).join(', ');
  return {
    sqlite: `(select ${read} from json_each($1)) as v`,
    postgres: `json_to_recordset(cast($1 as json)) as v(${typed})`,
  };
}

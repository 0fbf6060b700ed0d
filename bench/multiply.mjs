// Fills tables fast: one row that the service itself made is copied as often as wanted, by one statement of SQL.
import { columnName } from '../packages/db/dist/src/tables/columns.js';

/** Expressions in the words of a database; `i` is the number of the copy, from 1. */
const words = {
  sqlite: {
    series: (count) =>
      `(with recursive n(i) as (select 1 where ${count} > 0 union all select i + 1 from n where i < ${count}) select i from n) n`,
    uuid: (kind, number) => `printf('${kind}-0000-7000-8000-%012x', ${number})`,
    randomUuid:
      "(select substr(h, 1, 8) || '-' || substr(h, 9, 4) || '-4' || substr(h, 13, 3) || '-8' || substr(h, 16, 3) " +
      "|| '-' || substr(h, 19, 12) from (select lower(hex(randomblob(15))) as h where n.i > 0))",
    instant: (seconds) => `strftime('%Y-%m-%d %H:%M:%f', ${seconds}, 'unixepoch')`,
    json: (text) => text,
  },
  postgres: {
    series: (count) => `generate_series(1, ${count}::bigint) as n(i)`,
    uuid: (kind, number) => `('${kind}-0000-7000-8000-' || lpad(to_hex(${number}), 12, '0'))::uuid`,
    randomUuid: 'gen_random_uuid()',
    instant: (seconds) => `to_timestamp(${seconds})`,
    json: (text) => `(${text})::jsonb`,
  },
};

/**
 * Statement that copies the rows of `table` which meet `where` (SQL over `t`) `count` times. `change` takes the
 * words of the database and gives expressions by property; all else is as in the row copied.
 */
export function multiply(dialect, table, { where, count, change }) {
  const changed = change(words[dialect]);
  const properties = Object.keys(table.columns).filter((property) => table.columns[property].kind !== 'key');
  const names = properties.map(columnName);
  const values = properties.map((property) => changed[property] ?? `t.${columnName(property)}`);
  return `insert into ${table.name} (${names.join(', ')})
    select ${values.join(', ')} from ${table.name} t cross join ${words[dialect].series(count)}
    where ${where} order by n.i`;
}

/** Id of copy `number` of a kind, eight hexadecimal digits, as the `uuid` of the words makes it. */
export function copyId(kind, number) {
  return `${kind}-0000-7000-8000-${number.toString(16).padStart(12, '0')}`;
}

import { column, columnName, executeSql, querySql, type Tx } from '@certloop/db';
import { checks } from '../../src/checks/rows/checks.repository.js';

/** Inserts copies of a new check, whose uuids begin with these eight digits. Each name ends with a number, in no order. */
export async function copyCheck(tx: Tx, uuid: string, count: number, digits = '11111111'): Promise<void> {
  const [first] = await querySql(
    tx,
    { id: column.bigint() },
    'select max(id) as id from checks where uuid = $1',
    [uuid],
  );
  const isPostgres = tx.dataSource.options.type === 'postgres';
  const uuidOf = (prefix: string) =>
    isPostgres
      ? `cast('${prefix}-0000-4000-8000-' || lpad(to_hex(n), 12, '0') as uuid)`
      : `printf('${prefix}-0000-4000-8000-%012x', n)`;
  const name = `name || ' ' || (n * 7919 % ${count})`;
  const { id: _id, uuid: _uuid, badgeUuid: _badgeUuid, name: _name, ...same } = checks.columns;
  const copied = Object.keys(same).map(columnName).join(', ');
  const text = `with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${count})
    insert into checks (uuid, badge_uuid, name, ${copied})
    select ${uuidOf(digits)}, ${uuidOf(`b${digits.slice(1)}`)}, ${name}, ${copied}
    from checks cross join numbers where checks.id = $1`;
  await executeSql(tx, text, [first?.id ?? 0]);
  const states = `insert into check_states (check_id, revision, ping_count, stored_status)
    select copies.id, revision, ping_count, stored_status from checks copies
    join checks on checks.project_id = copies.project_id and copies.id > checks.id
    join check_states on check_id = checks.id where checks.id = $1`;
  await executeSql(tx, states, [first?.id ?? 0]);
}

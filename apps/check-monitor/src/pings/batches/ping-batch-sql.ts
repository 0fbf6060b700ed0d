// Texts of the statements that write pings, with the names and types of what these take, in the order of placeholders.

type Columns = Readonly<Record<string, 'bigint' | 'bytea' | 'integer' | 'text' | 'uuid'>>;

/** Columns of a state that pings change. */
const changed = {
  ping_count: 'bigint',
  stored_status: 'text',
  last_ping: 'bigint',
  last_start: 'bigint',
  last_start_run_id: 'uuid',
  last_duration: 'bigint',
  first_slot: 'bigint',
  last_slot: 'bigint',
  slot_count: 'bigint',
} as const satisfies Columns;

const state = { check_id: 'bigint', revision: 'bigint', ...changed, alert_after: 'bigint' } as const;

const ping = {
  check_id: 'bigint',
  slot: 'bigint',
  n: 'bigint',
  at: 'bigint',
  signal: 'text',
  scheme: 'text',
  remote_addr: 'text',
  method: 'text',
  user_agent: 'text',
  run_id: 'uuid',
  exit_status: 'integer',
  body: 'bytea',
} as const satisfies Columns;

/** A ping, and how many spare slots to make after it. */
const sent = { ...ping, spare: 'integer' } as const satisfies Columns;

const flip = {
  check_id: 'bigint',
  at: 'bigint',
  old_status: 'text',
  new_status: 'text',
  reason: 'text',
  processed_at: 'bigint',
} as const satisfies Columns;

const changedNames = Object.keys(changed);
const pingNames = Object.keys(ping);
const contentNames = pingNames.filter((name) => name !== 'check_id' && name !== 'slot');
// a spare slot is as large as the ping before it, so that the next one fits in its place
const spareNames = contentNames.filter((name) => name !== 'n' && name !== 'body');

/** On SQLite: what is changed, the deadline three times, the id, the revision. */
export const updateState = `update check_states set revision = revision + 1,
  ${changedNames.map((name) => `${name} = ?`).join(', ')}, alert_after = ${earlier('alert_after', '?', 'min')}
  where check_id = ? and revision = ?`;

/** On SQLite: what a slot holds, the id of the check, the slot. */
export const updatePing = `update pings set ${contentNames.map((name) => `${name} = ?`).join(', ')}
  where check_id = ? and slot = ?`;

/** On SQLite: a row of pings. */
export const insertPing = `insert into pings (${pingNames.join(', ')}) values (${pingNames.map(() => '?').join(', ')})`;

/** Deletes the pings of a check from a slot on. */
export const deleteFromSlot = 'delete from pings where check_id = $1 and slot >= $2';

// States come by rising id, so that statements that wait for each other's rows take them in the same order. No index
// changes when a slot takes another ping. Slots that do not exist yet are made, and spare ones after the latest ping.
// The plan is made once for each connection, perhaps while the tables are empty, and stays when they have grown. So each
// row is looked up by its key whatever is known of the tables: a join by `=` may read a whole index in the order of its
// key, one by `= any` may not. `offset 0` prevents a join likewise.
const writeStates = `with changed as (
    update check_states s set revision = v.revision + 1,
      ${changedNames.map((name) => `${name} = v.${name}`).join(', ')},
      alert_after = ${earlier('s.alert_after', 'v.alert_after', 'least')}
    from ${arrays(state, 1)} as v(${Object.keys(state).join(', ')})
    where s.check_id = any(array[v.check_id]) and s.revision = v.revision
    returning s.check_id
  ), sent as materialized (
    select v.* from ${arrays(sent, Object.keys(state).length + 1)} as v(${Object.keys(sent).join(', ')})
    join changed on changed.check_id = v.check_id
  ), updated as (
    update pings p set ${contentNames.map((name) => `${name} = v.${name}`).join(', ')}
    from sent v where p.check_id = any(array[v.check_id]) and p.slot = v.slot
    returning p.check_id, p.slot
  ), missing as materialized (
    select v.* from sent v
    where not exists (select 1 from updated u where u.check_id = v.check_id and u.slot = v.slot)
  ), inserted as (
    insert into pings (${pingNames.join(', ')})
    select ${pingNames.map((name) => `v.${name}`).join(', ')} from missing v
    union all
    select v.check_id, spare.slot, 0, ${spareNames.map((name) => `v.${name}`).join(', ')}, null
    from missing v cross join generate_series(v.slot + 1, v.slot + v.spare) as spare(slot)
    where not exists (select 1 from sent o where o.check_id = v.check_id and o.slot = spare.slot)
      and not exists (select 1 from pings p where p.check_id = v.check_id and p.slot = spare.slot offset 0)
  )`;

const writeFlips = `, flipped as (
    insert into flips (${Object.keys(flip).join(', ')})
    select ${Object.keys(flip)
      .map((name) => `v.${name}`)
      .join(', ')}
    from ${arrays(flip, Object.keys(state).length + Object.keys(sent).length + 1)}
      with ordinality as v(${Object.keys(flip).join(', ')}, place)
    join changed on changed.check_id = v.check_id order by v.place
  )`;

const answer = ' select check_id from changed';

/** On PostgreSQL: arrays of the columns of states and pings; returns the ids of the checks that were written. */
export const writePings = { name: 'write-pings', text: writeStates + answer };

/** The same with flips, at least one. */
export const writePingsAndFlips = { name: 'write-pings-flips', text: writeStates + writeFlips + answer };

/**
 * An evaluation that is due earlier than necessary stays so, and the alert loop postpones it: else every
 * ping would change an index. It is never due later.
 */
function earlier(stored: string, deadline: string, minFunction: string): string {
  return `case when ${deadline} is null then null else ${minFunction}(coalesce(${stored}, ${deadline}), ${deadline}) end`;
}

/** Rows from one array for each column, from placeholder `first` on. */
function arrays(columns: Columns, first: number): string {
  const placed = Object.values(columns).map((type, index) => `cast($${first + index} as ${type}[])`);
  return `unnest(${placed.join(', ')})`;
}

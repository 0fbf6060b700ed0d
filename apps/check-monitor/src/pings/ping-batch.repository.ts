import type { Tx } from '@certloop/db';
import type { Check } from '../checks/check.js';
import { type Cells, cellColumns, checkOf, postgresCells } from '../checks/check-cells.repository.js';
import type { StateChange } from '../checks/check-state.js';
import { jsonRows } from '../checks/json-rows.js';
import type { Ping } from './pings.repository.js';
import { runPrepared, sqliteStatement } from './raw-connections.repository.js';

/** What pings changed of a check. */
export type PingedState = StateChange & Pick<Check, 'id' | 'pingCount'>;

// 40 MB: pings change the same pages over and over, which are copied into the file once a round
const logPages = 10_000;

/** Lets the write-ahead log of SQLite grow larger before it is copied into the file. */
export async function prepareForPings(tx: Tx): Promise<void> {
  if (tx.dataSource.options.type === 'better-sqlite3')
    await tx.query(`pragma wal_autocheckpoint = ${logPages}`);
}

const heldText = `select ${cellColumns} from checks where uuid = ?`;
// by id: whoever holds several at once takes them in the same order, so that no two wait for each other
const lockedText = `select ${postgresCells} from checks where uuid = any(cast($1 as uuid[])) order by id for update`;

/** The checks that there are, held until the transaction ends. */
export async function holdChecks(tx: Tx, uuids: readonly string[]): Promise<Check[]> {
  if (uuids.length === 0) return [];
  const statement = sqliteStatement(tx, heldText);
  if (statement === undefined) {
    const rows = await runPrepared(tx, 'hold-checks', lockedText, [uuids]);
    return rows.map(([cells]) => checkOf(JSON.parse(String(cells)) as Cells));
  }
  // a writer of SQLite is alone anyway
  const found = uuids.map((uuid) => statement.get(uuid));
  return found.filter((cells) => cells !== undefined).map((cells) => checkOf(cells as unknown as Cells));
}

/** Writes pings, of one check or several, and what they changed of the checks. */
export async function writePings(
  tx: Tx,
  states: readonly PingedState[],
  pings: readonly Ping[],
): Promise<void> {
  const update = sqliteStatement(tx, updateText);
  const insert = sqliteStatement(tx, insertText);
  if (update === undefined || insert === undefined) {
    const rows = [
      JSON.stringify(states.map(stateRow)),
      JSON.stringify(pings.map((ping) => pingRow(ping, ping.body?.toString('hex') ?? null))),
    ];
    await runPrepared(tx, 'write-pings', writeText, rows);
    return;
  }
  for (const state of states) update.run(...Object.values(stateRow(state)));
  for (const ping of pings) insert.run(...Object.values(pingRow(ping, ping.body)));
}

const stateColumns = {
  ping_count: 'bigint',
  stored_status: 'text',
  last_ping: 'bigint',
  last_start: 'bigint',
  last_start_run_id: 'uuid',
  last_duration: 'bigint',
  alert_after: 'bigint',
  id: 'bigint',
} as const;

/** In the order of the columns. */
function stateRow(state: PingedState): Record<keyof typeof stateColumns, string | number | null> {
  return {
    ping_count: state.pingCount,
    stored_status: state.storedStatus,
    last_ping: state.lastPing,
    last_start: state.lastStart,
    last_start_run_id: state.lastStartRunId,
    last_duration: state.lastDuration,
    alert_after: state.alertAfter,
    id: state.id,
  };
}

const pingColumns = {
  check_id: 'bigint',
  n: 'bigint',
  at: 'bigint',
  signal: 'text',
  scheme: 'text',
  remote_addr: 'text',
  method: 'text',
  user_agent: 'text',
  run_id: 'uuid',
  exit_status: 'integer',
  body: 'text',
} as const;

/** In the order of the columns; JSON carries no bytes, so the body goes there as hex. */
function pingRow<Body>(
  ping: Ping,
  body: Body,
): Record<keyof typeof pingColumns, string | number | null | Body> {
  return {
    check_id: ping.checkId,
    n: ping.n,
    at: ping.at,
    signal: ping.signal,
    scheme: ping.scheme,
    remote_addr: ping.remoteAddr,
    method: ping.method,
    user_agent: ping.userAgent,
    run_id: ping.runId,
    exit_status: ping.exitStatus,
    body,
  };
}

const { id: _id, ...changedColumns } = stateColumns;
const pingNames = Object.keys(pingColumns);

const updateText = `update checks set ${Object.keys(changedColumns)
  .map((name) => `${name} = ?`)
  .join(', ')} where id = ?`;
const insertText = `insert into pings (${pingNames.join(', ')}) values (${pingNames.map(() => '?').join(', ')})`;

// one way to the server and back for all
const writeText = `with changed as (
    update checks set ${Object.keys(changedColumns)
      .map((name) => `${name} = v.${name}`)
      .join(', ')}
    from ${jsonRows(stateColumns, true)} where checks.id = v.id
  )
  insert into pings (${pingNames.join(', ')})
  select ${pingNames.map((name) => (name === 'body' ? "decode(v.body, 'hex')" : `v.${name}`)).join(', ')}
  from ${jsonRows(pingColumns, true).replace('$1', '$2')}`;

import { column, defineTable, executeSql, querySql, type Tx } from '@certloop/db';
import type { Signal } from '../checks/check-state.js';
import type { Micros } from '../instants.js';
import type { RunEvent } from './durations.js';

/** A ping as logged. */
export interface Ping {
  readonly checkId: number;
  /** 1, 2, 3 … of its check, without gaps. */
  readonly n: number;
  readonly at: Micros;
  readonly signal: Signal;
  readonly scheme: string;
  readonly remoteAddr: string | null;
  readonly method: string;
  readonly userAgent: string;
  readonly runId: string | null;
  readonly exitStatus: number | null;
  /** First bytes of the body; null when there was none. */
  readonly body: Buffer | null;
}

/** A ping without its body, but whether it has one. */
export type PingSummary = Omit<Ping, 'body'> & { readonly hasBody: boolean };

export const pings = defineTable<Ping>('pings', {
  columns: {
    checkId: column.bigint().primary(),
    n: column.bigint().primary(),
    at: column.preciseInstant(),
    signal: column.word<Signal>(7),
    scheme: column.word(10),
    remoteAddr: column.word(45).nullable(),
    method: column.word(10),
    userAgent: column.word(200),
    runId: column.uuid().nullable(),
    exitStatus: column.integer().nullable(),
    body: column.bytes().nullable(),
  },
  references: [{ columns: ['checkId'], table: 'checks', onDelete: 'CASCADE' }],
});

/** Latest pings of a check, newest first. */
export async function listLatestPings(tx: Tx, checkId: number, most: number): Promise<PingSummary[]> {
  const { body: _body, ...columns } = pings.columns;
  const text = `select check_id, n, at, signal, scheme, remote_addr, method, user_agent, run_id, exit_status,
    case when body is null then 0 else 1 end as has_body
    from pings where check_id = $1 order by n desc limit $2`;
  const rows = await querySql(tx, { ...columns, hasBody: column.integer() }, text, [checkId, most]);
  return rows.map(({ hasBody, ...ping }) => ({ ...ping, hasBody: hasBody === 1 }));
}

export async function findPing(tx: Tx, checkId: number, n: number): Promise<Ping | undefined> {
  const text = 'select * from pings where check_id = $1 and n = $2';
  const [found] = await querySql(tx, pings.columns, text, [checkId, n]);
  return found;
}

/** The latest ping of a check up to a moment. */
export async function findLatestPing(tx: Tx, checkId: number, upTo: Micros): Promise<Ping | undefined> {
  const text = 'select * from pings where check_id = $1 and at <= $2 order by n desc limit 1';
  const [found] = await querySql(tx, pings.columns, text, [checkId, upTo]);
  return found;
}

const eventColumns = {
  n: pings.columns.n,
  at: pings.columns.at,
  signal: pings.columns.signal,
  runId: pings.columns.runId,
};

/** Latest start, success or failure of the same run before a ping, not before `since`. */
export async function findEarlierRunEvent(
  tx: Tx,
  checkId: number,
  { n, runId }: RunEvent,
  since: Micros,
): Promise<RunEvent | undefined> {
  const sameRun = runId === null ? 'run_id is null' : 'run_id = $4';
  const text = `select n, at, signal, run_id from pings where check_id = $1 and n < $2 and at >= $3
    and signal in ('start', 'success', 'fail') and ${sameRun} order by n desc limit 1`;
  const values = runId === null ? [checkId, n, since] : [checkId, n, since, runId];
  const [found] = await querySql(tx, eventColumns, text, values);
  return found;
}

/** Forgets the pings up to and including number `n`. */
export async function deletePingsUpTo(tx: Tx, checkId: number, n: number): Promise<void> {
  await executeSql(tx, 'delete from pings where check_id = $1 and n <= $2', [checkId, n]);
}

/** Moment of the oldest ping that is kept; undefined when there is none. */
export async function findOldestPingAt(tx: Tx, checkId: number): Promise<Micros | undefined> {
  const text = 'select at from pings where check_id = $1 order by n limit 1';
  const [oldest] = await querySql(tx, { at: pings.columns.at }, text, [checkId]);
  return oldest?.at;
}

/** Pings kept of a check as its account says; null where it says nothing, undefined where the check is gone. */
export async function findLimitOfCheck(tx: Tx, checkId: number): Promise<number | null | undefined> {
  const text = `select u.ping_limit from checks c join projects p on p.id = c.project_id
    join users u on u.id = p.owner_id where c.id = $1`;
  const [owner] = await querySql(tx, { pingLimit: column.integer().nullable() }, text, [checkId]);
  return owner?.pingLimit;
}

import {
  column,
  defineTable,
  deleteRows,
  inDialect,
  placeholders,
  querySql,
  type RowOf,
  type Tx,
} from '@certloop/db';
import type { Signal } from '../checks/check-state.js';
import { jsonRows } from '../checks/rows/json-rows.js';
import type { Micros } from '../instants.js';
import type { RunEvent } from './durations.js';

export const pings = defineTable('pings', {
  columns: {
    checkId: column.bigint().primary(),
    slot: column.bigint().primary(),
    /** Null for pings of a version without slots, whose slot is their number; 0 for a slot without a ping. */
    n: column.bigint().nullable(),
    at: column.preciseInstant(),
    signal: column.word<Signal>(7),
    scheme: column.word(10),
    remoteAddr: column.word(45).nullable(),
    method: column.word(10),
    userAgent: column.word(200),
    runId: column.uuid().nullable(),
    exitStatus: column.integer().nullable(),
    /** First bytes of the body; null when there was none. */
    body: column.bytes().nullable(),
  },
  references: [{ columns: ['checkId'], table: 'checks', onDelete: 'CASCADE' }],
});

/** A ping in its slot (ping-ring.ts). */
export type PingRow = RowOf<typeof pings>;

/** A ping as logged. */
export type Ping = Omit<PingRow, 'slot' | 'n'> & {
  /** 1, 2, 3 … of its check, without gaps. */
  readonly n: number;
};

/** A ping without its body, but whether it has one. */
export type PingSummary = Omit<Ping, 'body'> & { readonly hasBody: boolean };

const number = 'coalesce(n, slot)';
const { slot: _slot, ...others } = pings.columns;
const pingColumns = { ...others, n: column.bigint() };
const pingNames = `check_id, ${number} as n, at, signal, scheme, remote_addr, method, user_agent, run_id, exit_status`;

const lastSlotOf = 'select coalesce(last_slot, ping_count) from check_states where check_id =';

/** Placeholders and columns that a selection of pings takes its check and the number of pings from. */
interface Asked {
  readonly check: string;
  readonly max: string;
}

/**
 * Text that selects pings of a check, the latest first and so many at most, by their index: those of this lap of the
 * ring, then those of the lap before.
 */
function latestFirst(
  names: string,
  condition = '',
  { check, max }: Asked = { check: '$1', max: '$2' },
): string {
  const lastSlot = `(${lastSlotOf} ${check})`;
  const part = (slots: string) => `select * from (select ${names} from pings
    where check_id = ${check} and ${slots} and ${number} > 0 ${condition} order by slot desc limit ${max}) part`;
  return `${part(`slot <= ${lastSlot}`)} union all ${part(`slot > ${lastSlot}`)} order by n desc limit ${max}`;
}

/** Latest pings of a check, newest first. */
export async function listLatestPings(tx: Tx, checkId: number, max: number): Promise<PingSummary[]> {
  const { body: _body, ...columns } = pingColumns;
  const text = latestFirst(`${pingNames}, case when body is null then 0 else 1 end as has_body`);
  const rows = await querySql(tx, { ...columns, hasBody: column.integer() }, text, [checkId, max]);
  return rows.map(({ hasBody, ...ping }) => ({ ...ping, hasBody: hasBody === 1 }));
}

const eventColumns = {
  n: pingColumns.n,
  at: pings.columns.at,
  signal: pings.columns.signal,
  runId: pings.columns.runId,
};

/** Starts, ends and other pings of a check, newest first, with the columns that pair runs alone: there may be very many. */
export function listLatestEvents(tx: Tx, checkId: number, max: number): Promise<RunEvent[]> {
  return querySql(tx, eventColumns, latestFirst(`${number} as n, at, signal, run_id`), [checkId, max]);
}

/** A success or a failure. */
export type Outcome = Pick<Ping, 'n' | 'at' | 'signal'>;

const outcomesSql = {
  sqlite: "group_concat(json_array(n, at, signal), ',')",
  postgres: "string_agg(cast(json_build_array(n, at, signal) as text), ',')",
};

/**
 * Latest successes and failures of each of some checks, at most `limit` of each and newest first, by the id of the check.
 * One statement for all, whose steps into the index are those of a statement for each check.
 */
export async function listLatestOutcomes(
  tx: Tx,
  checkIds: readonly number[],
  limit: number,
): Promise<ReadonlyMap<number, readonly Outcome[]>> {
  if (checkIds.length === 0) return new Map();
  const asked = { check: 's.check_id', max: '$1' };
  const runs = latestFirst(`${number} as n, at, signal`, "and signal in ('success', 'fail')", asked);
  const text = `select s.check_id, (select ${inDialect(tx, outcomesSql)} from (${runs}) runs) as runs
    from check_states s where s.check_id in (${placeholders(checkIds.length, 2)})`;
  const columns = { checkId: pings.columns.checkId, runs: column.text().nullable() };
  const rows = await querySql(tx, columns, text, [limit, ...checkIds]);
  return new Map(rows.map((row) => [row.checkId, outcomesIn(row.runs)]));
}

function outcomesIn(text: string | null): Outcome[] {
  const found = JSON.parse(`[${text ?? ''}]`) as [n: number, at: Micros, signal: Signal][];
  return found.map(([n, at, signal]) => ({ n, at, signal })).sort((one, other) => other.n - one.n);
}

/** Pings of a check between two moments, both excluded, with the first bytes of their bodies; newest first. */
export async function listPingsBetween(
  tx: Tx,
  checkId: number,
  { after, before, limit }: { readonly after: Micros; readonly before: Micros; readonly limit: number },
): Promise<Ping[]> {
  // four bytes make a character at most
  const text = latestFirst(`${pingNames}, substr(body, 1, 800) as body`, 'and at > $3 and at < $4');
  return querySql(tx, pingColumns, text, [checkId, limit, after, before]);
}

/** A ping by its number; undefined when it is not stored. */
export async function findPing(tx: Tx, checkId: number, n: number): Promise<Ping | undefined> {
  // as many slots before the latest ping as there are pings between the two, or from the end of the ring on
  const slot = `select case when last_slot is null then $2
    when last_slot - ping_count + $2 >= first_slot then last_slot - ping_count + $2
    else last_slot - ping_count + $2 + slot_count end from check_states where check_id = $1`;
  const text = `select ${pingNames}, body from pings
    where check_id = $1 and slot = (${slot}) and ${number} = $2`;
  const [found] = await querySql(tx, pingColumns, text, [checkId, n]);
  return found;
}

/** The latest ping of each of some checks up to a moment of its own, by the id of the check; in one statement. */
export async function listPingsUpTo(
  tx: Tx,
  moments: readonly { readonly checkId: number; readonly upTo: Micros }[],
): Promise<ReadonlyMap<number, Ping>> {
  if (moments.length === 0) return new Map();
  const latest = (slots: string) => `(select slot from pings where check_id = v.id and ${slots}
    and ${number} > 0 and at <= v.up_to order by slot desc limit 1)`;
  const lastSlot = `(${lastSlotOf} v.id)`;
  // of this lap of the ring, or of the lap before
  const slot = `coalesce(${latest(`slot <= ${lastSlot}`)}, ${latest(`slot > ${lastSlot}`)})`;
  const wanted = inDialect(tx, jsonRows({ id: 'bigint', up_to: 'bigint' }));
  const text = `select ${pingNames}, body from ${wanted} join pings on check_id = v.id and slot = ${slot}`;
  const rows = moments.map(({ checkId, upTo }) => ({ id: checkId, up_to: upTo }));
  return new Map((await querySql(tx, pingColumns, text, [rows])).map((ping) => [ping.checkId, ping]));
}

/** Latest start, success or failure of the same run before a ping, not before `since`. */
export async function findEarlierRunEvent(
  tx: Tx,
  checkId: number,
  { n, runId }: RunEvent,
  since: Micros,
): Promise<RunEvent | undefined> {
  const sameRun = runId === null ? 'run_id is null' : 'run_id = $5';
  const condition = `and ${number} < $3 and at >= $4 and signal in ('start', 'success', 'fail') and ${sameRun}`;
  const text = latestFirst(`${number} as n, at, signal, run_id`, condition);
  const values = [checkId, 1, n, since, ...(runId === null ? [] : [runId])];
  const [found] = await querySql(tx, eventColumns, text, values);
  return found;
}

/** Deletes the pings of a check. The next ping takes the slot after the last one, as if they were still there. */
export async function deletePings(tx: Tx, checkId: number): Promise<void> {
  await deleteRows(tx, pings, { checkId });
}

/** Moment of the oldest ping that is stored; undefined if there is none. */
export async function findOldestPingAt(tx: Tx, checkId: number): Promise<Micros | undefined> {
  const lastSlot = `(${lastSlotOf} $1)`;
  const part = (slots: string) => `select * from (select ${number} as n, at from pings
    where check_id = $1 and ${slots} and ${number} > 0 order by slot limit 1) part`;
  const text = `${part(`slot > ${lastSlot}`)} union all ${part(`slot <= ${lastSlot}`)} order by n limit 1`;
  const [oldest] = await querySql(tx, { at: pings.columns.at }, text, [checkId]);
  return oldest?.at;
}

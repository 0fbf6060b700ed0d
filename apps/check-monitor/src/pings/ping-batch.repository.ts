import type { Database, Tx } from '@certloop/db';
import { type FlipRow, insertFlips } from '../flips/flips.repository.js';
import { type ArrayElement, arrayText } from './array-text.js';
import type { KnownCheck } from './known-checks.store.js';
import { insertPing, updateState, writePings, writePingsAndFlips } from './ping-batch-sql.js';
import type { Ping } from './pings.repository.js';
import { runPrepared, sqliteStatement } from './raw-connections.repository.js';

/** What pings change, to be written together. */
export interface PingRows {
  /** Checks in their new states, but of the revision that these were made from. */
  readonly checks: readonly KnownCheck[];
  readonly pings: readonly Ping[];
  readonly flips: readonly Omit<FlipRow, 'id'>[];
}

// 40 MB: pings change the same pages over and over, which are copied into the file once a round
const logPages = 10_000;

/** Lets the write-ahead log of SQLite grow larger before it is copied into the file. */
export async function prepareForPings(tx: Tx): Promise<void> {
  if (tx.dataSource.options.type === 'better-sqlite3')
    await tx.query(`pragma wal_autocheckpoint = ${logPages}`);
}

/**
 * Writes what pings change of the checks that nobody else has changed since they were read, in a transaction of its
 * own; returns the ids of these. Of the others nothing is written.
 */
export async function commitPings(database: Database, rows: PingRows): Promise<ReadonlySet<number>> {
  const { lanes } = database;
  if (lanes === undefined) return database.transaction((tx) => writeOnSqlite(tx, rows));
  return idsOf(await lanes.run(statementOf(rows), columnsOf(rows)));
}

/** The same within a transaction. */
export async function insertPings(tx: Tx, rows: PingRows): Promise<ReadonlySet<number>> {
  if (tx.dataSource.options.type !== 'postgres') return writeOnSqlite(tx, rows);
  return idsOf(await runPrepared(tx, statementOf(rows), columnsOf(rows)));
}

async function writeOnSqlite(tx: Tx, { checks, pings, flips }: PingRows): Promise<ReadonlySet<number>> {
  const update = sqliteStatement(tx, updateState);
  const insert = sqliteStatement(tx, insertPing);
  const written = new Set<number>();
  for (const check of checks) {
    const [id, revision, ...changed] = stateCells(check);
    const { alertAfter } = check;
    if (update.run(...changed, alertAfter, alertAfter, id, revision).changes === 1) written.add(id);
  }
  for (const ping of pings) if (written.has(ping.checkId)) insert.run(...pingCells(ping));
  const flipped = flips.filter(({ checkId }) => written.has(checkId));
  if (flipped.length > 0) await insertFlips(tx, flipped);
  return written;
}

function idsOf(rows: readonly (readonly unknown[])[]): ReadonlySet<number> {
  return new Set(rows.map(([id]) => Number(id)));
}

function statementOf({ flips }: PingRows): typeof writePings {
  return flips.length === 0 ? writePings : writePingsAndFlips;
}

function columnsOf({ checks, pings, flips }: PingRows): string[] {
  const rising = [...checks].sort((one, other) => one.id - other.id);
  return [rising.map(stateCells), pings.map(pingCells), flips.map(flipCells)].flatMap(arraysOf);
}

/** One array for each column of the rows. */
function arraysOf(rows: readonly (readonly ArrayElement[])[]): string[] {
  const width = rows[0]?.length ?? 0;
  return Array.from({ length: width }, (_, place) => arrayText(rows.map((cells) => cells[place] ?? null)));
}

function stateCells(check: KnownCheck) {
  const { id, revision, pingCount, storedStatus, lastPing, lastStart, lastStartRunId, lastDuration } = check;
  const changed = [pingCount, storedStatus, lastPing, lastStart, lastStartRunId, lastDuration] as const;
  return [id, revision, ...changed, check.alertAfter] as const;
}

function pingCells(ping: Ping) {
  const { checkId, n, at, signal, scheme, remoteAddr, method, userAgent, runId, exitStatus, body } = ping;
  return [checkId, n, at, signal, scheme, remoteAddr, method, userAgent, runId, exitStatus, body] as const;
}

function flipCells({ checkId, at, oldStatus, newStatus, reason, processedAt }: PingRows['flips'][number]) {
  return [checkId, at, oldStatus, newStatus, reason, processedAt] as const;
}

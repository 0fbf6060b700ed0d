import { capabilitiesOf, type Database, executeSql, inDialect, type Tx } from '@certloop/db';
import { type FlipRow, insertFlips } from '../../flips/flips.repository.js';
import { spareSlots } from '../ping-ring.js';
import type { PingRow } from '../pings.repository.js';
import { type ArrayElement, arrayText } from './array-text.js';
import type { KnownCheck } from './known-checks.store.js';
import {
  deleteFromSlot,
  insertPing,
  updatePing,
  updateState,
  writePings,
  writePingsAndFlips,
} from './ping-batch-sql.js';
import { runPrepared, sqliteStatement } from './raw-connections.repository.js';

/** Changes of a batch of pings, written together. */
export interface PingRows {
  /** Checks with their new state, and with the revision from which it was computed. */
  readonly checks: readonly KnownCheck[];
  /** Each in its own slot. */
  readonly pings: readonly PingRow[];
  readonly flips: readonly Omit<FlipRow, 'id'>[];
  /** The checks whose ring became smaller. */
  readonly shrunk: readonly KnownCheck[];
}

// 40 MB: pings change the same pages repeatedly, and each checkpoint copies a page once
const logPages = 10_000;

/** Lets the write-ahead log of SQLite grow larger before a checkpoint. */
export async function prepareForPings(tx: Tx): Promise<void> {
  if (capabilitiesOf(tx).isEmbedded) await tx.query(`pragma wal_autocheckpoint = ${logPages}`);
}

/**
 * Writes the batch in a separate transaction, except for checks that another process has changed since they were read.
 * Returns the ids of the written checks.
 */
export async function commitPings(db: Database, rows: PingRows): Promise<ReadonlySet<number>> {
  const { autocommit } = db;
  if (autocommit === undefined || rows.shrunk.length > 0)
    return db.transaction((tx) => insertPings(tx, rows));
  return idsOf(await autocommit.run(statementOf(rows), columnsOf(rows)));
}

/** The same within the given transaction. */
export async function insertPings(tx: Tx, rows: PingRows): Promise<ReadonlySet<number>> {
  const write = inDialect(tx, { sqlite: writeOnSqlite, postgres: writeOnPostgres });
  const written = await write(tx, rows);
  for (const { id, firstSlot, slotCount } of rows.shrunk)
    if (written.has(id)) await executeSql(tx, deleteFromSlot, [id, firstSlot + slotCount]);
  return written;
}

async function writeOnPostgres(tx: Tx, rows: PingRows): Promise<ReadonlySet<number>> {
  return idsOf(await runPrepared(tx, statementOf(rows), columnsOf(rows)));
}

async function writeOnSqlite(tx: Tx, { checks, pings, flips }: PingRows): Promise<ReadonlySet<number>> {
  const update = sqliteStatement(tx, updateState);
  const overwrite = sqliteStatement(tx, updatePing);
  const insert = sqliteStatement(tx, insertPing);
  const written = new Set<number>();
  for (const check of checks) {
    const [id, revision, ...changed] = stateCells(check);
    const { alertAfter } = check;
    if (update.run(...changed, alertAfter, alertAfter, id, revision).changes === 1) written.add(id);
  }
  for (const ping of pings) {
    if (!written.has(ping.checkId)) continue;
    const [checkId, slot, ...contents] = pingCells(ping);
    if (overwrite.run(...contents, checkId, slot).changes === 0) insert.run(checkId, slot, ...contents);
  }
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
  const latest = new Map(checks.map((check) => [check.id, check]));
  const sent = pings.map((ping) => [...pingCells(ping), spareAfter(ping, latest.get(ping.checkId))]);
  return [rising.map(stateCells), sent, flips.map(flipCells)].flatMap(arraysOf);
}

/** Spare slots after the ping; only the latest ping of a check has some. */
function spareAfter({ slot }: PingRow, check: KnownCheck | undefined): number {
  return check?.lastSlot === slot ? spareSlots(check) : 0;
}

/** One array for each column of the rows. */
function arraysOf(rows: readonly (readonly ArrayElement[])[]): string[] {
  const width = rows[0]?.length ?? 0;
  return Array.from({ length: width }, (_, place) => arrayText(rows.map((cells) => cells[place] ?? null)));
}

function stateCells(check: KnownCheck) {
  const { id, revision, pingCount, storedStatus, lastPing, lastStart, lastStartRunId, lastDuration } = check;
  const { firstSlot, lastSlot, slotCount } = check;
  const changed = [pingCount, storedStatus, lastPing, lastStart, lastStartRunId, lastDuration] as const;
  return [id, revision, ...changed, firstSlot, lastSlot, slotCount, check.alertAfter] as const;
}

function pingCells(ping: PingRow) {
  const { checkId, slot, n, at, signal, scheme, remoteAddr } = ping;
  const { method, userAgent, runId, exitStatus, body } = ping;
  const contents = [n, at, signal, scheme, remoteAddr, method, userAgent, runId, exitStatus, body] as const;
  return [checkId, slot, ...contents] as const;
}

function flipCells({ checkId, at, oldStatus, newStatus, reason, processedAt }: PingRows['flips'][number]) {
  return [checkId, at, oldStatus, newStatus, reason, processedAt] as const;
}

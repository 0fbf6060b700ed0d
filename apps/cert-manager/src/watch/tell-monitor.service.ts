import type { Database } from '@certloop/db';
import type { Clock, Logger } from '@certloop/server';
import { newRowId } from '../access/row-id.js';
import { describeCheck, slugOf } from './check-description.js';
import { expectationAfter, isTold, tellAgainMs, type WatchedDates } from './check-expectation.js';
import { type MonitorClient, MonitorRefused, type WatchedCheck } from './monitor.client.js';
import { sentText } from './ping-text.js';
import { retryAt } from './watch-pause.js';
import {
  deletePing,
  deletePingsOf,
  insertPing,
  listPings,
  type WatchPingRow,
} from './watch-pings.repository.js';
import {
  type ClaimedFqdn,
  deleteWatched,
  releaseWatched,
  updateWatched,
  type WatchedState,
} from './watched-fqdns.repository.js';
import { findWatched, firstPing, type WatchedSubject } from './watched-subject.service.js';

export interface TellDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly monitor: MonitorClient;
  /** Whether a new check may be asked for now. */
  readonly mayAskForCheck: () => boolean;
}

/** Whoever had the row was silent for too long. */
class TurnLost extends Error {
  override readonly name = 'TurnLost';
}

/**
 * Brings the check of an FQDN in line with what is: makes it, sends what it has not got yet in order, and says when
 * to expect the next, or deletes it. The row must be this worker's. What the monitor does not do is tried again later.
 */
export async function tellMonitor(deps: TellDeps, claimed: ClaimedFqdn): Promise<void> {
  const turn: Turn = { deps, row: claimed };
  try {
    await takeTurn(turn);
  } catch (error) {
    if (error instanceof TurnLost) return;
    if (!(error instanceof MonitorRefused)) throw error;
    await putOff(turn, error);
  }
}

interface Turn {
  readonly deps: TellDeps;
  /** As it is stored by now. */
  row: ClaimedFqdn;
}

async function takeTurn(turn: Turn): Promise<void> {
  const { db, mayAskForCheck } = turn.deps;
  const subject = await db.read((tx) => findWatched(tx, turn.row.id));
  if (subject === undefined) return unwatch(turn);
  if (turn.row.checkUuid === null) {
    if (!mayAskForCheck()) return wait(turn);
    await makeCheck(turn, subject);
  }
  await sendPings(turn);
  await tellExpectation(turn, subject);
  await release(turn, {});
}

/** Deletes the check, also one whose making was not answered. */
async function unwatch(turn: Turn): Promise<void> {
  const { db, monitor, clock } = turn.deps;
  const { id, checkUuid } = turn.row;
  const found = checkUuid === null ? await monitor.findChecks(slugOf(id)) : [checkUuid];
  for (const uuid of found) await monitor.deleteCheck(uuid).catch(unlessGone);
  await db.transaction(async (tx) => {
    if (await deleteWatched(tx, turn.row)) return deletePingsOf(tx, id);
    const now = clock.now();
    return releaseWatched(tx, turn.row, { ...forgotten, dueAt: now }, now);
  });
}

/** Makes the check, and sees to it that a ping begins its first period. */
async function makeCheck(turn: Turn, subject: WatchedSubject): Promise<void> {
  const { db, clock, monitor } = turn.deps;
  const now = clock.now();
  const checkUuid = await monitor.createCheck(checkOf(subject, now));
  const told = { checkUuid, pingedAt: null, toldDeadline: deadlineOf(subject), toldFrom: now, toldAt: now };
  await db.transaction(async (tx) => {
    if (!(await updateWatched(tx, turn.row, told))) throw new TurnLost();
    const waiting = await listPings(tx, turn.row.id);
    if (waiting.some(({ signal }) => signal !== 'log')) return;
    const first = await firstPing(tx, subject);
    if (first === undefined) return;
    await insertPing(tx, { id: newRowId(now), subject: turn.row.id, ...first, createdAt: now });
  });
  turn.row = { ...turn.row, ...told };
}

async function sendPings(turn: Turn): Promise<void> {
  const waiting = await turn.deps.db.read((tx) => listPings(tx, turn.row.id));
  for (const ping of waiting) await sendPing(turn, ping);
}

async function sendPing(turn: Turn, ping: WatchPingRow): Promise<void> {
  const { db, clock, monitor } = turn.deps;
  const { checkUuid } = turn.row;
  if (checkUuid === null) return;
  const now = clock.now();
  await monitor.ping(checkUuid, ping.signal, { rid: ping.id, text: sentText(ping, now) });
  // a log begins no new period
  const change = ping.signal === 'log' ? { attempts: 0 } : { attempts: 0, pingedAt: now };
  const isMine = await db.transaction(async (tx) => {
    await deletePing(tx, ping.id);
    return updateWatched(tx, turn.row, change);
  });
  if (!isMine) throw new TurnLost();
  turn.row = { ...turn.row, ...change };
}

/** Says when to expect the next ping, where the monitor expects it at another moment or was not told for long. */
async function tellExpectation(turn: Turn, subject: WatchedSubject): Promise<void> {
  const { db, clock, monitor } = turn.deps;
  const { row } = turn;
  const now = clock.now();
  const toldDeadline = deadlineOf(subject);
  if (row.checkUuid === null || isTold(row, toldDeadline, now)) return;
  const toldFrom = row.pingedAt ?? now;
  await monitor.updateCheck(row.checkUuid, checkOf(subject, toldFrom));
  const told = { toldDeadline, toldFrom, toldAt: now };
  if (!(await db.transaction((tx) => updateWatched(tx, row, told)))) throw new TurnLost();
  turn.row = { ...row, ...told };
}

const waitMs = 1_800_000;

/** Without a try: there is no room for another check, as the monitor said of one. */
async function wait(turn: Turn): Promise<void> {
  const dueAt = new Date(turn.deps.clock.now().getTime() + waitMs);
  await release(turn, { dueAt, attempts: turn.row.attempts });
}

async function release({ deps: { db, clock }, row }: Turn, change: WatchedState): Promise<void> {
  const now = clock.now();
  const dueAt = new Date(now.getTime() + tellAgainMs);
  const settled = { dueAt, attempts: 0, lastError: null, ...change };
  await db.transaction((tx) => releaseWatched(tx, row, settled, now));
}

const forgotten = { checkUuid: null, pingedAt: null, toldDeadline: null, toldFrom: null, toldAt: null };

/** Leaves the check for later; one that the monitor has lost is made anew at once, the first time. */
async function putOff(turn: Turn, { fault, message: lastError }: MonitorRefused): Promise<void> {
  const { row, deps } = turn;
  const { clock, logger } = deps;
  const attempts = row.attempts + 1;
  const now = clock.now();
  const isLost = fault === 'gone';
  const dueAt = isLost && attempts === 1 ? now : retryAt(attempts, now);
  if (fault === 'refused' && row.lastError !== lastError) {
    logger.warn({ fqdnId: row.id, reason: lastError }, 'watch.refused');
  }
  await release(turn, { dueAt, attempts, lastError, ...(isLost && forgotten) });
}

function checkOf({ fqdn, space, certificate }: WatchedSubject, from: Date): WatchedCheck {
  const dates: WatchedDates | undefined = certificate && {
    renewAt: certificate.renewAt,
    notAfter: certificate.row.expiresAt,
  };
  const description = describeCheck({ fqdnId: fqdn.id, fqdn: fqdn.fqdn, space: space.name });
  return { ...description, ...expectationAfter(from, dates) };
}

function deadlineOf({ certificate }: WatchedSubject): Date | null {
  return certificate?.renewAt ?? null;
}

function unlessGone(error: unknown): void {
  if (!(error instanceof MonitorRefused && error.fault === 'gone')) throw error;
}

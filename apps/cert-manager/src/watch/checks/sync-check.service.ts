import type { Database, Tx } from '@certloop/db';
import type { Clock, Logger } from '@certloop/server';
import { usableUntil } from '../../certificates/in-use.js';
import { type MonitorClient, MonitorRefused, type WatchedCheck } from '../monitor/monitor.client.js';
import { sentText, servedText } from '../pings/ping-text.js';
import { listPings, type WatchPingRow } from '../pings/watch-pings.repository.js';
import { retryAt } from '../watch-pause.js';
import type { ClaimedFqdn, WaitingMode, WatchedState } from '../watched-fqdns.repository.js';
import { type FirstPing, findWatched, firstPing, type WatchedSubject } from '../watched-subject.service.js';
import { describeCheck, slugOf } from './check-description.js';
import { expectationAfter, isInSync, resyncMs } from './check-expectation.js';

export interface SyncDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly monitor: MonitorClient;
  /** Whether a new check may be asked for now. */
  readonly mayAskForCheck: () => boolean;
  readonly watchesExpiry: boolean;
}

/** What a turn leaves to be written down. */
export interface TurnEnd {
  readonly row: ClaimedFqdn;
  /** Pings that the monitor has taken. */
  readonly sent: readonly string[];
  /** What is known of the check now; `unwatched` when it is gone, and rightly so. */
  readonly next: (WatchedState & { readonly dueAt: Date }) | 'unwatched';
}

interface CheckSync {
  readonly deps: SyncDeps;
  readonly row: ClaimedFqdn;
  readonly sent: string[];
  state: CheckState;
}

type CheckState = Pick<ClaimedFqdn, 'checkUuid' | 'pingedAt' | 'toldDeadline' | 'toldFrom' | 'toldAt'>;
/** What is known of a check that is not there. */
export const noCheck: CheckState = {
  checkUuid: null,
  pingedAt: null,
  toldDeadline: null,
  toldFrom: null,
  toldAt: null,
};

// nothing is lost by waiting: who asks meanwhile finds out when there is room
const waitMs = 1_800_000;

/** A check that is due, and what it should be. */
export interface DueCheck {
  readonly row: ClaimedFqdn;
  /** Undefined when the FQDN is to have no check. */
  readonly subject: WatchedSubject | undefined;
  /** What the monitor has not taken yet, oldest first. */
  readonly pings: readonly WatchPingRow[];
  /** What a check begins with that was never pinged. */
  readonly first: FirstPing | undefined;
}

/** Reads what the check should be. */
export function readDueCheck({ db, clock, watchesExpiry }: SyncDeps, row: ClaimedFqdn): Promise<DueCheck> {
  const now = clock.now();
  return db.read(async (tx) => {
    const subject = await findWatched(tx, row.id, { now, watchesExpiry });
    if (subject === undefined) return { row, subject, pings: [], first: undefined };
    const first = row.pingedAt === null ? await firstPingBeside(tx, subject, row, now) : undefined;
    return { row, subject, pings: await listPings(tx, row.id), first };
  });
}

/**
 * Brings the check of an FQDN in line with what is: makes it, sends what it has not got yet in order, and says when
 * to expect the next, or deletes it. What the monitor does not do is left for later. What was done is for the caller to
 * write down; when that fails it is done again, and pings keep their run ids.
 */
export async function syncCheck(deps: SyncDeps, due: DueCheck): Promise<TurnEnd> {
  const { row, subject } = due;
  const { checkUuid, pingedAt, toldDeadline, toldFrom, toldAt } = row;
  const turn: CheckSync = {
    deps,
    row,
    sent: [],
    state: { checkUuid, pingedAt, toldDeadline, toldFrom, toldAt },
  };
  try {
    return await (subject === undefined ? unwatch(turn) : takeTurn(turn, { ...due, subject }));
  } catch (error) {
    if (error instanceof MonitorRefused) return putOff(turn, error, subject?.mode ?? null);
    throw error;
  }
}

async function takeTurn(
  turn: CheckSync,
  { subject, pings, first }: DueCheck & { readonly subject: WatchedSubject },
): Promise<TurnEnd> {
  if (turn.state.checkUuid === null && !turn.deps.mayAskForCheck())
    return later(turn, waitMs, { waiting: subject.mode });
  const uuid = turn.state.checkUuid ?? (await makeCheck(turn, subject));
  // a check that was never pinged does not fall
  if (first !== undefined && pings.every(({ signal }) => signal === 'log'))
    await sendPing(turn, uuid, { ...first, id: turn.row.id });
  for (const ping of pings) {
    await sendPing(turn, uuid, ping);
    turn.sent.push(ping.id);
  }
  await syncExpectation(turn, uuid, subject);
  return later(turn, resyncMs, { attempts: 0, lastError: null, waiting: null });
}

/** The ping that puts a new check in the state of its FQDN, whose targets may be at fault. */
async function firstPingBeside(
  tx: Tx,
  subject: WatchedSubject,
  { servedFault }: ClaimedFqdn,
  now: Date,
): Promise<FirstPing | undefined> {
  if (servedFault === null) return firstPing(tx, subject, now);
  return { signal: 'fail', body: servedText(servedFault) };
}

/** Deletes the check, also one whose making was not answered. */
async function unwatch({ deps: { monitor }, row, state, sent }: CheckSync): Promise<TurnEnd> {
  const found = state.checkUuid === null ? await monitor.findChecks(slugOf(row.id)) : [state.checkUuid];
  for (const uuid of found) await monitor.deleteCheck(uuid).catch(unlessGone);
  return { row, sent, next: 'unwatched' };
}

async function makeCheck(turn: CheckSync, subject: WatchedSubject): Promise<string> {
  const { clock, monitor } = turn.deps;
  const now = clock.now();
  const checkUuid = await monitor.createCheck(checkOf(subject, now));
  turn.state = {
    checkUuid,
    pingedAt: null,
    toldDeadline: deadlineOf(subject),
    toldFrom: now,
    toldAt: now,
  };
  return checkUuid;
}

type Sent = Pick<WatchPingRow, 'id' | 'signal' | 'body'> & { readonly createdAt?: Date };

async function sendPing(
  turn: CheckSync,
  uuid: string,
  { id: rid, signal, body, createdAt }: Sent,
): Promise<void> {
  const { clock, monitor } = turn.deps;
  const now = clock.now();
  await monitor.ping(uuid, signal, { rid, text: sentText({ body, createdAt: createdAt ?? now }, now) });
  // a log begins no new period
  if (signal !== 'log') turn.state = { ...turn.state, pingedAt: now };
}

/** Sends when to expect the next ping, if the monitor expects it at another moment or was not updated for long. */
async function syncExpectation(turn: CheckSync, uuid: string, subject: WatchedSubject): Promise<void> {
  const { clock, monitor } = turn.deps;
  const now = clock.now();
  const toldDeadline = deadlineOf(subject);
  if (isInSync(turn.state, toldDeadline, now)) return;
  const toldFrom = turn.state.pingedAt ?? now;
  await monitor.updateCheck(uuid, checkOf(subject, toldFrom));
  turn.state = { ...turn.state, toldDeadline, toldFrom, toldAt: now };
}

function later({ deps: { clock }, row, sent, state }: CheckSync, ms: number, more: WatchedState): TurnEnd {
  return { row, sent, next: { ...state, ...more, dueAt: new Date(clock.now().getTime() + ms) } };
}

/** Leaves the check for later; one that the monitor has lost is made anew at once, the first time. */
function putOff(
  turn: CheckSync,
  { fault, message: lastError }: MonitorRefused,
  mode: WaitingMode | null,
): TurnEnd {
  const { row, sent, deps } = turn;
  const { clock, logger } = deps;
  const attempts = row.attempts + 1;
  const now = clock.now();
  const isLost = fault === 'gone';
  const dueAt = isLost && attempts === 1 ? now : retryAt(attempts, now);
  if (fault === 'refused' && row.lastError !== lastError) {
    logger.warn({ fqdnId: row.id, reason: lastError }, 'watch.refused');
  }
  const waiting = fault === 'no_room' ? mode : row.waiting;
  const state = isLost ? noCheck : turn.state;
  return { row, sent, next: { ...state, attempts, lastError, dueAt, waiting } };
}

function checkOf({ fqdn, space, mode, certificate }: WatchedSubject, from: Date): WatchedCheck {
  const dates = certificate && { expectedAt: certificate.expectedAt, notAfter: usableUntil(certificate.row) };
  const description = describeCheck({ fqdnId: fqdn.id, fqdn: fqdn.fqdn, space: space.name, mode });
  return { ...description, ...expectationAfter(from, dates) };
}

function deadlineOf({ certificate }: WatchedSubject): Date | null {
  return certificate?.expectedAt ?? null;
}

function unlessGone(error: unknown): void {
  if (!(error instanceof MonitorRefused && error.fault === 'gone')) throw error;
}

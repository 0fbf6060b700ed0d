import type { Logger } from '@certloop/server';
import type { DbDeps } from '../../db-deps.js';
import { noDate } from '../../statuses/statuses.repository.js';
import { type MonitorClient, MonitorRefused, type WatchedCheck } from '../monitor/monitor.client.js';
import { sentText } from '../pings/ping-text.js';
import { listPings, type WatchPingRow } from '../pings/watch-pings.repository.js';
import { lateSignal, missingSignal, type SentSignal, type SignalNow, sentSignal } from '../signal-now.js';
import { retryAt } from '../watch-pause.js';
import type { ClaimedFqdn, WaitingMode, WatchedState } from '../watched-fqdns.repository.js';
import { findWatched, stateText, type WatchedSubject } from '../watched-subject.service.js';
import { describeCheck, slugOf } from './check-description.js';
import { expectationAfter, isInSync, resyncMs } from './check-expectation.js';

export interface SyncDeps extends DbDeps {
  readonly logger: Logger;
  readonly monitor: MonitorClient;
  /** Whether a new check may be asked for now. */
  readonly mayAskForCheck: () => boolean;
  readonly watchesExpiry: boolean;
}

/** Result of a sync, which is still to be stored. */
export interface SyncEnd {
  readonly row: ClaimedFqdn;
  /** Pings that the monitor has taken. */
  readonly sent: readonly string[];
  /** New state of the check; `unwatched` when it is gone, and rightly so. */
  readonly next: (WatchedState & { readonly dueAt: Date }) | 'unwatched';
}

interface CheckSync {
  readonly deps: SyncDeps;
  readonly row: ClaimedFqdn;
  readonly sent: string[];
  state: CheckState;
}

type CheckState = Pick<ClaimedFqdn, 'checkUuid' | 'pingedAt' | 'toldDeadline' | 'toldFrom' | 'toldAt'>;
/** State of a check that does not exist. */
export const noCheck: CheckState = {
  checkUuid: null,
  pingedAt: null,
  toldDeadline: null,
  toldFrom: null,
  toldAt: null,
};

// nothing is lost by waiting: who asks in the meantime finds out when there is room
const waitMs = 1_800_000;

/** A check that is due, and what it should be. */
export interface DueCheck {
  readonly row: ClaimedFqdn;
  /** Undefined when the FQDN is to have no check. */
  readonly subject: WatchedSubject | undefined;
  /** Pings that the monitor has not accepted yet, oldest first. */
  readonly pings: readonly WatchPingRow[];
}

/** Reads what the check should be. */
export function readDueCheck({ db, clock, watchesExpiry }: SyncDeps, row: ClaimedFqdn): Promise<DueCheck> {
  const now = clock.now();
  return db.read(async (tx) => {
    const subject = await findWatched(tx, row.id, { now, watchesExpiry });
    return { row, subject, pings: subject === undefined ? [] : await listPings(tx, row.id) };
  });
}

/**
 * Brings the check of an FQDN in line with what is: makes it, sends what it has not got yet in order, and says when
 * to expect the next, or deletes it. What the monitor does not do is left for later. What was done is for the caller to
 * write down; when that fails it is done again, and pings keep their run ids.
 */
export async function syncCheck(deps: SyncDeps, due: DueCheck): Promise<SyncEnd> {
  const { row, subject } = due;
  const { checkUuid, pingedAt, toldDeadline, toldFrom, toldAt } = row;
  const sync: CheckSync = {
    deps,
    row,
    sent: [],
    state: { checkUuid, pingedAt, toldDeadline, toldFrom, toldAt },
  };
  try {
    return await (subject === undefined ? unwatch(sync) : syncCheckOf(sync, { ...due, subject }));
  } catch (error) {
    if (error instanceof MonitorRefused) return putOff(sync, error, subject?.mode ?? null);
    throw error;
  }
}

async function syncCheckOf(
  sync: CheckSync,
  { subject, pings }: DueCheck & { readonly subject: WatchedSubject },
): Promise<SyncEnd> {
  if (sync.state.checkUuid === null && !sync.deps.mayAskForCheck())
    return later(sync, waitMs, { waiting: subject.mode });
  const isStale = isSentLongAgo(sync);
  let last = sentSignal(sync.state);
  const uuid = sync.state.checkUuid ?? (await makeCheck(sync, subject));
  for (const ping of pings) {
    const signal = lateSignal(ping.signal, subject.now);
    await sendPing(sync, uuid, { ...ping, signal });
    sync.sent.push(ping.id);
    if (signal !== 'log') last = signal;
  }
  // a failure is repeated once a day, as people may have pinged the check
  const before = isStale && last === 'fail' && sync.sent.length === 0 ? 'none' : last;
  const missing = missingSignal(subject.now, before) ?? missingSignal(subject.now, last);
  if (missing !== undefined) {
    await sendPing(sync, uuid, { id: sync.row.id, signal: missing, body: stateText(subject) });
    last = missing;
  }
  await syncExpectation(sync, uuid, subject, deadlineOf(subject, last));
  return later(sync, untilNext(sync, subject), { attempts: 0, lastError: null, waiting: null });
}

function isSentLongAgo({ deps: { clock }, state: { toldAt } }: CheckSync): boolean {
  return toldAt !== null && clock.now().getTime() - toldAt.getTime() >= resyncMs;
}

// the failure arrives with its cause before the check falls without one
const leadMs = 60_000;

/** Milliseconds until the check is to be looked at again. */
function untilNext({ deps: { clock } }: CheckSync, { now: { signal, expected } }: WatchedSubject): number {
  if (signal === 'fail' || expected === undefined) return resyncMs;
  const left = expected.attentionAt.getTime() - leadMs - clock.now().getTime();
  return Math.min(resyncMs, Math.max(1000, left));
}

/** Deletes the check, also one whose making was not answered. */
async function unwatch({ deps: { monitor }, row, state, sent }: CheckSync): Promise<SyncEnd> {
  const found = state.checkUuid === null ? await monitor.findChecks(slugOf(row.id)) : [state.checkUuid];
  for (const uuid of found) await monitor.deleteCheck(uuid).catch(unlessGone);
  return { row, sent, next: 'unwatched' };
}

async function makeCheck(sync: CheckSync, subject: WatchedSubject): Promise<string> {
  const { clock, monitor } = sync.deps;
  const now = clock.now();
  const checkUuid = await monitor.createCheck(checkOf(subject, now));
  sync.state = {
    checkUuid,
    pingedAt: null,
    toldDeadline: deadlineOf(subject, 'none'),
    toldFrom: now,
    toldAt: now,
  };
  return checkUuid;
}

type Sent = Pick<WatchPingRow, 'id' | 'signal' | 'body'> & { readonly createdAt?: Date };

async function sendPing(
  sync: CheckSync,
  uuid: string,
  { id: rid, signal, body, createdAt }: Sent,
): Promise<void> {
  const { clock, monitor } = sync.deps;
  const now = clock.now();
  await monitor.ping(uuid, signal, { rid, text: sentText({ body, createdAt: createdAt ?? now }, now) });
  // a log begins no new period, and after a failure no success is expected
  if (signal === 'log') return;
  sync.state = { ...sync.state, pingedAt: now, ...(signal === 'fail' && { toldDeadline: null }) };
}

/** Sends when to expect the next ping, if the monitor expects it at another moment or was not updated for long. */
async function syncExpectation(
  sync: CheckSync,
  uuid: string,
  subject: WatchedSubject,
  toldDeadline: Date | null,
): Promise<void> {
  const { clock, monitor } = sync.deps;
  const now = clock.now();
  if (isInSync(sync.state, toldDeadline, now)) return;
  const toldFrom = sync.state.pingedAt ?? now;
  await monitor.updateCheck(uuid, checkOf(subject, toldFrom));
  sync.state = { ...sync.state, toldDeadline, toldFrom, toldAt: now };
}

function later({ deps: { clock }, row, sent, state }: CheckSync, ms: number, more: WatchedState): SyncEnd {
  return { row, sent, next: { ...state, ...more, dueAt: new Date(clock.now().getTime() + ms) } };
}

/** Leaves the check for later; one that the monitor has lost is created again at once, the first time. */
function putOff(
  sync: CheckSync,
  { fault, message: lastError }: MonitorRefused,
  mode: WaitingMode | null,
): SyncEnd {
  const { row, sent, deps } = sync;
  const { clock, logger } = deps;
  const attempts = row.attempts + 1;
  const now = clock.now();
  const isLost = fault === 'gone';
  const dueAt = isLost && attempts === 1 ? now : retryAt(attempts, now);
  if (fault === 'refused' && row.lastError !== lastError) {
    logger.warn({ fqdnId: row.id, reason: lastError }, 'watch.check_refused');
  }
  const waiting = fault === 'no_room' ? mode : row.waiting;
  const state = isLost ? noCheck : sync.state;
  return { row, sent, next: { ...state, attempts, lastError, dueAt, waiting } };
}

function checkOf({ fqdn, space, mode, now }: WatchedSubject, from: Date): WatchedCheck {
  const description = describeCheck({ ...fqdn, fqdnId: fqdn.id, space: space.name, mode });
  return { ...description, ...expectationAfter(from, now.expected) };
}

/** When the next success is expected; null after a failure. Without a certificate, on no date. */
function deadlineOf({ now: { signal, expected } }: { now: SignalNow }, last: SentSignal): Date | null {
  const isFailed = signal === 'fail' || (signal === 'log' && last === 'fail');
  return isFailed ? null : (expected?.expectedAt ?? noDate);
}

function unlessGone(error: unknown): void {
  if (!(error instanceof MonitorRefused && error.fault === 'gone')) throw error;
}

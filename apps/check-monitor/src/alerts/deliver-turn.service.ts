import { DatabaseUnavailable, type Tx, yieldBetween } from '@certloop/db';
import type { Logger } from '@certloop/server';
import { isWell, type Sent } from '../channels/channel-health.js';
import type { Channel } from '../channels/channels.repository.js';
import { type Micros, microsPerSecond } from '../instants.js';
import { isForPeople } from '../integrations/channel-kinds.js';
import { type FailedDelivery, undelivered } from '../integrations/delivery/delivery-result.js';
import { storedEvent } from '../integrations/messages/stored-event.js';
import { recordGivenUp, recordSent } from '../notifications/channel-outcome.repository.js';
import {
  extendLease,
  postponeNotifications,
  releaseNotifications,
  settleNotifications,
} from '../notifications/notifications.repository.js';
import type { Notifier } from '../notifications/notifier.service.js';
import { leadOf } from './batches.js';
import { type FurtherChanges, settleFurtherChanges } from './digested-changes.repository.js';
import { maxRejections, nextTryAt, pauseAfterTimeout, pauseAfterTry } from './ladder.js';
import { createContentLoader, type LoadContent, type LoadContentDeps } from './load-content.service.js';
import type { DeliveryTurn, QueuedBatch } from './turn-rows.repository.js';
import { createTurnWrites, type Persist } from './turn-writes.service.js';

export interface DeliverTurnDeps extends LoadContentDeps {
  readonly logger: Logger;
  readonly notifier: Pick<Notifier, 'send' | 'mailOwner'>;
}

/** A worker that has not extended its lease for this long counts as dead; it extends it every third of this time. */
export const leaseMicros: Micros = 30 * microsPerSecond;

/** A turn that is being delivered. */
export interface RunningTurn {
  /** Resolves when all its messages are settled or released; never rejects. */
  readonly over: Promise<void>;
  /** Releases the messages that are not being sent yet. */
  release(): void;
  /** Releases them after the current message, and stops retrying database writes. */
  stop(): void;
}

/** Delivers the messages of a turn one after another, once `others` are over. */
export function runTurn(
  deps: DeliverTurnDeps,
  turn: DeliveryTurn,
  others: readonly Promise<void>[] = [],
): RunningTurn {
  const { db, logger } = deps;
  const rest = [...turn.batches];
  const loadContent = createContentLoader(deps, turn.batches);
  let isStopping = false;
  const { arrived, persist, recordArrived } = createTurnWrites(deps, () => isStopping);
  const extend = async () => {
    await db.transaction((tx) => extendLease(tx, turn.id, deps.clock.now() + leaseMicros));
  };
  const warn = (error: unknown) => logger.warn({ error, turn: turn.id }, 'alert.lease_not_extended');
  const lease = setInterval(() => void extend().catch(warn), leaseMicros / 3000);
  const returnRest = async () => {
    const rows = rest.splice(0).flatMap((batch) => batch.rows);
    if (rows.length > 0 || arrived.length > 0) await persist((tx) => releaseNotifications(tx, rows));
  };
  const deliverAll = async () => {
    let channel = turn.channel;
    for await (const _round of yieldBetween()) {
      const batch = isStopping ? undefined : rest.shift();
      if (batch === undefined) break;
      const isLast = () => rest.length === 0;
      const after = await deliverBatch(deps, persist, { batch, channel, isLast, loadContent, arrived });
      if (after.isUntouched === true) rest.unshift(batch);
      if (!after.canContinue) break;
      channel = after.channel;
    }
  };
  const run = async () => {
    await Promise.all(others);
    try {
      await deliverAll();
    } catch (error) {
      // the message that caused it counts as a crash when the lease ends; what arrived before must not be repeated
      await recordArrived();
      throw error;
    }
    await returnRest();
  };
  const fail = (error: unknown) => logger.error({ error, turn: turn.id }, 'alert.batch_failed');
  return {
    over: run()
      .catch(fail)
      .finally(() => clearInterval(lease)),
    release: () => void returnRest().catch(fail),
    stop: () => {
      isStopping = true;
    },
  };
}

interface InTurn {
  readonly batch: QueuedBatch;
  readonly channel: Channel;
  /** Whether no other message of the turn follows. */
  readonly isLast: () => boolean;
  readonly loadContent: LoadContent;
  /** Batches that have arrived; the next write of the turn records it. */
  readonly arrived: QueuedBatch[];
  /** Event that is stored if the message is sent again. */
  readonly event?: string | undefined;
}

interface After {
  /** Whether the next message of the turn may be sent. */
  readonly canContinue: boolean;
  readonly channel: Channel;
  /** Nothing was sent, through no fault of the message, so it is released. */
  readonly isUntouched?: true;
}

async function deliverBatch(deps: DeliverTurnDeps, persist: Persist, inTurn: InTurn): Promise<After> {
  const { batch, channel } = inTurn;
  const isToOwner = leadOf(batch).aboutChannelId === channel.id;
  if (channel.disabledAt !== null && !isToOwner) {
    return settleUnsent(deps, persist, inTurn, 'the channel is switched off');
  }
  const content = await load(deps, inTurn);
  if (content === 'not-loaded') return { canContinue: false, channel, isUntouched: true };
  // it counts as a crash when the lease ends
  if (content === 'not-built') return { canContinue: true, channel };
  if (content === undefined)
    return settleUnsent(deps, persist, inTurn, 'the check or the channel was deleted');
  if ('owner' in content) {
    const result = await deps.notifier.mailOwner(content.owner, content.notice, leadOf(batch).deliveryId);
    return recordOutcome(deps, persist, inTurn, { result, durationMs: 0 }, isToOwner);
  }
  const sent = await deps.notifier.send(channel, content);
  if (sent.result.ok && content.further !== undefined)
    await settleFurther(deps, persist, batch, content.further);
  const event = 'event' in content && !isForPeople(channel.kind) ? storedEvent(content.event) : undefined;
  return recordOutcome(deps, persist, { ...inTurn, event }, sent, isToOwner);
}

const furtherAtOnce = 200;

/** Settles what a delivered digest has counted beyond its own messages. */
async function settleFurther(
  { clock, logger }: DeliverTurnDeps,
  persist: Persist,
  batch: QueuedBatch,
  further: FurtherChanges,
): Promise<void> {
  const { deliveryId: carriedBy, id: notification } = leadOf(batch);
  const settled = { carriedBy, settledAt: clock.now(), limit: furtherAtOnce };
  let messages = 0;
  for await (const _round of yieldBetween()) {
    const count = await persist((tx) => settleFurtherChanges(tx, further, settled));
    messages += count;
    if (count < furtherAtOnce) break;
  }
  if (messages > 0) logger.info({ notification, messages }, 'alert.digest_carried_more');
}

/**
 * The content of the messages; `not-loaded` if the database is down, which must not count as a crash of the message, and
 * `not-built` after any other error.
 */
async function load(deps: DeliverTurnDeps, { batch, loadContent }: InTurn) {
  try {
    return await loadContent(batch);
  } catch (error) {
    const { id: notification } = leadOf(batch);
    if (!(error instanceof DatabaseUnavailable)) {
      deps.logger.error({ error, notification }, 'alert.content_not_built');
      return 'not-built';
    }
    deps.logger.warn({ error, notification }, 'alert.content_not_loaded');
    return 'not-loaded';
  }
}

async function settleUnsent(
  deps: DeliverTurnDeps,
  persist: Persist,
  { batch, channel }: Pick<InTurn, 'batch' | 'channel'>,
  error: string,
): Promise<After> {
  await persist((tx) => settleNotifications(tx, batch.rows, { error, settledAt: deps.clock.now() }));
  log(deps, { batch, channel }, undelivered(error));
  return { canContinue: true, channel };
}

async function recordOutcome(
  deps: DeliverTurnDeps,
  persist: Persist,
  { batch, channel, isLast, arrived, event }: InTurn,
  sent: Sent,
  isToOwner: boolean,
): Promise<After> {
  const { result } = sent;
  const now = deps.clock.now();
  if (!result.ok && result.retryReason === 'stopped') {
    await persist((tx) => releaseNotifications(tx, batch.rows));
    return { canContinue: false, channel };
  }
  const hold = (timeouts: number) => holdAfter(result, batch, { timeouts, now });
  const arrivedAt = arrived.length > 0 ? now : undefined;
  const options = { now, hold, isNotice: batch.kind === 'notice', arrivedAt };
  // Successes of up to a second are recorded in one write. After a kill they are sent again, with the same keys.
  const isNews = isLast() || !result.ok || result.settings !== undefined || !isWell(channel);
  if (!isNews) {
    arrived.push(batch);
    log(deps, { batch, channel }, result);
    return { canContinue: true, channel };
  }
  const changed = await persist(async (tx) => {
    const changed = isToOwner ? undefined : await recordSent(tx, channel, sent, options);
    await recordRows(tx, { batch, channel: changed ?? channel, isToOwner, event }, result, now);
    return changed;
  });
  log(deps, { batch, channel }, result);
  const isOver = !result.ok && (result.permanent || isLimited(result) || result.retryReason === 'timed-out');
  return { canContinue: !isOver, channel: changed ?? channel };
}

// a target that limits its rate without naming a time accepts messages again soon
const maxUnnamedHold: Micros = 120 * microsPerSecond;

/** End of the channel's pause: as the target requests, or after growing pauses while it does not respond. */
function holdAfter(
  result: Sent['result'],
  batch: QueuedBatch,
  { timeouts, now }: { readonly timeouts: number; readonly now: Micros },
): Micros | undefined {
  if (result.ok) return undefined;
  if (result.retryAfterMs !== undefined) return now + result.retryAfterMs * 1000;
  if (result.retryReason === 'limited') return now + Math.min(pauseAfterTry(triesOf(batch)), maxUnnamedHold);
  return result.retryReason === 'timed-out' ? now + pauseAfterTimeout(timeouts) : undefined;
}

/** Whether the target accepts no message at all for a while. */
function isLimited({ retryReason, retryAfterMs }: FailedDelivery): boolean {
  return retryReason === 'limited' || retryAfterMs !== undefined;
}

/** Attempts of the oldest message, including this one. */
function triesOf({ rows }: QueuedBatch): number {
  return Math.max(0, ...rows.map(({ tries }) => tries ?? 0)) + 1;
}

interface ToOwner {
  readonly isToOwner: boolean;
}

async function recordRows(
  tx: Tx,
  { batch, channel, isToOwner, event }: Pick<InTurn, 'batch' | 'channel' | 'event'> & ToOwner,
  result: Sent['result'],
  now: Micros,
): Promise<void> {
  const { rows } = batch;
  if (result.ok || !isTriedAgain(result, batch)) {
    const carriedBy = rows.length > 1 ? leadOf(batch).deliveryId : undefined;
    const error = result.ok ? null : result.error;
    await settleNotifications(tx, rows, { error, settledAt: now, carriedBy });
    return;
  }
  const tries = triesOf(batch);
  const isRejected = result.retryReason === 'rejected';
  const next = (createdAt: Micros) => nextTryAt({ createdAt, tries, now, isRejected });
  const expired = rows.filter(({ createdAt }) => next(createdAt) === undefined);
  const open = rows.filter((row) => !expired.includes(row));
  const oldest = Math.min(...open.map(({ createdAt }) => createdAt));
  // a target that works takes the oldest first when its limit allows it
  const dueAt = result.retryReason === 'limited' ? now : (next(oldest) ?? now);
  await postponeNotifications(tx, open, { tries, dueAt, error: result.error, event: event ?? null });
  if (expired.length === 0) return;
  await settleNotifications(tx, expired, { error: result.error, settledAt: now });
  // a notice that does not arrive causes no further one
  if (batch.kind === 'notice' || isToOwner) return;
  const since = Math.min(...expired.map(({ createdAt }) => createdAt));
  await recordGivenUp(tx, channel, { since, error: result.error, now });
}

/** Whether the messages are sent again, unless they are too old. */
function isTriedAgain({ retryReason }: FailedDelivery, batch: QueuedBatch): boolean {
  return retryReason !== undefined && (retryReason !== 'rejected' || triesOf(batch) < maxRejections);
}

function log(
  { logger }: DeliverTurnDeps,
  { batch, channel }: Pick<InTurn, 'batch' | 'channel'>,
  result: Sent['result'],
) {
  const { id: notification, status, attempt, tries } = leadOf(batch);
  const messages = batch.rows.length;
  const line = { notification, channel: channel.uuid, kind: channel.kind, status, attempt, tries, messages };
  if (result.ok) return logger.info(line, 'alert.delivered');
  if (isTriedAgain(result, batch)) return logger.info({ ...line, reason: result.error }, 'alert.postponed');
  return logger.warn({ ...line, reason: result.error, isPermanent: result.permanent }, 'alert.failed');
}

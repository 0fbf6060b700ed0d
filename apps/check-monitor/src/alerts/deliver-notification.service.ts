import type { Database } from '@certloop/db';
import { createTurns, type Logger } from '@certloop/server';
import { type DeliveryResult, undelivered } from '../channels/delivery-result.js';
import {
  claimNotification,
  keepNotification,
  type Notification,
  postponeNotification,
  settleNotification,
} from '../channels/notifications.repository.js';
import type { Notifier } from '../channels/notifier.service.js';
import { type Micros, microsPerSecond } from '../instants.js';
import { type Alert, type LoadAlertDeps, loadAlert } from './load-alert.service.js';

export interface DeliverNotificationDeps extends LoadAlertDeps {
  readonly database: Database;
  readonly logger: Logger;
  readonly notifier: Pick<Notifier, 'notify'>;
  /** How many deliver at once in this process. */
  readonly deliveryWorkers: number;
}

/** Renewed three times as often while the delivery lasts: past it the worker is dead, and another one begins anew. */
const leaseSeconds = 30;
const lease: Micros = leaseSeconds * microsPerSecond;

const longestWait: Micros = 3600 * microsPerSecond;

/** A message during which this many workers died must not take the next one too. */
const mostAttempts = 3;

/** Delivers the oldest message that may go, and tells whether there was one; each worker calls it again and again. */
export type Deliver = () => Promise<boolean>;

/**
 * Workers may be in several processes. One channel never has all of a process, so that a target that hangs keeps no
 * other from being told. A message whose worker died is delivered again: at least once, under the same delivery id.
 */
export function createDeliver(deps: DeliverNotificationDeps): Deliver {
  const { database, deliveryWorkers } = deps;
  const mostOfOne = Math.max(1, deliveryWorkers - 1);
  const inHand: number[] = [];
  // what one takes is known before the next one looks
  const inTurn = createTurns({ atOnce: 1, mostWaiting: Number.POSITIVE_INFINITY });
  const claim = async (): Promise<Notification | undefined> => {
    const now = deps.now();
    const full = inHand.find((channel) => inHand.filter((each) => each === channel).length >= mostOfOne);
    const claimed = await database.transaction((tx) => claimNotification(tx, now, now + lease, full));
    if (claimed !== undefined) inHand.push(claimed.channelId);
    return claimed;
  };
  return async () => {
    const claimed = await inTurn(claim);
    if (claimed === undefined) return false;
    const keeper = keepLease(deps, claimed);
    await deliver(deps, claimed).finally(() => {
      clearInterval(keeper);
      inHand.splice(inHand.indexOf(claimed.channelId), 1);
    });
    return true;
  };
}

/** All tries of one message may take minutes, in which nobody else shall begin it. */
function keepLease({ database, logger, now }: DeliverNotificationDeps, claimed: Notification) {
  const keep = async () => {
    await database.transaction((tx) => keepNotification(tx, claimed, now() + lease));
  };
  const tell = (error: unknown) => logger.warn({ error, notification: claimed.id }, 'alert.lease_lost');
  return setInterval(() => void keep().catch(tell), (leaseSeconds / 3) * 1000);
}

async function deliver(deps: DeliverNotificationDeps, claimed: Notification): Promise<void> {
  const { database, logger, now } = deps;
  const alert = await database.read((tx) => loadAlert(deps, tx, claimed));
  const result = await tell(deps, claimed, alert);
  if (!result.ok && result.retryAfterMs !== undefined && mayWait(deps, claimed)) {
    const at = now() + result.retryAfterMs * 1000;
    await database.transaction((tx) => postponeNotification(tx, claimed, at));
    logger.info({ notification: claimed.id, waitMs: result.retryAfterMs }, 'alert.postponed');
    return;
  }
  const error = result.ok ? null : result.error;
  await database.transaction((tx) => settleNotification(tx, claimed, { error, settledAt: now() }));
  const { id, status, attempt } = claimed;
  const line = { notification: id, channel: alert?.channel.uuid, kind: alert?.channel.kind, status, attempt };
  if (result.ok) logger.info(line, 'alert.delivered');
  else logger.warn({ ...line, reason: error, isPermanent: result.permanent }, 'alert.failed');
}

/** News of an hour ago is worth no more waiting. */
function mayWait({ now }: DeliverNotificationDeps, { createdAt }: Notification): boolean {
  return now() - createdAt < longestWait;
}

async function tell(
  deps: DeliverNotificationDeps,
  claimed: Notification,
  alert: Alert | undefined,
): Promise<DeliveryResult> {
  if (alert === undefined) return undelivered('the check or the channel is gone');
  if (alert.channel.disabledAt !== null) return undelivered('the channel is switched off');
  if (claimed.attempt > mostAttempts)
    return undelivered(`given up: ${mostAttempts} attempts did not come to an end`);
  const options = { isTest: false, mayWait: mayWait(deps, claimed) };
  return deps.notifier.notify(alert.channel, alert.event, options);
}

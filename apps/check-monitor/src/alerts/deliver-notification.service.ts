import type { Database } from '@certloop/db';
import type { Logger } from '@certloop/server';
import { type DeliveryResult, undelivered } from '../channels/delivery-result.js';
import {
  claimNotification,
  type Notification,
  settleNotification,
} from '../channels/notifications.repository.js';
import type { Notifier } from '../channels/notifier.service.js';
import { type Micros, microsPerSecond } from '../instants.js';
import { type Alert, type LoadAlertDeps, loadAlert } from './load-alert.service.js';

export interface DeliverNotificationDeps extends LoadAlertDeps {
  readonly database: Database;
  readonly logger: Logger;
  readonly notifier: Pick<Notifier, 'notify'>;
}

/** Longer than any delivery takes with all its tries: then its worker is dead, and another one begins anew. */
const lease: Micros = 600 * microsPerSecond;

/** A message during which this many workers died must not take the next one too. */
const mostAttempts = 3;

/**
 * Delivers the oldest message that waits; tells whether there was one. Several may run at once, here and in other
 * processes. A message whose worker died is delivered again: at least once, under the same delivery id.
 */
export async function deliverNotification(deps: DeliverNotificationDeps): Promise<boolean> {
  const now = deps.now();
  const claimed = await deps.database.transaction((tx) => claimNotification(tx, now, now + lease));
  if (claimed === undefined) return false;
  await deliver(deps, claimed);
  return true;
}

async function deliver(deps: DeliverNotificationDeps, claimed: Notification): Promise<void> {
  const { database, logger, now } = deps;
  const alert = await database.read((tx) => loadAlert(deps, tx, claimed));
  const result = await tell(deps, claimed, alert);
  const error = result.ok ? null : result.error;
  await database.transaction((tx) => settleNotification(tx, claimed, { error, settledAt: now() }));
  const { id, status, attempt } = claimed;
  const line = { notification: id, channel: alert?.channel.uuid, kind: alert?.channel.kind, status, attempt };
  if (result.ok) logger.info(line, 'alert.delivered');
  else logger.warn({ ...line, reason: error, isPermanent: result.permanent }, 'alert.failed');
}

async function tell(
  { notifier }: DeliverNotificationDeps,
  { attempt }: Notification,
  alert: Alert | undefined,
): Promise<DeliveryResult> {
  if (alert === undefined) return undelivered('the check or the channel is gone');
  if (alert.channel.disabledAt !== null) return undelivered('the channel is switched off');
  if (attempt > mostAttempts) return undelivered(`given up: ${mostAttempts} attempts did not come to an end`);
  return notifier.notify(alert.channel, alert.event);
}

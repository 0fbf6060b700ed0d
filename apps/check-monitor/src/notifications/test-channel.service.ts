import { randomUUID } from 'node:crypto';
import { findChannel } from '../channels/channels.repository.js';
import { type ChannelPath, requireChannel } from '../channels/manage-channels.service.js';
import type { DbDeps } from '../db-deps.js';
import type { DeliveryResult } from '../integrations/delivery/delivery-result.js';
import { type AlertStatus, testEvent } from '../integrations/messages/alert-event.js';
import { getProject } from '../projects/projects.repository.js';
import { deleteTests, insertNotifications } from './notifications.repository.js';
import type { Notifier } from './notifier.service.js';

export interface TestChannelDeps extends DbDeps {
  readonly notifier: Pick<Notifier, 'shouldNotify' | 'test'>;
}

/**
 * Notifies the channel that a check named TEST went down, or came up if it wants nothing else; once, and the
 * result is returned to the caller. The log stores only the latest test. Throws NotFound.
 */
export async function testChannel(deps: TestChannelDeps, path: ChannelPath): Promise<DeliveryResult> {
  const { db, clock, notifier } = deps;
  const { channel, projectName } = await db.read(async (tx) => ({
    channel: await requireChannel(tx, path),
    projectName: (await getProject(tx, path.projectId)).name,
  }));
  const status: AlertStatus = notifier.shouldNotify(channel, 'down') ? 'down' : 'up';
  const deliveryId = randomUUID();
  const event = testEvent(status, clock.now(), { deliveryId, uuid: randomUUID(), projectName });
  const result = await notifier.test(channel, event);
  const row = { deliveryId, status, channelId: channel.id };
  const outcome = { attempt: 1, error: result.ok ? null : result.error };
  await db.transaction(async (tx) => {
    // it may have been deleted in the meantime
    if ((await findChannel(tx, path.uuid)) === undefined) return;
    await deleteTests(tx, channel.id);
    await insertNotifications(tx, [{ ...row, ...outcome, createdAt: event.at, settledAt: clock.now() }]);
  });
  return result;
}

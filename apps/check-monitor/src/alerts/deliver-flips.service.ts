import { randomUUID } from 'node:crypto';
import type { Database, Tx } from '@certloop/db';
import type { Logger } from '@certloop/server';
import type { AlertStatus } from '../channels/alert-event.js';
import { type Channel, listCheckChannels } from '../channels/channels.repository.js';
import { insertNotifications } from '../channels/notifications.repository.js';
import type { Notifier } from '../channels/notifier.service.js';
import { claimFlip, type FlipRow } from '../flips/flips.repository.js';
import type { Micros } from '../instants.js';
import { newsOf } from './alert.js';

export interface DeliverFlipsDeps {
  readonly database: Database;
  readonly now: () => Micros;
  readonly logger: Logger;
  readonly notifier: Pick<Notifier, 'tells'>;
}

/**
 * Takes every flip that waits, oldest first, and queues a message for each channel that is told of it, in the same
 * transaction: no crash can come between. Returns how many flips there were.
 */
export async function deliverFlips(deps: DeliverFlipsDeps): Promise<number> {
  for (let taken = 0; ; taken += 1) {
    const flip = await deps.database.transaction((tx) => takeFlip(deps, tx));
    if (flip === undefined) return taken;
    const { id, oldStatus, newStatus, reason, told } = flip;
    deps.logger.info({ flip: id, oldStatus, newStatus, reason, told }, 'check.flipped');
  }
}

async function takeFlip(
  deps: DeliverFlipsDeps,
  tx: Tx,
): Promise<(FlipRow & { readonly told: number }) | undefined> {
  const now = deps.now();
  const flip = await claimFlip(tx, now);
  if (flip === undefined) return undefined;
  const status = newsOf(flip);
  const channels = status === undefined ? [] : await channelsToTell(deps, tx, flip.checkId, status);
  const messages = channels.map(({ id }) => ({
    ...{ deliveryId: randomUUID(), channelId: id, checkId: flip.checkId, flipId: flip.id },
    ...{
      status: status ?? 'down',
      attempt: 0,
      leaseUntil: null,
      error: null,
      createdAt: now,
      settledAt: null,
    },
  }));
  await insertNotifications(tx, messages);
  return { ...flip, told: messages.length };
}

/** The fastest first, by what the latest message took; those that were never told anything last. */
async function channelsToTell(
  { notifier }: DeliverFlipsDeps,
  tx: Tx,
  checkId: number,
  status: AlertStatus,
): Promise<Channel[]> {
  const assigned = await listCheckChannels(tx, checkId);
  const speed = ({ lastDurationMs }: Channel) => lastDurationMs ?? Number.MAX_SAFE_INTEGER;
  return assigned
    .filter((channel) => channel.disabledAt === null && notifier.tells(channel, status))
    .sort((one, other) => speed(one) - speed(other));
}

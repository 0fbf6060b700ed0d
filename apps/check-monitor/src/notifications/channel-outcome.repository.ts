import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { column, querySql, type Tx } from '@certloop/db';
import { healthAfter, isWell, type Sent } from '../channels/channel-health.js';
import {
  type Channel,
  listProjectChannels,
  lockChannel,
  updateChannel,
} from '../channels/channels.repository.js';
import type { Micros } from '../instants.js';
import { isForPeople } from '../integrations/channel-kinds.js';
import { addressIn, isSameAddress } from '../integrations/consent.js';
import { hastenNotifications, insertNotifications } from './notifications.repository.js';

export interface OutcomeOptions {
  readonly now: Micros;
  /** Until when nothing more is sent to the channel, by its health after the message; undefined for no longer. */
  readonly hold?: (timeouts: number) => Micros | undefined;
  /** Whether the message was a notice about another channel: what happens to one causes no further notice. */
  readonly isNotice?: boolean;
  /** When messages arrived before this one that are not recorded on the channel yet. */
  readonly arrivedAt?: Micros | undefined;
}

/**
 * Records on a channel what happened to a message, and queues notices if the channel is switched off by it. Does nothing
 * if the channel has other settings than those that were used. Returns the channel as it is then; undefined if it is
 * gone or has other settings.
 */
export async function recordSent(
  tx: Tx,
  used: Pick<Channel, 'id' | 'settings'>,
  sent: Sent,
  { now, hold, isNotice = false, arrivedAt }: OutcomeOptions,
): Promise<Channel | undefined> {
  const channel = await lockChannel(tx, used.id);
  if (channel === undefined || !isDeepStrictEqual(channel.settings, used.settings)) return undefined;
  const { result } = sent;
  const health = healthAfter(channel, sent, now);
  const heldUntil = hold?.(health.timeouts ?? 0);
  const changes: Partial<Channel> = {
    ...(arrivedAt !== undefined && { lastDeliveredAt: arrivedAt }),
    ...health,
    ...(result.ok && result.settings !== undefined ? { settings: result.settings } : {}),
    ...(heldUntil === undefined ? {} : { heldUntil }),
  };
  if (Object.keys(changes).length > 0) await updateChannel(tx, channel.id, changes);
  // what waits for a channel that did not work need not wait any longer
  if (result.ok && !isWell(channel)) await hastenNotifications(tx, channel.id);
  const changed = { ...channel, ...changes };
  const isSwitchedOff = channel.disabledAt === null && changed.disabledAt !== null;
  if (isSwitchedOff && !isNotice) await queueNotices(tx, changed, now);
  return changed;
}

const maxChannels = 3;

/**
 * Queues notices that a channel is switched off or has failed for a day: a mail to the owner of the project, and if it
 * is switched off messages to three other channels that people read. Does so once until the channel works again.
 */
export async function queueNotices(tx: Tx, channel: Channel, now: Micros): Promise<void> {
  if (channel.noticedAt !== null) return;
  await updateChannel(tx, channel.id, { noticedAt: now });
  const others = channel.disabledAt === null ? [] : await listNoticed(tx, channel);
  const notice = { status: 'down', aboutChannelId: channel.id, createdAt: now } as const;
  const receivers = [channel.id, ...others.map(({ id }) => id)];
  await insertNotifications(
    tx,
    receivers.map((channelId) => ({ ...notice, channelId, deliveryId: randomUUID() })),
  );
}

/**
 * Shows a channel as failing since `since`, unless it is shown so already, and queues notices: a message to it was
 * given up after 24 hours. So is a target that only limits its rate.
 */
export async function recordGivenUp(
  tx: Tx,
  channel: Channel,
  { since, error, now }: { readonly since: Micros; readonly error: string; readonly now: Micros },
): Promise<void> {
  const health = { failingSince: channel.failingSince ?? since, lastError: channel.lastError ?? error };
  await updateChannel(tx, channel.id, health);
  await queueNotices(tx, { ...channel, ...health }, now);
}

/** Other channels of the project, those that work first; the owner's own address gets the mail anyway. */
async function listNoticed(tx: Tx, { id, projectId }: Channel): Promise<Channel[]> {
  const owner = await findOwnerAddress(tx, projectId);
  const isFit = (other: Channel) =>
    other.id !== id &&
    other.disabledAt === null &&
    isForPeople(other.kind) &&
    (other.kind !== 'email' ||
      (other.verifiedAt !== null && !isSameAddress(addressIn(other.settings), owner)));
  const fit = (await listProjectChannels(tx, projectId)).filter(isFit);
  const isFailing = ({ failingSince }: Channel) => (failingSince === null ? 0 : 1);
  return fit.sort((one, other) => isFailing(one) - isFailing(other)).slice(0, maxChannels);
}

/** Mail address of the owner of a project. */
export async function findOwnerAddress(tx: Tx, projectId: string): Promise<string | undefined> {
  const text = 'select u.email from projects p join users u on u.id = p.owner_id where p.id = $1';
  const [owner] = await querySql(tx, { email: column.word(254) }, text, [projectId]);
  return owner?.email;
}

import type { Tx } from '@certloop/db';
import type { AlertEvent } from '../channels/alert-event.js';
import { type Channel, findChannelById, listCheckChannels } from '../channels/channels.repository.js';
import type { Notification } from '../channels/notifications.repository.js';
import type { Addresses } from '../checks/check-view.js';
import { findCheckById, summariseOthers } from '../checks/checks.repository.js';
import { findEarlierFlip, findFlip } from '../flips/flips.repository.js';
import type { Micros } from '../instants.js';
import { findLatestPing } from '../pings/pings.repository.js';
import { getProject } from '../projects/projects.repository.js';
import { describeAlert } from './alert.js';

export interface LoadAlertDeps {
  readonly addresses: Addresses;
  readonly now: () => Micros;
}

export interface Alert {
  readonly channel: Channel;
  readonly event: AlertEvent;
}

/** What a message is about and where it goes; undefined when check or channel is gone. */
export async function loadAlert(
  { addresses, now }: LoadAlertDeps,
  tx: Tx,
  { deliveryId, channelId, checkId, flipId, status }: Notification,
): Promise<Alert | undefined> {
  const channel = await findChannelById(tx, channelId);
  const check = checkId === null ? undefined : await findCheckById(tx, checkId);
  const flip = flipId === null ? undefined : await findFlip(tx, flipId);
  if (channel === undefined || check === undefined || flip === undefined) return undefined;
  const told = await listCheckChannels(tx, check.id);
  const facts = {
    ...{ deliveryId, status, flip, check },
    earlier: await findEarlierFlip(tx, flip),
    channelIds: told.map(({ uuid }) => uuid),
    projectName: (await getProject(tx, check.projectId)).name,
    lastPing: await findLatestPing(tx, check.id, flip.at),
    others: await summariseOthers(tx, check),
  };
  return { channel, event: describeAlert(facts, { addresses, version: 3, now: now() }) };
}

import { randomUUID } from 'node:crypto';
import { internalTag } from '@certloop/contracts';
import { type Tx, yieldBetween } from '@certloop/db';
import type { Logger } from '@certloop/server';
import { type Channel, listChannelsByUuid } from '../channels/channels.repository.js';
import { listChannelsByCheck } from '../channels/check-channels.repository.js';
import { listUniqueKeysWithout } from '../checks/rows/checks.repository.js';
import type { DbDeps } from '../db-deps.js';
import { claimFlips, type FlipRow } from '../flips/flips.repository.js';
import type { Micros } from '../instants.js';
import { foundMembers, membersOf } from '../integrations/kinds/group/group-members.js';
import type { AlertStatus } from '../integrations/messages/alert-event.js';
import { insertNotifications, type QueuedNotification } from '../notifications/notifications.repository.js';
import type { Notifier } from '../notifications/notifier.service.js';
import { alertStatusOf, type ChannelReach, isUnheard } from './alert.js';

export interface DeliverFlipsDeps extends DbDeps {
  readonly logger: Logger;
  readonly notifier: Pick<Notifier, 'shouldNotify' | 'obstacle'>;
  /** Called for each flip that `isUnheard`. */
  readonly onUnheardFlip: () => void;
}

// a transaction on SQLite holds up everything else, and these take some milliseconds
const flipsAtOnce = 50;

/**
 * Takes every flip that waits, oldest first, and queues a message for each channel that is notified of it, in the same
 * transaction: no crash can come between. Returns how many flips there were.
 */
export async function deliverFlips(deps: DeliverFlipsDeps): Promise<number> {
  let total = 0;
  for await (const _round of yieldBetween()) {
    const taken = await deps.db.transaction((tx) => takeFlips(deps, tx));
    for (const { id, oldStatus, newStatus, reason, notified, unheardCheck } of taken) {
      deps.logger.info({ flip: id, oldStatus, newStatus, reason, notified }, 'check.flipped');
      if (unheardCheck === undefined) continue;
      deps.onUnheardFlip();
      deps.logger.warn({ flip: id, check: unheardCheck, newStatus }, 'check.flip_without_channel');
    }
    total += taken.length;
    if (taken.length < flipsAtOnce) break;
  }
  return total;
}

type TakenFlip = FlipRow & {
  /** Number of messages queued. */
  readonly notified: number;
  /** Unique key of the check where the flip reaches no channel although it should. */
  readonly unheardCheck: string | undefined;
};

async function takeFlips(deps: DeliverFlipsDeps, tx: Tx): Promise<readonly TakenFlip[]> {
  const now = deps.clock.now();
  const flips = await claimFlips(tx, now, flipsAtOnce);
  const checkIds = [...new Set(flips.map(({ checkId }) => checkId))];
  const assigned = await withMembers(tx, await listChannelsByCheck(tx, checkIds));
  const queued = flips.map((flip) => messagesOf(deps, flip, assigned.get(flip.checkId) ?? [], now));
  await insertNotifications(tx, queued.flat());
  const reachOf = rememberReach(deps);
  const unheard = flips.filter((flip) => {
    const status = alertStatusOf(flip);
    if (status === undefined) return false;
    return isUnheard(
      flip,
      (assigned.get(flip.checkId) ?? []).map((channel) => reachOf(channel, status)),
    );
  });
  const unheardIds = [...new Set(unheard.map(({ checkId }) => checkId))];
  const keys = await listUniqueKeysWithout(tx, unheardIds, internalTag);
  return flips.map((flip, index) => ({
    ...flip,
    notified: queued[index]?.length ?? 0,
    unheardCheck: unheard.includes(flip) ? keys.get(flip.checkId) : undefined,
  }));
}

/** Judges each channel once: in a storm many checks have the same ones. */
function rememberReach({
  notifier,
}: DeliverFlipsDeps): (channel: Channel, status: AlertStatus) => ChannelReach {
  const known = new Map<string, ChannelReach>();
  return (channel, status) => {
    const key = `${status} ${channel.id}`;
    const reach = known.get(key) ?? {
      canSend: channel.disabledAt === null && notifier.obstacle(channel) === undefined,
      isWanted: notifier.shouldNotify(channel, status),
    };
    known.set(key, reach);
    return reach;
  };
}

/** Channels of each check with the members of its groups instead of the groups; each channel once. */
async function withMembers(
  tx: Tx,
  assigned: ReadonlyMap<number, readonly Channel[]>,
): Promise<ReadonlyMap<number, readonly Channel[]>> {
  const groups = [...assigned.values()].flat().filter(isWorkingGroup);
  if (groups.length === 0) return assigned;
  const members = await listChannelsByUuid(tx, [...new Set(groups.flatMap(membersOf))]);
  const byUuid = new Map(members.map((member) => [member.uuid, member]));
  // a group whose members could not be decrypted gets the message, so that it fails visibly
  const isExpanded = (channel: Channel) => isWorkingGroup(channel) && membersOf(channel).length > 0;
  const expand = (channel: Channel) => (isExpanded(channel) ? foundMembers(channel, byUuid) : [channel]);
  return new Map(
    [...assigned].map(([checkId, channels]) => {
      const expanded = channels.flatMap(expand);
      return [checkId, [...new Map(expanded.map((channel) => [channel.id, channel])).values()]];
    }),
  );
}

/** One that is switched off stays, so that it is passed over like any other channel. */
function isWorkingGroup({ kind, disabledAt }: Channel): boolean {
  return kind === 'group' && disabledAt === null;
}

function messagesOf(
  deps: DeliverFlipsDeps,
  flip: FlipRow,
  assigned: readonly Channel[],
  now: Micros,
): QueuedNotification[] {
  const status = alertStatusOf(flip);
  if (status === undefined) return [];
  return channelsToNotify(deps, assigned, status).map(({ id }) => ({
    deliveryId: randomUUID(),
    channelId: id,
    checkId: flip.checkId,
    flipId: flip.id,
    status,
    createdAt: now,
  }));
}

/** The fastest first, by what the latest message took; those that were never notified anything last. */
function channelsToNotify(
  { notifier }: DeliverFlipsDeps,
  assigned: readonly Channel[],
  status: AlertStatus,
): Channel[] {
  const speed = ({ lastDurationMs }: Channel) => lastDurationMs ?? Number.MAX_SAFE_INTEGER;
  return assigned
    .filter((channel) => channel.disabledAt === null && notifier.shouldNotify(channel, status))
    .sort((one, other) => speed(one) - speed(other));
}

import { randomUUID } from 'node:crypto';
import { type Database, isDiskFault } from '@certloop/db';
import type { Logger } from '@certloop/server';
import { type Clock, type Micros, microsPerSecond } from '../instants.js';
import type { DeliveryResult } from '../integrations/delivery/delivery-result.js';
import type { Notifier } from '../notifications/notifier.service.js';
import { listNoticeReceivers, type NoticeReceivers } from './notice-receivers.repository.js';
import { fullDiskNotice } from './notices.js';

export interface FullDiskDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly notifier: Pick<Notifier, 'send' | 'mailOwner'>;
}

// room may be made at once, and a disk that is nearly full changes often
const patience: Micros = 10 * microsPerSecond;
const hour: Micros = 3600 * microsPerSecond;
const minute: Micros = 60 * microsPerSecond;
const sendsAtOnce = 10;

/**
 * Returns one round of a job that sends one notice when the disk has been full for ten seconds: changes of checks and
 * messages cannot be stored then, so alerts are held. The receivers are those in memory, which it reads each minute while
 * writes succeed. There is at most one notice for each outage and in an hour.
 */
export function createFullDiskNotice(deps: FullDiskDeps): () => Promise<void> {
  const { db, clock, logger } = deps;
  let receivers: NoticeReceivers | undefined;
  let readAt: Micros | undefined;
  let since: Micros | undefined;
  let triedAt: Micros | undefined;
  let pause = minute;
  let isNoticed = false;
  const remember = async (now: Micros) => {
    readAt = now;
    receivers = await db.read(listNoticeReceivers);
  };
  return async () => {
    const now = clock.now();
    const fault = await db.confirmWriteFault();
    if (fault === undefined) {
      since = undefined;
      isNoticed = false;
      if (isOver(readAt, minute, now)) await remember(now);
      return;
    }
    // a server whose disk is full may end: then it does not answer either
    if (since === undefined && !isDiskFault(fault)) return;
    since = Math.min(since ?? now, now);
    if (isNoticed || now - since < patience || !isOver(triedAt, pause, now)) return;
    triedAt = now;
    if (receivers === undefined) await remember(now);
    const delivered = await sendAll(deps, receivers ?? { owners: [], channels: [] }, since);
    isNoticed = delivered > 0;
    pause = isNoticed ? hour : minute;
    logger.error({ reason: fault, delivered }, 'alerts.held_for_full_disk');
  };
}

/** Whether a time has passed since a moment; also if the clock was set back by more than that. */
function isOver(moment: Micros | undefined, time: Micros, now: Micros): boolean {
  return moment === undefined || Math.abs(now - moment) >= time;
}

/** Sends the notice to all, some at once; returns how many it reached. */
async function sendAll(
  { notifier }: FullDiskDeps,
  { owners, channels }: NoticeReceivers,
  since: Micros,
): Promise<number> {
  const notice = fullDiskNotice(since);
  const sends: (() => Promise<DeliveryResult>)[] = [
    ...owners.map((address) => () => notifier.mailOwner(address, notice, randomUUID())),
    ...channels.map((channel) => async () => {
      return (await notifier.send(channel, { notice, deliveryId: randomUUID() })).result;
    }),
  ];
  let delivered = 0;
  for (let from = 0; from < sends.length; from += sendsAtOnce) {
    const results = await Promise.all(sends.slice(from, from + sendsAtOnce).map((send) => send()));
    delivered += results.filter(({ ok }) => ok).length;
  }
  return delivered;
}

import { randomUUID } from 'node:crypto';
import { isDiskFault } from '@certloop/db';
import { createOutageNotice, hasPassed, type Logger } from '@certloop/server';
import type { DbDeps } from '../db-deps.js';
import { wholeMs } from '../instants.js';
import type { DeliveryResult } from '../integrations/delivery/delivery-result.js';
import type { Notice } from '../integrations/messages/notice.js';
import type { Notifier } from '../notifications/notifier.service.js';
import { listNoticeReceivers, type NoticeReceivers } from './notice-receivers.repository.js';
import { fullDiskNotice } from './notices.js';

export interface FullDiskDeps extends DbDeps {
  readonly logger: Logger;
  readonly notifier: Pick<Notifier, 'send' | 'mailOwner'>;
}

const readEveryMs = 60_000;
const sendsAtOnce = 10;

/**
 * Returns one round of a job that sends one notice when the disk is full: changes of checks and messages cannot be stored
 * then, so alerts are held. The receivers are those in memory, which it reads each minute while writes succeed, if
 * they cannot be read then.
 */
export function createFullDiskNotice(deps: FullDiskDeps): () => Promise<void> {
  const { db, clock, logger } = deps;
  let receivers: NoticeReceivers = { owners: [], channels: [] };
  let readAtMs: number | undefined;
  return createOutageNotice({
    findFault: () => db.confirmWriteFault(),
    isBeginning: isDiskFault,
    onWell: async (nowMs) => {
      if (!hasPassed(readAtMs, readEveryMs, nowMs)) return;
      readAtMs = nowMs;
      receivers = await db.read(listNoticeReceivers);
    },
    send: async ({ fault, sinceMs }) => {
      // they can often be read on a full disk, and may be new
      receivers = await db.read(listNoticeReceivers).catch(() => receivers);
      const delivered = await sendAll(deps, receivers, fullDiskNotice(sinceMs * 1000));
      logger.error({ reason: fault, delivered }, 'alerts.held_for_full_disk');
      return delivered > 0;
    },
    nowMs: () => wholeMs(clock.now()),
  });
}

/** Sends the notice to all, some at once; returns how many it reached. */
async function sendAll(
  { notifier }: FullDiskDeps,
  { owners, channels }: NoticeReceivers,
  notice: Notice,
): Promise<number> {
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

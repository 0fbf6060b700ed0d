import { isDiskFault, newRowId } from '@certloop/db';
import { createOutageNotice, type Logger } from '@certloop/server';
import type { DbDeps } from '../db-deps.js';
import { cloudEventOf, type OutgoingEvent } from './event.js';
import type { SendMail } from './mail/mail.client.js';
import { noticeMail } from './mail/notice-mail.js';
import type { WebhookClient } from './webhook.client.js';

export interface FullDiskDeps extends DbDeps {
  readonly logger: Logger;
  /** Address of this service. */
  readonly source: string;
  readonly send: SendMail | undefined;
  readonly client: WebhookClient | undefined;
}

/**
 * Returns one round of a job that sends one notice when the disk is full, by mail and by webhook, without the database:
 * events cannot be stored then.
 */
export function createFullDiskNotice({
  db,
  clock,
  logger,
  source,
  send,
  client,
}: FullDiskDeps): () => Promise<void> {
  const mail = async (event: OutgoingEvent) => {
    if (send === undefined) return false;
    const { type } = event;
    await send({ id: event.id, ...noticeMail({ events: [event], counts: [{ type, count: 1 }] }) });
    return true;
  };
  const post = async (event: OutgoingEvent) => {
    if (client === undefined) return false;
    const body = cloudEventOf(event, source);
    return (await client.send({ id: event.id, body, sentAt: clock.now() })) === undefined;
  };
  return createOutageNotice({
    findFault: () => db.confirmWriteFault(),
    isBeginning: isDiskFault,
    send: async ({ fault, sinceMs }) => {
      const event = fullDiskEvent(new Date(sinceMs), clock.now());
      const ends = await Promise.allSettled([mail(event), post(event)]);
      const delivered = ends.filter((end) => end.status === 'fulfilled' && end.value).length;
      logger.error({ reason: fault, delivered }, 'notices.held_for_full_disk');
      return delivered > 0;
    },
    nowMs: () => clock.now().getTime(),
  });
}

function fullDiskEvent(since: Date, now: Date): OutgoingEvent {
  const at = since.toISOString();
  const message = `Since ${at} cert-manager cannot store anything, as its disk is full. It requests and renews no certificate, and other notices wait. Free space on the disk of its database: it continues within seconds.`;
  return {
    id: newRowId(now),
    type: 'disk.full',
    subject: 'cert-manager',
    createdAt: now,
    data: { message, since: at },
  };
}

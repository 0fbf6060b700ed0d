import { type Tx, yieldBetween } from '@certloop/db';
import type { Clock, Logger } from '@certloop/server';
import type { DbDeps } from '../db-deps.js';
import { type Destination, destinationsOf, type NewEvent } from './event.js';
import { deleteOldEvents, insertEvent, insertEvents } from './events.repository.js';
import { createMailClient, type MailSettings } from './mail/mail.client.js';
import { sendMail } from './mail/send-mails.service.js';
import { createFullDiskNotice } from './notice-full-disk.service.js';
import { sendWebhooks } from './send-webhooks.service.js';
import { createWebhookClient, type WebhookSettings } from './webhook.client.js';
import { enableReceiver } from './webhook-receivers.repository.js';

export interface NoticesDeps extends DbDeps {
  readonly logger: Logger;
  /** Address of this service. */
  readonly source: string;
  /** Breaks off what is being sent. */
  readonly stop: AbortSignal;
  readonly mail: MailSettings | undefined;
  readonly webhook: WebhookSettings | undefined;
}

/** Dependencies of what records events. */
export interface NoticeDeps {
  readonly clock: Clock;
  /** Undefined without a destination of notices: nothing is recorded. */
  readonly notices: Notices | undefined;
}

/** Events on their way to people and programs. */
export interface Notices {
  /** Switches a webhook on again that was switched off before this process started. */
  open(): Promise<void>;
  /** Records an event in the transaction of what happened; nothing where no destination gets its type. */
  record(tx: Tx, event: NewEvent): Promise<void>;
  /** The same of several events at once, none of which has a key. */
  recordMany(tx: Tx, events: readonly Omit<NewEvent, 'onceKey'>[]): Promise<void>;
  /** Sends what is due, by mail and by webhook; false when something due is left. */
  run(): Promise<boolean>;
  /** Sends one notice without the database if its disk is full. */
  noticeFullDisk(): Promise<void>;
  /** Deletes events that are older than 30 days. */
  sweep(): Promise<void>;
  close(): Promise<void>;
}

const storedDays = 30;
const slice = 250;

/** Undefined when there is no destination: then nothing is recorded. */
export function createNotices({ mail, webhook, ...deps }: NoticesDeps): Notices | undefined {
  const destinations: Destination[] = [
    ...(mail === undefined ? [] : ['mail' as const]),
    ...(webhook === undefined ? [] : ['webhook' as const]),
  ];
  if (destinations.length === 0) return undefined;
  const { db, clock, logger, stop } = deps;
  const send = mail && createMailClient({ ...mail, stop });
  const client = webhook && createWebhookClient({ ...webhook, stop });
  const record = async (tx: Tx, event: NewEvent) => {
    const chosen = destinationsOf(event.type, destinations);
    if (chosen.length === 0) return;
    const isNew = await insertEvent(tx, event, { destinations: chosen, now: clock.now() });
    if (isNew) logger.info({ type: event.type, subject: event.subject }, 'event.recorded');
  };
  return {
    open: async () => {
      if (client === undefined || !(await db.transaction(enableReceiver))) return;
      logger.info({}, 'notices.webhook_enabled');
    },
    record,
    recordMany: async (tx, given) => {
      const wanted = given.map((event) => ({ event, to: destinationsOf(event.type, destinations) }));
      const sent = wanted.filter(({ to }) => to.length > 0);
      await insertEvents(tx, sent, clock.now());
      for (const { event } of sent)
        logger.info({ type: event.type, subject: event.subject }, 'event.recorded');
    },
    run: async () => {
      // each goes on when the other one fails
      const mails = send && sendMail({ ...deps, send });
      const webhooks = client && sendWebhooks({ ...deps, client, record });
      const ends = await Promise.allSettled([mails, webhooks]);
      for (const end of ends) if (end.status === 'rejected') throw end.reason;
      return ends[1].status === 'fulfilled' && ends[1].value !== false;
    },
    noticeFullDisk: createFullDiskNotice({ ...deps, send, client }),
    sweep: async () => {
      const before = new Date(clock.now().getTime() - storedDays * 86_400_000);
      for await (const _round of yieldBetween()) {
        const deleted = await db.transaction((tx) => deleteOldEvents(tx, before, slice));
        if (deleted.notices > 0) logger.error(deleted, 'notices.deleted_unsent');
        if (deleted.events < slice) return;
      }
    },
    close: async () => client?.close(),
  };
}

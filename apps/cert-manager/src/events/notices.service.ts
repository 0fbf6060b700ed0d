import { type Tx, yieldBetween } from '@certloop/db';
import type { Clock, Logger } from '@certloop/server';
import type { DbDeps } from '../db-deps.js';
import { type Destination, destinationsOf, type MailDestination, type NewEvent } from './event.js';
import { deleteOldEvents, insertEvent, insertEvents } from './events.repository.js';
import { createMailClient, type MailSettings, type SendMail } from './mail/mail.client.js';
import { type MailRoute, routedTo } from './mail/mail-route.js';
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
  /** Further receivers, of the notices about FQDNs with an owner or a tag of theirs. */
  readonly mailRoutes: readonly MailRoute[];
  /** Owner and tags of FQDNs, by id; those without are left out. */
  readonly readLabels: ReadLabels;
  readonly webhook: WebhookSettings | undefined;
}

/** Owner and tags of an FQDN as members of events, and as the lines that routes name. */
export interface EventLabels {
  readonly view: { readonly owner?: string; readonly tags?: readonly string[] };
  readonly lines: readonly string[];
}

export type ReadLabels = (tx: Tx, fqdnIds: readonly string[]) => Promise<ReadonlyMap<string, EventLabels>>;

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
export function createNotices({ mail, mailRoutes, webhook, ...deps }: NoticesDeps): Notices | undefined {
  const destinations: Destination[] = [
    ...(mail === undefined ? [] : ['mail' as const]),
    ...(webhook === undefined ? [] : ['webhook' as const]),
  ];
  if (destinations.length === 0) return undefined;
  const { db, clock, logger, stop } = deps;
  const send = mail && createMailClient({ ...mail, stop });
  const mailers = mail === undefined ? [] : mailersOf(mail, mailRoutes, stop);
  const client = webhook && createWebhookClient({ ...webhook, stop });
  const address = createAddressing({ ...deps, mailRoutes, destinations });
  const record = async (tx: Tx, given: NewEvent) => {
    for (const { event, to } of await address(tx, [given])) {
      const isNew = await insertEvent(tx, event, { destinations: to, now: clock.now() });
      if (isNew) logger.info({ type: event.type, subject: event.subject }, 'event.recorded');
    }
  };
  return {
    open: async () => {
      if (client === undefined || !(await db.transaction(enableReceiver))) return;
      logger.info({}, 'notices.webhook_enabled');
    },
    record,
    recordMany: async (tx, given) => {
      const sent = await address(tx, given);
      await insertEvents(tx, sent, clock.now());
      for (const { event } of sent)
        logger.info({ type: event.type, subject: event.subject }, 'event.recorded');
    },
    run: async () => {
      // each goes on when the other one fails
      const webhooks = client && sendWebhooks({ ...deps, client, record });
      const mails = mailers.map((mailer) => sendMail({ ...deps, ...mailer }));
      const ends = await Promise.allSettled([webhooks, ...mails]);
      for (const end of ends) if (end.status === 'rejected') throw end.reason;
      return (await webhooks) !== false;
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

interface Mailer {
  readonly destination: MailDestination;
  readonly send: SendMail;
}

/** Senders of mail to the receivers of all notices, and to those of each route. */
function mailersOf(mail: MailSettings, routes: readonly MailRoute[], stop: AbortSignal): Mailer[] {
  const all = [{ destination: 'mail' as const, address: mail.to }, ...routes];
  return all.map(({ destination, address: to }) => ({
    destination,
    send: createMailClient({ ...mail, to, stop }),
  }));
}

/** Returns what adds owner and tags of its FQDN to each event, and its destinations; events without one are left out. */
function createAddressing({
  mailRoutes,
  destinations,
  readLabels,
}: Pick<NoticesDeps, 'mailRoutes' | 'readLabels'> & { readonly destinations: readonly Destination[] }) {
  return async <Event extends Pick<NewEvent, 'type' | 'data'>>(tx: Tx, given: readonly Event[]) => {
    const possible = [...destinations, ...mailRoutes.map(({ destination }) => destination)];
    const sent = given.filter(({ type }) => destinationsOf(type, possible).length > 0);
    const ids = sent.flatMap(({ data: { fqdnId } }) => (typeof fqdnId === 'string' ? [fqdnId] : []));
    const labels = ids.length === 0 ? undefined : await readLabels(tx, [...new Set(ids)]);
    return sent.map((event) => {
      const { view = {}, lines = [] } = labels?.get(String(event.data['fqdnId'])) ?? {};
      const to = destinationsOf(event.type, [...destinations, ...routedTo(mailRoutes, lines)]);
      return { event: { ...event, data: { ...event.data, ...view } }, to };
    });
  };
}

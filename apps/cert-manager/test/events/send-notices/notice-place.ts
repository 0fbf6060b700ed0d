import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import type { Destination, EventType } from '../../../src/events/event.js';
import { events, insertEvent } from '../../../src/events/events.repository.js';
import { mailTurns } from '../../../src/events/mail/mail-turns.repository.js';
import { notices } from '../../../src/events/notices.repository.js';
import { findReceiver, webhookReceivers } from '../../../src/events/webhook-receivers.repository.js';
import { startApp, startAppOn, type TestApp } from '../../support/app.js';
import {
  type HookReceiver,
  type MailReceiver,
  startHookReceiver,
  startMailReceiver,
} from '../../support/monitor/notice-receivers.js';

export const second = 1000;
export const minute = 60 * second;
export const hour = 60 * minute;

const metricsToken = 'a-token-of-sixteen-letters';

interface Started {
  readonly app: TestApp;
  /** Another process beside it. */
  readonly other: TestApp;
  readonly mail: MailReceiver;
  readonly hook: HookReceiver;
  readonly environment: Readonly<Record<string, string>>;
}

/** What a test of notices finds in place: two processes, and a receiver of mails and one of webhooks. */
export type NoticePlace = Started & ReturnType<typeof looksAt>;

/** Describes notices on each database. After each test nothing is left that waits. */
export function describeNotices(name: string, suite: (place: NoticePlace) => void): void {
  describeEachDialect(name, (open) => {
    const started = {} as Started;
    const place: NoticePlace = Object.assign(started, looksAt(started));
    beforeAll(async () => {
      const mail = await startMailReceiver();
      const hook = await startHookReceiver();
      const environment = {
        METRICS_TOKEN: metricsToken,
        NOTICE_SMTP_URL: mail.url,
        NOTICE_MAIL_FROM: 'CertLoop <certs@example.org>',
        NOTICE_MAIL_TO: 'ada@example.org, bob@example.org',
        NOTICE_WEBHOOK_URL: hook.url,
        NOTICE_WEBHOOK_SECRET: `${hook.secret},whsec_${Buffer.alloc(24, 1).toString('base64')}`,
        CERT_MANAGER_PUBLIC_URL: 'https://certs.example.org',
      };
      const app = await startApp(open, { environment });
      const other = await startAppOn(app.database, { environment, beside: app });
      Object.assign(started, { app, other, mail, hook, environment });
    });
    beforeEach(() => {
      place.mail.mails.length = 0;
      place.hook.hooks.length = 0;
      place.hook.requests = 0;
    });
    afterEach(async () => {
      place.mail.failing = undefined;
      place.hook.failing = undefined;
      // whatever a test left is out of the way, and so is every pause
      place.app.clock.advance(48 * hour);
      await place.app.database.transaction(async (tx) => {
        for (const table of [notices, events, mailTurns, webhookReceivers]) await tx.clear(table);
      });
    });
    afterAll(async () => {
      await place.other.close();
      await place.app.close();
      await place.mail.close();
      await place.hook.close();
    });
    suite(place);
  });
}

/** What tests do and look up again and again. */
function looksAt(place: Started) {
  return {
    record: (
      subject: string,
      {
        type = 'certificate.failed',
        onceKey,
        to = ['mail', 'webhook'],
      }: { type?: EventType; onceKey?: string; to?: readonly Destination[] } = {},
    ) =>
      place.app.database.transaction((tx) =>
        insertEvent(
          tx,
          {
            type,
            subject,
            data: { message: `news of ${subject}`, fqdn: `${subject}.test` },
            ...(onceKey && { onceKey }),
          },
          { destinations: to, now: place.app.clock.now() },
        ),
      ),
    noticeSamples: async () => {
      const asked = place.app.request.get('/metrics').set('Authorization', `Bearer ${metricsToken}`);
      const { text } = await asked.expect(200);
      return text.split('\n').filter((line) => /^cert_manager_(\w*notice\w*|webhook_disabled)/.test(line));
    },
    receiver: () => place.app.database.read(findReceiver),
    /** When the oldest waiting event of the subject is due. */
    dueOf: async (subject: string) => {
      const [oldest] = await place.app.database.read((tx) =>
        tx.find(notices, { where: { subject }, order: { id: 'ASC' }, take: 1 }),
      );
      return oldest?.dueAt ?? place.app.clock.now();
    },
    pending: () => place.app.database.read((tx) => tx.count(notices)),
    subjects: () => place.hook.hooks.map(({ event }) => event.subject),
    logged: (event: string) => place.app.logged().filter((line) => line['event'] === event),
  };
}

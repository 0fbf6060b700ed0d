import { setTimeout as wait } from 'node:timers/promises';
import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Destination } from '../../src/events/event.js';
import { insertEvent } from '../../src/events/events.repository.js';
import { notices } from '../../src/events/notices.repository.js';
import { type SuiteApp, startApp } from '../support/app.js';
import { beginLife, deathOf } from '../support/dying-process.js';
import {
  type HookReceiver,
  type MailReceiver,
  startHookReceiver,
  startMailReceiver,
} from '../support/monitor/notice-receivers.js';

const minute = 60_000;

describeEachDialect('a process that is killed while it sends notices', (open) => {
  let mail: MailReceiver;
  let hook: HookReceiver;
  let app: SuiteApp;
  let environment: Record<string, string>;
  beforeAll(async () => {
    mail = await startMailReceiver();
    hook = await startHookReceiver();
    environment = {
      NOTICE_SMTP_URL: mail.url,
      NOTICE_MAIL_FROM: 'certs@example.org',
      NOTICE_MAIL_TO: 'ada@example.org',
      NOTICE_WEBHOOK_URL: hook.url,
      NOTICE_WEBHOOK_SECRET: hook.secret,
    };
    app = await startApp(open, { environment });
  });
  beforeEach(() => {
    mail.mails.length = 0;
    hook.hooks.length = 0;
    hook.requests = 0;
  });
  afterAll(async () => {
    await app.close();
    await mail.close();
    await hook.close();
  });

  const record = (subject: string, to: Destination) =>
    app.database.transaction((tx) =>
      insertEvent(
        tx,
        { type: 'certificate.failed', subject, data: { message: `news of ${subject}` } },
        { destinations: [to], now: app.clock.now() },
      ),
    );
  const pending = () => app.database.read((tx) => tx.count(notices));
  /** Sends in a process of its own, and kills it when the receiver has the message. */
  const dieSending = async (hasArrived: () => boolean) => {
    const child = beginLife({
      databaseUrl: app.databaseUrl,
      environment,
      now: app.clock.now(),
      work: 'notices',
    });
    const death = deathOf(child);
    while (!hasArrived() && child.exitCode === null) await wait(5);
    child.kill('SIGKILL');
    expect(await death).toBe('SIGKILL');
    mail.failing = undefined;
    hook.failing = undefined;
    expect(await pending()).toBeGreaterThan(0);
  };

  test('loses no webhook: the next process sends it and the following ones after the lease expires', async () => {
    hook.failing = { status: -1 };
    for (const subject of ['www', 'shop', 'www']) await record(subject, 'webhook');
    await dieSending(() => hook.requests === 2);
    await app.sendNotices();
    // the process may be alive
    expect(hook.hooks).toEqual([]);
    app.clock.advance(minute);
    await app.sendNotices();
    expect(hook.hooks.map(({ event }) => event.subject).sort()).toEqual(['shop', 'www', 'www']);
    expect(await pending()).toBe(0);
  });

  test('sends a webhook that was already received again with the same id', async () => {
    hook.failing = { status: -2 };
    await record('www', 'webhook');
    await dieSending(() => hook.hooks.length === 1);
    app.clock.advance(minute);
    await app.sendNotices();
    expect(hook.hooks).toHaveLength(2);
    expect(new Set(hook.hooks.map(({ id }) => id)).size).toBe(1);
    expect(await pending()).toBe(0);
  });

  test('sends a mail that was already accepted again with the same Message-ID', async () => {
    mail.failing = 'silent';
    await record('www', 'mail');
    await record('shop', 'mail');
    await dieSending(() => mail.mails.length === 1);
    await app.sendNotices();
    expect(mail.mails).toHaveLength(1);
    app.clock.advance(5 * minute);
    await app.sendNotices();
    expect(mail.mails).toHaveLength(2);
    expect(new Set(mail.mails.map(({ messageId }) => messageId)).size).toBe(1);
    expect(await pending()).toBe(0);
  });
});

import { randomUUID } from 'node:crypto';
import { setImmediate as nextRound } from 'node:timers/promises';
import { insertMany, newRowId } from '@certloop/db';
import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, afterEach, beforeAll, beforeEach, expect, jest, test } from '@jest/globals';
import type { Destination, EventType } from '../../src/events/event.js';
import { events, insertEvent } from '../../src/events/events.repository.js';
import { claimMailTurn, mailTurns, updateMailTurn } from '../../src/events/mail-turns.repository.js';
import { addToMail, claimWebhooks, notices } from '../../src/events/notices.repository.js';
import { findReceiver, webhookReceivers } from '../../src/events/webhook-receivers.repository.js';
import { startApp, startAppOn, type TestApp } from '../support/app.js';
import {
  type HookReceiver,
  type MailReceiver,
  mailPassword,
  startHookReceiver,
  startMailReceiver,
} from '../support/monitor/notice-receivers.js';

jest.setTimeout(60_000);

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;

const metricsToken = 'a-token-of-sixteen-letters';

describeEachDialect('notices', (open) => {
  let mail: MailReceiver;
  let hook: HookReceiver;
  let app: TestApp;
  let other: TestApp;
  let environment: Record<string, string>;
  beforeAll(async () => {
    mail = await startMailReceiver();
    hook = await startHookReceiver();
    environment = {
      METRICS_TOKEN: metricsToken,
      NOTICE_SMTP_URL: mail.url,
      NOTICE_MAIL_FROM: 'CertLoop <certs@example.org>',
      NOTICE_MAIL_TO: 'ada@example.org, bob@example.org',
      NOTICE_WEBHOOK_URL: hook.url,
      NOTICE_WEBHOOK_SECRET: `${hook.secret},whsec_${Buffer.alloc(24, 1).toString('base64')}`,
      CERT_MANAGER_PUBLIC_URL: 'https://certs.example.org',
    };
    app = await startApp(open, { environment });
    other = await startAppOn(app.database, { environment, beside: app });
  });
  beforeEach(() => {
    mail.mails.length = 0;
    hook.hooks.length = 0;
    hook.requests = 0;
  });
  afterEach(async () => {
    mail.failing = undefined;
    hook.failing = undefined;
    // whatever a test left is out of the way, and so is every pause
    app.clock.advance(48 * hour);
    await app.database.transaction(async (tx) => {
      for (const table of [notices, events, mailTurns, webhookReceivers]) await tx.clear(table);
    });
  });
  afterAll(async () => {
    await other.close();
    await app.close();
    await mail.close();
    await hook.close();
  });

  const record = (
    subject: string,
    {
      type = 'certificate.failed',
      onceKey,
      to = ['mail', 'webhook'],
    }: { type?: EventType; onceKey?: string; to?: readonly Destination[] } = {},
  ) =>
    app.database.transaction((tx) =>
      insertEvent(
        tx,
        {
          type,
          subject,
          data: { message: `news of ${subject}`, fqdn: `${subject}.test` },
          ...(onceKey && { onceKey }),
        },
        { destinations: to, now: app.clock.now() },
      ),
    );
  const noticeSamples = async () => {
    const asked = app.request.get('/metrics').set('Authorization', `Bearer ${metricsToken}`);
    const { text } = await asked.expect(200);
    return text.split('\n').filter((line) => /^cert_manager_(\w*notice\w*|webhook_disabled)/.test(line));
  };
  const receiver = () => app.database.read(findReceiver);
  /** When the oldest waiting event of the subject is due. */
  const dueOf = async (subject: string) => {
    const [oldest] = await app.database.read((tx) =>
      tx.find(notices, { where: { subject }, order: { id: 'ASC' }, take: 1 }),
    );
    return oldest?.dueAt ?? app.clock.now();
  };
  const pending = () => app.database.read((tx) => tx.count(notices));
  const subjects = () => hook.hooks.map(({ event }) => event.subject);
  const logged = (event: string) => app.logged().filter((line) => line['event'] === event);

  test('go out by mail and by a signed webhook, once', async () => {
    await record('www');
    expect(await app.sendNotices()).toBe(true);
    await app.sendNotices();
    app.clock.advance(hour);
    await app.sendNotices();

    const [sent, ...others] = mail.mails;
    expect(others).toEqual([]);
    expect(sent?.subject).toBe('[CertLoop] Renewals that fail: www.test');
    expect(sent?.from?.text).toBe('"CertLoop" <certs@example.org>');
    expect([sent?.to].flat().map((one) => one?.text)).toEqual(['ada@example.org, bob@example.org']);
    expect(sent?.text).toContain('news of www');
    expect(sent?.headers.get('auto-submitted')).toBe('auto-generated');

    expect(hook.hooks).toEqual([
      {
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        contentType: 'application/cloudevents+json',
        event: {
          specversion: '1.0',
          id: hook.hooks[0]?.id,
          source: 'https://certs.example.org',
          type: 'certificate.failed',
          subject: 'www',
          time: expect.stringMatching(/^2026-/),
          datacontenttype: 'application/json',
          data: { message: 'news of www', fqdn: 'www.test' },
        },
      },
    ]);
    expect(await pending()).toBe(0);
  });

  test('are counted with their age while they wait, for each destination', async () => {
    await record('www');
    await record('shop', { to: ['webhook'] });
    app.clock.advance(90 * second);
    const waiting = await noticeSamples();
    await app.sendNotices();
    expect(waiting).toEqual([
      'cert_manager_notices_waiting{destination="mail"} 1',
      'cert_manager_notices_waiting{destination="webhook"} 2',
      'cert_manager_oldest_notice_seconds{destination="mail"} 90',
      'cert_manager_oldest_notice_seconds{destination="webhook"} 90',
      'cert_manager_webhook_disabled 0',
    ]);
    expect((await noticeSamples()).map((line) => line.replace(/.* /, ''))).toEqual(['0', '0', '0', '0', '0']);
  });

  test('leave nothing when the transaction of what happened fails', async () => {
    const failing = app.database.transaction(async (tx) => {
      const event = { type: 'certificate.failed', subject: 'www', data: { message: 'news' } } as const;
      await insertEvent(tx, event, { destinations: ['mail', 'webhook'], now: app.clock.now() });
      throw new Error('not stored');
    });
    await expect(failing).rejects.toThrow('not stored');
    expect(await pending()).toBe(0);
  });

  test('are recorded once for a key, also by two at once', async () => {
    const both = await Promise.all([record('a', { onceKey: 'k' }), record('b', { onceKey: 'k' })]);
    expect(both.sort()).toEqual([false, true]);
    expect(await pending()).toBe(2);
  });

  test('wait while the receivers are away, and come afterwards in order', async () => {
    mail.failing = 'refused';
    hook.failing = { status: 503 };
    for (const subject of ['a', 'b', 'a']) {
      await record(subject);
      await app.sendNotices();
      app.clock.advance(hour);
    }
    expect([mail.mails, hook.hooks]).toEqual([[], []]);
    expect(await pending()).toBe(6);
    expect(logged('notices.mail_failed').at(-1)).toMatchObject({ reason: expect.stringContaining('451') });
    expect(logged('notices.webhook_failed').at(-1)).toMatchObject({ reason: 'the receiver answered 503' });

    mail.failing = undefined;
    hook.failing = undefined;
    app.clock.advance(5 * hour);
    await app.sendNotices();
    const times = hook.hooks.filter(({ event }) => event.subject === 'a').map(({ event }) => event['time']);
    expect(times).toEqual([...times].sort());
    expect([times.length, hook.hooks.length]).toEqual([2, 3]);
    expect(mail.mails.map(({ subject }) => subject)).toEqual(['[CertLoop] 3 events']);
    expect(await pending()).toBe(0);
  });

  test('of other subjects are sent while one is refused, and later ones of that subject wait', async () => {
    hook.failing = { status: 400, subject: 'bad' };
    for (const subject of ['bad', 'good', 'bad', 'fine']) await record(subject, { to: ['webhook'] });
    await app.sendNotices();
    expect(subjects().sort()).toEqual(['fine', 'good']);
    expect(hook.requests).toBe(3);
    hook.failing = undefined;
    app.clock.advance(minute);
    await app.sendNotices();
    expect(subjects().slice(2)).toEqual(['bad', 'bad']);
  });

  test('are given up after 8 tries in 24 hours, and the next one of the subject follows', async () => {
    hook.failing = { status: 400, subject: 'bad' };
    await record('bad', { to: ['webhook'] });
    await record('bad', { to: ['webhook'] });
    const begin = app.clock.now().getTime();
    const isGivenUp = () => logged('notices.given_up').length > 0;
    for (let count = 0; count < 20 && !isGivenUp(); count += 1) {
      // another one that is taken, so that the receiver does not count as away
      await record('good', { to: ['webhook'] });
      await app.sendNotices();
      if (!isGivenUp()) app.clock.set(await dueOf('bad'));
    }
    const hours = (app.clock.now().getTime() - begin) / hour;
    expect([hours >= 24, hours < 24.3]).toEqual([true, true]);
    const refused = { subject: 'bad', attempts: 8, reason: 'the receiver answered 400' };
    expect(logged('notices.given_up')).toMatchObject([refused]);
    hook.failing = undefined;
    app.clock.advance(minute);
    await app.sendNotices();
    expect(subjects().filter((subject) => subject === 'bad')).toHaveLength(1);
  });

  test('are not sent by any process before the moment that the receiver names in Retry-After', async () => {
    hook.failing = { status: 429, retryAfter: '600' };
    await record('www', { to: ['webhook'] });
    await record('shop', { to: ['webhook'] });
    await app.sendNotices();
    expect(hook.requests).toBe(2);
    hook.failing = undefined;
    app.clock.advance(600 * second - 1);
    await record('late', { to: ['webhook'] });
    await app.sendNotices();
    await other.sendNotices();
    expect(hook.requests).toBe(2);
    app.clock.advance(1);
    await other.sendNotices();
    expect(subjects().sort()).toEqual(['late', 'shop', 'www']);
  });

  test('wait at most an hour for a receiver that names a day, and not for one that limits one event', async () => {
    hook.failing = { status: 503, retryAfter: '86400' };
    await record('www', { to: ['webhook'] });
    await app.sendNotices();
    hook.failing = { status: 409, subject: 'bad', retryAfter: '1800' };
    app.clock.advance(hour);
    await record('bad', { to: ['webhook'] });
    await app.sendNotices();
    expect(subjects()).toEqual(['www']);
    hook.failing = undefined;
    await record('good', { to: ['webhook'] });
    app.clock.advance(30 * minute - 1);
    await app.sendNotices();
    expect(subjects()).toEqual(['www', 'good']);
    app.clock.advance(1);
    await app.sendNotices();
    expect(subjects()).toEqual(['www', 'good', 'bad']);
  });

  test('of a webhook that has failed for five days wait until a restart, and a mail says so once', async () => {
    hook.failing = { status: 500 };
    await record('www', { to: ['webhook'] });
    const begin = app.clock.now().getTime();
    const isOff = async () => ((await receiver())?.disabledAt ?? null) !== null;
    while (!(await isOff()) && app.clock.now().getTime() - begin < 144 * hour) {
      await Promise.all([app.sendNotices(), other.sendNotices()]);
      app.clock.advance(6 * hour);
      if ((app.clock.now().getTime() - begin) % (24 * hour) === 0) await record('daily', { to: ['webhook'] });
    }
    const days = (app.clock.now().getTime() - begin) / hour / 24;
    expect([days >= 5, days <= 5.5]).toEqual([true, true]);
    await app.sendNotices();
    expect(mail.mails.map(({ subject }) => subject)).toEqual(['[CertLoop] The webhook is switched off']);
    expect(mail.mails[0]?.text).toContain('the receiver answered 500');
    expect(mail.mails[0]?.text).toContain('then restart cert-manager');

    hook.failing = undefined;
    hook.requests = 0;
    await record('later', { to: ['webhook'] });
    app.clock.advance(24 * hour);
    await Promise.all([app.sendNotices(), other.sendNotices()]);
    expect(hook.requests).toBe(0);
    expect(await noticeSamples()).toContain('cert_manager_webhook_disabled 1');
    const restarted = await startAppOn(app.database, { environment, beside: app });
    await restarted.sendNotices();
    await restarted.close();
    expect(new Set(subjects())).toEqual(new Set(['daily', 'later']));
    expect(mail.mails).toHaveLength(1);
  });

  test('count five days anew from a success', async () => {
    const failing = { status: 500 };
    for (const status of [failing, undefined, failing, failing]) {
      hook.failing = status;
      await record('www', { to: ['webhook'] });
      app.clock.advance(72 * hour);
      await app.sendNotices();
    }
    // three days of failures since the success
    expect(await receiver()).toMatchObject({ disabledAt: null, failures: 2 });
  });

  test('whose answer is lost are sent again with the same ids', async () => {
    mail.failing = 'cut';
    hook.failing = { status: 0 };
    await record('www');
    await app.sendNotices();
    mail.failing = undefined;
    hook.failing = undefined;
    app.clock.advance(hour);
    await app.sendNotices();
    expect(mail.mails).toHaveLength(2);
    expect(new Set(mail.mails.map(({ messageId }) => messageId)).size).toBe(1);
    expect(hook.hooks).toHaveLength(2);
    expect(new Set(hook.hooks.map(({ id }) => id)).size).toBe(1);
    expect(await pending()).toBe(0);
  });

  test('that a process took and left behind are sent when its lease lapses', async () => {
    await record('www');
    const now = app.clock.now();
    const until = new Date(now.getTime() + minute);
    const token = randomUUID();
    await app.database.transaction(async (tx) => {
      expect(await claimWebhooks(tx, { now, token, until, limit: 9 })).toHaveLength(1);
      await claimMailTurn(tx, { now, token, until });
      expect(await addToMail(tx, token, 9)).toBe(1);
    });
    await app.sendNotices();
    expect([mail.mails, hook.hooks]).toEqual([[], []]);
    app.clock.advance(minute);
    await app.sendNotices();
    expect(hook.hooks).toHaveLength(1);
    expect(mail.mails.map(({ messageId }) => messageId)).toEqual([`<${token}@certloop>`]);
    expect(await pending()).toBe(0);
  });

  test('are not mailed again when the process died after the server had taken the mail', async () => {
    await record('www', { to: ['mail'] });
    const now = app.clock.now();
    const token = randomUUID();
    await app.database.transaction(async (tx) => {
      await claimMailTurn(tx, { now, token, until: new Date(now.getTime() + minute) });
      await addToMail(tx, token, 9);
      await updateMailTurn(tx, token, { isSent: true });
    });
    app.clock.advance(minute);
    await app.sendNotices();
    expect(mail.mails).toEqual([]);
    expect(await pending()).toBe(0);
  });

  test('under way do not hold up a stop, and are sent by the next process', async () => {
    hook.failing = { status: -1 };
    const stopping = await startAppOn(app.database, { environment, beside: app });
    await record('www', { to: ['webhook'] });
    const sending = stopping.sendNotices();
    while (hook.requests === 0) await nextRound();
    const begin = performance.now();
    await Promise.all([stopping.close(), sending]);
    expect(performance.now() - begin).toBeLessThan(5000);
    hook.failing = undefined;
    app.clock.advance(minute);
    await app.sendNotices();
    expect(subjects()).toEqual(['www']);
  });

  test('are sent once by two processes', async () => {
    const all = Array.from({ length: 60 }, (_, index) => `subject-${index}`);
    for (const subject of all) await record(subject);
    await Promise.all([app.sendNotices(), other.sendNotices(), app.sendNotices(), other.sendNotices()]);
    expect(subjects().sort()).toEqual([...all].sort());
    expect(mail.mails).toHaveLength(1);
  });

  test('become one mail that counts them when there are many, and the next mail is a minute later', async () => {
    const count = 5000;
    const now = app.clock.now();
    const fqdns = Array.from({ length: count }, (_, index) => `host-${index}`);
    const common = { spaceId: null, onceKey: null, createdAt: now, type: 'certificate.expiring' } as const;
    const rows = fqdns.map((subject) => {
      return { ...common, id: newRowId(now), subject, data: { message: `${subject} expires` } };
    });
    const waiting = {
      destination: 'mail',
      createdAt: now,
      dueAt: now,
      leaseToken: null,
      attempts: 0,
    } as const;
    for (let from = 0; from < count; from += 1000) {
      const part = rows.slice(from, from + 1000);
      await app.database.transaction(async (tx) => {
        await insertMany(tx, events, part);
        const pairs = part.map(({ id: eventId, type, subject }) => ({ eventId, type, subject }));
        await insertMany(
          tx,
          notices,
          pairs.map((pair) => ({ ...waiting, ...pair, id: newRowId(now) })),
        );
      });
    }
    await app.sendNotices();
    expect(await pending()).toBe(0);
    expect(mail.mails.map(({ subject }) => subject)).toEqual(['[CertLoop] 5000 events']);
    const text = mail.mails[0]?.text ?? '';
    expect(text).toContain('Certificates that expire soon: 5000');
    expect(text).toContain('host-0 expires');
    expect(text).toContain('4950 more events are not listed here.');
    expect(text.length).toBeLessThan(10_000);

    await record('late', { to: ['mail'] });
    app.clock.advance(59 * second);
    await app.sendNotices();
    expect(mail.mails).toHaveLength(1);
    app.clock.advance(second);
    await app.sendNotices();
    expect(mail.mails).toHaveLength(2);
  });

  test('are deleted after 30 days, also those that were never delivered', async () => {
    mail.failing = 'refused';
    await record('old');
    await app.sendNotices();
    app.clock.advance(30 * 24 * hour - minute);
    await record('new', { to: ['webhook'] });
    await app.sweepNotices();
    expect(await app.database.read((tx) => tx.count(events))).toBe(2);
    app.clock.advance(2 * minute);
    await app.sweepNotices();
    expect(await app.database.read((tx) => tx.find(events))).toMatchObject([{ subject: 'new' }]);
    expect(logged('notices.never_sent')).toHaveLength(1);
  });

  test('leave no secret in the log', async () => {
    const text = JSON.stringify([app.logged(), other.logged()]);
    expect(text).not.toContain(mailPassword);
    expect(text).not.toContain(hook.secret.slice(6, 20));
    expect(text).toContain('notices.mail_sent');
  });
});

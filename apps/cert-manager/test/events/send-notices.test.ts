import { insertMany, newRowId } from '@certloop/db';
import { expect, test } from 'vitest';
import { events, insertEvent } from '../../src/events/events.repository.js';
import { notices } from '../../src/events/notices.repository.js';
import { mailPassword } from '../support/monitor/notice-receivers.js';
import { testInterruptedNotices } from './send-notices/interrupted-notice-tests.js';
import { describeNotices, hour, minute, second } from './send-notices/notice-place.js';
import { testRefusedNotices } from './send-notices/refused-notice-tests.js';

describeNotices('notices', (place) => {
  test('are sent once by mail and by a signed webhook', async () => {
    await place.record('www');
    expect(await place.app.sendNotices()).toBe(true);
    await place.app.sendNotices();
    place.app.clock.advance(hour);
    await place.app.sendNotices();

    const [sent, ...others] = place.mail.mails;
    expect(others).toEqual([]);
    expect(sent?.subject).toBe('[CertLoop] Renewals that fail: www.test');
    expect(sent?.from?.text).toBe('"CertLoop" <certs@example.org>');
    expect([sent?.to].flat().map((one) => one?.text)).toEqual(['ada@example.org, bob@example.org']);
    expect(sent?.text).toContain('news of www');
    expect(sent?.headers.get('auto-submitted')).toBe('auto-generated');

    expect(place.hook.hooks).toEqual([
      {
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        contentType: 'application/cloudevents+json',
        event: {
          specversion: '1.0',
          id: place.hook.hooks[0]?.id,
          source: 'https://certs.example.org',
          type: 'certificate.failed',
          subject: 'www',
          time: expect.stringMatching(/^2026-/),
          datacontenttype: 'application/json',
          data: { message: 'news of www', fqdn: 'www.test' },
        },
      },
    ]);
    expect(await place.pending()).toBe(0);
  });

  test('are counted with their age while they wait, for each destination', async () => {
    await place.record('www');
    await place.record('shop', { to: ['webhook'] });
    place.app.clock.advance(90 * second);
    const waiting = await place.noticeSamples();
    await place.app.sendNotices();
    expect(waiting).toEqual([
      'cert_manager_notices_waiting{destination="mail"} 1',
      'cert_manager_notices_waiting{destination="webhook"} 2',
      'cert_manager_oldest_notice_seconds{destination="mail"} 90',
      'cert_manager_oldest_notice_seconds{destination="webhook"} 90',
      'cert_manager_webhook_disabled 0',
    ]);
    expect((await place.noticeSamples()).map((line) => line.replace(/.* /, ''))).toEqual([
      '0',
      '0',
      '0',
      '0',
      '0',
    ]);
  });

  test('are not stored if the transaction of their event fails', async () => {
    const failing = place.app.database.transaction(async (tx) => {
      const event = { type: 'certificate.failed', subject: 'www', data: { message: 'news' } } as const;
      await insertEvent(tx, event, { destinations: ['mail', 'webhook'], now: place.app.clock.now() });
      throw new Error('not stored');
    });
    await expect(failing).rejects.toThrow('not stored');
    expect(await place.pending()).toBe(0);
  });

  test('are recorded once for a key, also by two callers at once', async () => {
    const both = await Promise.all([
      place.record('a', { onceKey: 'k' }),
      place.record('b', { onceKey: 'k' }),
    ]);
    expect(both.sort()).toEqual([false, true]);
    expect(await place.pending()).toBe(2);
  });

  testRefusedNotices(place);
  testInterruptedNotices(place);

  test('are combined into one mail with their count if there are many, and the next mail is a minute later', async () => {
    const count = 5000;
    const now = place.app.clock.now();
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
      await place.app.database.transaction(async (tx) => {
        await insertMany(tx, events, part);
        const pairs = part.map(({ id: eventId, type, subject }) => ({ eventId, type, subject }));
        await insertMany(
          tx,
          notices,
          pairs.map((pair) => ({ ...waiting, ...pair, id: newRowId(now) })),
        );
      });
    }
    await place.app.sendNotices();
    expect(await place.pending()).toBe(0);
    expect(place.mail.mails.map(({ subject }) => subject)).toEqual(['[CertLoop] 5000 events']);
    const text = place.mail.mails[0]?.text ?? '';
    expect(text).toContain('Certificates that expire soon: 5000');
    expect(text).toContain('host-0 expires');
    expect(text).toContain('4950 more events are not listed here.');
    expect(text.length).toBeLessThan(10_000);

    await place.record('late', { to: ['mail'] });
    place.app.clock.advance(59 * second);
    await place.app.sendNotices();
    expect(place.mail.mails).toHaveLength(1);
    place.app.clock.advance(second);
    await place.app.sendNotices();
    expect(place.mail.mails).toHaveLength(2);
  });

  test('are deleted after 30 days, also those that were never delivered', async () => {
    place.mail.failing = 'refused';
    await place.record('old');
    await place.app.sendNotices();
    place.app.clock.advance(30 * 24 * hour - minute);
    await place.record('new', { to: ['webhook'] });
    await place.app.sweepNotices();
    expect(await place.app.database.read((tx) => tx.count(events))).toBe(2);
    place.app.clock.advance(2 * minute);
    await place.app.sweepNotices();
    expect(await place.app.database.read((tx) => tx.find(events))).toMatchObject([{ subject: 'new' }]);
    expect(place.logged('notices.deleted_unsent')).toHaveLength(1);
  });

  test('do not write secrets to the log', async () => {
    const text = JSON.stringify([place.app.logged(), place.other.logged()]);
    expect(text).not.toContain(mailPassword);
    expect(text).not.toContain(place.hook.secret.slice(6, 20));
    expect(text).toContain('notices.mail_sent');
  });
});

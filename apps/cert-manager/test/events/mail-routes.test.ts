import type { Fqdn } from '@certloop/contracts';
import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { notices } from '../../src/events/notices.repository.js';
import type { TestApp } from '../support/app.js';
import { pathOf } from '../support/inventory.js';
import {
  type HookReceiver,
  type MailReceiver,
  startHookReceiver,
  startMailReceiver,
} from '../support/monitor/notice-receivers.js';
import { startWatched, type WatchedPlace } from '../support/monitor/watched-place.js';
import { certificatesOf, renewedFqdn } from '../support/renewals.js';

describeEachDialect('notices about FQDNs with an owner or tags', (open) => {
  let mail: MailReceiver;
  let hook: HookReceiver;
  let watched: WatchedPlace;
  let app: TestApp;
  beforeAll(async () => {
    mail = await startMailReceiver();
    hook = await startHookReceiver();
    watched = await startWatched(open, {
      NOTICE_SMTP_URL: mail.url,
      NOTICE_MAIL_FROM: 'certs@example.org',
      NOTICE_MAIL_TO: 'ops@example.org',
      NOTICE_MAIL_ROUTES: 'tag:shop=shop@example.org, owner:Ada L=ada@example.org,tag:shop=ops@example.org',
      NOTICE_WEBHOOK_URL: hook.url,
      NOTICE_WEBHOOK_SECRET: hook.secret,
    });
    app = watched.place.app;
  });
  beforeEach(() => {
    mail.mails.length = 0;
    mail.failing = undefined;
    app.clock.advance(86_400_000);
  });
  afterAll(async () => {
    await watched.close();
    await mail.close();
    await hook.close();
  });

  const revoke = async (fqdn: Fqdn) => {
    const [newest] = (await certificatesOf(app, fqdn)).slice(-1);
    const path = pathOf(fqdn, `certificates/${newest?.id}/revoke`);
    await app.request.post(path).set(app.people.ada.auth).send({ reason: 'superseded' }).expect(200);
  };
  const labelled = async (name: string, body: object): Promise<Fqdn> => {
    const fqdn = await renewedFqdn(watched.place, name);
    await app.request.put(pathOf(fqdn, '')).set(app.people.ada.auth).send(body).expect(200);
    return fqdn;
  };
  const received = () =>
    mail.mails
      .map(({ to, text }) => [[to].flat()[0]?.text, /of (\S+\.example)\b/.exec(text ?? '')?.[1]])
      .sort();
  const waiting = () => app.database.read((tx) => tx.count(notices));

  test('reach the addresses of their owner and tags too, and say both', async () => {
    await revoke(await labelled('a.example', { owner: 'ada l', tags: ['shop', 'prod'] }));
    await app.sendNotices();
    expect(received()).toEqual([
      ['ada@example.org', 'a.example'],
      ['ops@example.org', 'a.example'],
      ['shop@example.org', 'a.example'],
    ]);
    for (const { text } of mail.mails) expect(text).toContain('Owner: ada l. Tags: prod, shop.');
    const event = hook.hooks.find(({ event }) => event.type === 'certificate.revoked')?.event;
    expect(event?.data).toMatchObject({ owner: 'ada l', tags: ['prod', 'shop'] });
    expect(await waiting()).toBe(0);
  });

  test('reach only those who get all without a matching one', async () => {
    await revoke(await labelled('b.example', { tags: ['shops'] }));
    await app.sendNotices();
    expect(received()).toEqual([['ops@example.org', 'b.example']]);
  });

  test('wait for each receiver alone, and are mailed once', async () => {
    await revoke(await labelled('c.example', { tags: ['shop'] }));
    mail.failing = 'refused';
    await app.sendNotices();
    mail.failing = undefined;
    expect(mail.mails).toEqual([]);
    app.clock.advance(3_600_000);
    await Promise.all([app.sendNotices(), app.sendNotices()]);
    expect(received()).toEqual([
      ['ops@example.org', 'c.example'],
      ['shop@example.org', 'c.example'],
    ]);
    await app.sendNotices();
    expect(mail.mails).toHaveLength(2);
    expect(await waiting()).toBe(0);
  });
});

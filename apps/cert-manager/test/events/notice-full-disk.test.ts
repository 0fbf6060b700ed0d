import { fillDiskOf } from '@certloop/db/testing';
import { createLogger } from '@certloop/server';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createMailClient } from '../../src/events/mail/mail.client.js';
import { createFullDiskNotice } from '../../src/events/notice-full-disk.service.js';
import { createWebhookClient } from '../../src/events/webhook.client.js';
import { webhookKeyOf } from '../../src/events/webhook-signature.js';
import { describeNotices, hour, second } from './send-notices/notice-place.js';

describeNotices('a full disk', (place) => {
  let makeRoom: (() => Promise<void>) | undefined;
  let notice: () => Promise<void>;
  const clear = async () => {
    await makeRoom?.();
    makeRoom = undefined;
  };

  beforeEach(() => {
    const { app, mail, hook } = place;
    const { signal: stop } = new AbortController();
    const key = webhookKeyOf(hook.secret);
    if (key === undefined) throw new Error('the secret is not usable');
    notice = createFullDiskNotice({
      db: app.database,
      clock: app.clock,
      logger: createLogger({ service: 'cert-manager', level: 'silent' }),
      source: 'https://certs.example.org',
      send: createMailClient({ smtpUrl: mail.url, from: 'certs@example.org', to: 'ada@example.org', stop }),
      client: createWebhookClient({ url: hook.url, keys: [key], stop }),
    });
  });
  afterEach(clear);

  /** Moves the clock, and runs the job that sends the notice. */
  const after = async (ms: number) => {
    place.app.clock.advance(ms);
    await notice();
  };
  const createSpace = async () => {
    const { auth } = place.app.people.ada;
    const body = { name: `Shop ${place.app.clock.now().getTime()}`, description: 'x'.repeat(900) };
    // a page of SQLite may have room for a few
    for (let n = 0; n < 20; n += 1) {
      const { status } = await place.app.request
        .post('/spaces')
        .set(auth)
        .send({ ...body, name: `${body.name} ${n}` });
      if (status !== 201) return status;
    }
    return 201;
  };

  test('sends one notice without the database, by mail and by webhook', async () => {
    const sent = () => [place.mail.mails.length, place.hook.hooks.length];
    makeRoom = await fillDiskOf(place.app.database);
    expect(await createSpace()).toBe(503);
    await after(0);
    await after(9 * second);
    expect(sent()).toEqual([0, 0]);
    await after(second);
    for (let n = 0; n < 3; n += 1) await after(hour);
    expect(sent()).toEqual([1, 1]);
    expect(place.mail.mails[0]?.subject).toBe('[CertLoop] The disk of cert-manager is full');
    expect(place.mail.mails[0]?.text).toContain('its disk is full. It requests and renews no certificate');
    expect(place.hook.hooks[0]?.event).toMatchObject({ type: 'disk.full', subject: 'cert-manager' });
    await clear();
    await after(second);
    expect(await createSpace()).toBe(201);
    expect(sent()).toEqual([1, 1]);
  });

  test('sends the notice again a minute later if neither receiver accepts it', async () => {
    place.mail.failing = 'refused';
    place.hook.failing = { status: 500 };
    makeRoom = await fillDiskOf(place.app.database);
    expect(await createSpace()).toBe(503);
    await after(0);
    await after(10 * second);
    place.mail.failing = undefined;
    await after(60 * second);
    await clear();
    expect([place.mail.mails.length, place.hook.hooks.length]).toEqual([1, 0]);
  });
});

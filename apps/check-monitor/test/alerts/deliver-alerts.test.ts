import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { type Channel, findChannel, updateChannel } from '../../src/channels/channels.repository.js';
import { createChannel } from '../../src/channels/create-channel.service.js';
import type { ChannelKind } from '../../src/integrations/kinds.js';
import { publicServices } from '../../src/integrations/sender-accounts.js';
import { listNotifications } from '../../src/notifications/delivery-lists.repository.js';
import type { Notification } from '../../src/notifications/notifications.repository.js';
import { began, type Holder, openTestApp, type TestApp } from '../support/app.js';
import { type MailServer, startMailServer } from '../support/mail-server.js';
import { type Recorder, startRecorder } from '../support/recorder.js';

const second = 1000;
describeEachDialect('delivery of alerts', (open) => {
  let app: TestApp;
  let target: Recorder;
  let mailbox: MailServer;
  let ada: Holder;

  beforeAll(async () => {
    target = await startRecorder();
    mailbox = await startMailServer();
    app = await openTestApp(
      open,
      { slowMs: 1000 },
      {
        senderAccounts: {
          telegramToken: '1:abc',
          smtp: { url: mailbox.url, from: 'Monitor <alerts@monitor.example>' },
        },
        services: { ...publicServices, telegram: target.url },
      },
    );
  });
  beforeEach(async () => {
    app.clock.set(began);
    ada = await app.newProject();
  });
  afterEach(() => {
    target.reset();
    mailbox.reset();
  });
  afterAll(async () => {
    await app.close();
    await target.close();
    await mailbox.close();
  });

  async function channel(kind: ChannelKind, settings: object, isVerified = true): Promise<Channel> {
    const wanted = { projectId: ada.keys.projectId, kind, name: kind, settings, isVerified };
    return read(await createChannel(app.accounts, wanted));
  }

  async function read(uuid: string): Promise<Channel> {
    const found = await app.database.read((tx) => findChannel(tx, uuid));
    if (found === undefined) throw new Error('the channel is gone');
    return found;
  }

  const webhook = (path = '/hook') =>
    channel('webhook', {
      down: { method: 'POST', url: target.url + path, body: '$NAME is $STATUS at $NOW: $BODY' },
      up: { method: 'POST', url: target.url + path, body: '$NAME is $STATUS' },
    });

  const log = ({ id }: Channel): Promise<Notification[]> =>
    app.database.read((tx) => listNotifications(tx, id, 100));

  /** A check that all channels are assigned to and that has just gone down for lack of pings. */
  async function fallenCheck(settings: object = {}) {
    const check = await ada.check({ name: 'Backup', timeout: 60, grace: 60, channels: '*', ...settings });
    await ada.ping(check);
    app.clock.advance(121 * second);
    await app.tick();
    return check;
  }

  const bodies = () => target.requests.map(({ body }) => body);

  test('sends one message for a check that goes down, and one for its recovery', async () => {
    const hook = await webhook();
    const check = await fallenCheck();
    await app.deliver();
    await app.tick();
    await app.deliver();
    expect(bodies()).toEqual(['Backup is down at 2026-01-01T12:02:00+00:00: ']);
    await ada.ping(check);
    await app.tick();
    await app.deliver();
    expect(bodies().slice(1)).toEqual(['Backup is up']);
    expect(target.requests.map(({ headers }) => headers['user-agent'])).toEqual([
      'healthchecks.io',
      'healthchecks.io',
    ]);
    expect(await log(hook)).toMatchObject([
      { status: 'up', error: null, attempt: 1, settledAt: app.accounts.clock.now() },
      { status: 'down', error: null, attempt: 1 },
    ]);
  });

  test('sends a failure with the body of the ping', async () => {
    await webhook();
    const check = await ada.check({ name: 'Backup', channels: '*' });
    await app.http.post(`/ping/${check.uuid}/3`).type('text/plain').send('disk full').expect(200);
    await app.tick();
    await app.deliver();
    expect(bodies()).toEqual(['Backup is down at 2026-01-01T12:00:00+00:00: disk full']);
  });

  test('sends nothing for the first success, for pausing and for resuming', async () => {
    await webhook();
    const check = await ada.check({ channels: '*' });
    await ada.ping(check);
    await ada.post(`/checks/${check.uuid}/pause`).expect(200);
    await ada.post(`/checks/${check.uuid}/resume`).expect(200);
    await app.tick();
    await app.deliver();
    expect(target.requests).toEqual([]);
  });

  test('sends nothing to a channel that is not assigned to the check', async () => {
    await webhook();
    await fallenCheck({ channels: '' });
    await app.deliver();
    expect(target.requests).toEqual([]);
  });

  test('sends to a channel only the changes that it is set to receive', async () => {
    const upOnly = await channel('webhook', { up: { url: target.url } });
    await fallenCheck();
    await app.deliver();
    expect(await log(upOnly)).toEqual([]);
  });

  test('the JSON of the check is that of a read-write key', async () => {
    await channel('webhook', { down: { method: 'POST', url: target.url, body: '$JSON' } });
    const check = await fallenCheck();
    await app.deliver();
    const { body } = await ada.get(`/checks/${check.uuid}`);
    expect(JSON.parse(bodies()[0] ?? '')).toEqual(body);
  });

  test('records a rejection by the target as error of the message and of the channel', async () => {
    const hook = await webhook();
    target.answer((response) => response.writeHead(400).end());
    const check = await fallenCheck();
    await app.deliver();
    expect(target.requests).toHaveLength(1);
    expect(await log(hook)).toMatchObject([
      { status: 'down', error: 'Received status code 400', settledAt: app.accounts.clock.now() },
    ]);
    expect(await read(hook.uuid)).toMatchObject({
      lastError: 'Received status code 400',
      lastNotifiedAt: app.accounts.clock.now(),
      disabledAt: null,
    });
    target.reset();
    await ada.ping(check);
    await app.tick();
    await app.deliver();
    expect(await read(hook.uuid)).toMatchObject({ lastError: null, lastDurationMs: expect.any(Number) });
  });

  test('switches off a channel that can never be reached again', async () => {
    const chat = await channel('slack', { url: `${target.url}/slack` });
    target.answer((response) => response.writeHead(404).end());
    const check = await fallenCheck();
    await app.deliver();
    expect(await read(chat.uuid)).toMatchObject({
      lastError: 'Received status code 404',
      disabledAt: app.accounts.clock.now(),
    });
    await ada.ping(check);
    await app.tick();
    await app.deliver();
    expect(target.requests).toHaveLength(1);
    expect((await log(chat)).filter(({ flipId }) => flipId !== null)).toHaveLength(1);
  });

  test('does not send queued messages of a channel that was switched off', async () => {
    const hook = await webhook();
    await fallenCheck();
    await app.database.transaction((tx) => updateChannel(tx, hook.id, { disabledAt: 1 }));
    await app.deliver();
    expect(target.requests).toEqual([]);
    expect(await log(hook)).toMatchObject([{ error: 'the channel is switched off' }]);
  });

  test('notifies the fastest channel first, and one that has had no message yet last', async () => {
    const paths = ['/new', '/slow', '/fast'];
    const hooks = await Promise.all(paths.map(webhook));
    const [, slow, fast] = hooks;
    await app.database.transaction(async (tx) => {
      await updateChannel(tx, slow?.id ?? 0, { lastDurationMs: 900 });
      await updateChannel(tx, fast?.id ?? 0, { lastDurationMs: 10 });
    });
    await fallenCheck();
    await app.deliver();
    expect(target.requests.map(({ path }) => path).sort()).toEqual(['/fast', '/new', '/slow']);
    // workers call side by side, so the order is that of the queue
    const rows = await Promise.all(
      hooks.map(async (hook, at) => ({ path: paths[at], rows: await log(hook) })),
    );
    const order = rows.sort((one, other) => (one.rows[0]?.id ?? 0) - (other.rows[0]?.id ?? 0));
    expect(order.map(({ path }) => path)).toEqual(['/fast', '/slow', '/new']);
  });

  test('notifies the other channels when one fails', async () => {
    await channel('gotify', { url: 'http://127.0.0.1:2', token: 't' });
    await webhook();
    await fallenCheck();
    await app.deliver();
    expect(bodies()).toHaveLength(1);
  });

  test('notifies the other targets when one hangs', async () => {
    const [hanging, swift] = [await webhook('/hangs'), await webhook('/answers')];
    const notifying = ({ uuid }: Channel) => ({ timeout: 60, grace: 60, channels: uuid });
    const checks = await Promise.all(Array.from({ length: 6 }, () => ada.check(notifying(hanging))));
    checks.push(await ada.check(notifying(swift)));
    await Promise.all(checks.map((check) => ada.ping(check)));
    app.clock.advance(121 * second);
    await app.tick();
    const held: ServerResponse[] = [];
    const swiftOne = new Promise<void>((resolve) => {
      target.answer((response, { path }) => {
        if (path === '/hangs') return void held.push(response);
        response.end();
        resolve();
      });
    });
    const workers = Array.from({ length: 4 }, () => app.deliver());
    await swiftOne;
    expect(target.requests.filter(({ path }) => path === '/hangs').length).toBeLessThan(4);
    target.answer((response) => response.end());
    for (const response of held) response.end();
    await Promise.all(workers);
    await app.deliver();
    expect(target.requests).toHaveLength(7);
  });

  test('two processes send each flip once', async () => {
    const hook = await webhook();
    const other = await app.openAnother();
    await Promise.all(
      Array.from({ length: 5 }, () => ada.check({ timeout: 60, grace: 60, channels: '*' })),
    ).then((checks) => Promise.all(checks.map((check) => ada.ping(check))));
    app.clock.advance(121 * second);
    await Promise.all([app.tick(), other.tick(), app.tick(), other.tick()]);
    await Promise.all([app.deliver(), other.deliver(), app.deliver(), other.deliver()]);
    await other.close();
    expect(target.requests).toHaveLength(5);
    expect(await log(hook)).toHaveLength(5);
    expect(new Set(target.requests.map(({ headers }) => headers['idempotency-key'])).size).toBe(5);
  });

  test('a slow delivery stays with its worker', async () => {
    const hook = await webhook();
    const isHeld = async () => {
      const [open] = await app.database.read((tx) => listNotifications(tx, hook.id, 1));
      return (open?.leaseUntil ?? 0) > app.accounts.clock.now();
    };
    await fallenCheck();
    const arrived = new Promise<ServerResponse>((resolve) => target.answer(resolve));
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    try {
      const delivering = app.deliver();
      const response = await arrived;
      for (const _ of [1, 2, 3]) {
        app.clock.advance(20 * second);
        vi.advanceTimersByTime(20_000);
        // what the timer began ends in its own time
        for (let held = false; !held; ) held = await isHeld();
        await app.pump();
      }
      expect(target.requests).toHaveLength(1);
      response.end();
      await delivering;
    } finally {
      vi.useRealTimers();
    }
  });

  test('a group sends one message to each of its channels', async () => {
    const [one, two] = [await webhook('/one'), await webhook('/two')];
    const stranger = await app.newProject();
    const theirs = await createChannel(app.accounts, {
      projectId: stranger.keys.projectId,
      kind: 'webhook',
      name: 'theirs',
      settings: { down: { url: `${target.url}/theirs` } },
      isVerified: true,
    });
    const members = [one.uuid, two.uuid];
    const [first, second] = [
      await channel('group', { channels: members }),
      await channel('group', { channels: members }),
    ];
    const settings = { channels: [...members, first.uuid, second.uuid, theirs, randomUUID()] };
    await app.database.transaction((tx) => updateChannel(tx, first.id, { settings }));
    await fallenCheck({ channels: [first.uuid, second.uuid, one.uuid].join() });
    await app.deliver();
    expect(target.requests.map(({ path }) => path).sort()).toEqual(['/one', '/two']);
    expect([(await log(one)).length, (await log(two)).length, (await log(first)).length]).toEqual([1, 1, 0]);
  });

  test('sends nothing to a group that is switched off', async () => {
    const group = await channel('group', { channels: [(await webhook()).uuid] });
    await app.database.transaction((tx) => updateChannel(tx, group.id, { disabledAt: 1 }));
    await fallenCheck({ channels: group.uuid });
    await app.deliver();
    expect(target.requests).toEqual([]);
  });

  test('sends further messages to the new id of a chat that moved', async () => {
    const chat = await channel('telegram', { chatId: -1 });
    target.answer((response, _request, count) =>
      count === 1
        ? response.writeHead(400).end('{"parameters": {"migrate_to_chat_id": -2}}')
        : response.end('{}'),
    );
    await fallenCheck();
    await app.deliver();
    expect((await read(chat.uuid)).settings).toEqual({ chatId: -2, threadId: null });
  });

  test('sends mail only to verified addresses', async () => {
    const asked = await channel('email', { address: 'ada@example.org' }, false);
    const agreed = await channel('email', { address: 'ben@example.org' });
    await fallenCheck();
    await app.deliver();
    expect(mailbox.offers).toEqual(['ben@example.org']);
    expect(mailbox.mails[0]).toMatchObject({ subject: 'DOWN | Backup' });
    expect(await log(asked)).toMatchObject([{ error: 'Email not verified' }]);
    expect(await log(agreed)).toMatchObject([{ error: null }]);
  });

  test('reports a kind that is not configured on this server', async () => {
    const room = await channel('matrix', { roomId: '!a:example.org' });
    await fallenCheck();
    await app.deliver();
    // an operator who sets the service up within a day loses no message
    expect(await log(room)).toMatchObject([
      { error: 'Matrix notifications are not enabled.', settledAt: null, tries: 1 },
    ]);
  });

  test('calls no private address unless the operator allows it', async () => {
    const hook = await webhook();
    const settings = { down: { url: 'http://169.254.169.254/latest' } };
    await app.database.transaction((tx) => updateChannel(tx, hook.id, { settings }));
    await fallenCheck();
    await app.deliver();
    expect(await log(hook)).toMatchObject([
      { error: '169.254.169.254 is not called: it is a link-local address' },
    ]);
  });

  test('deletes the messages of a deleted check', async () => {
    const hook = await webhook();
    const check = await fallenCheck();
    await ada.delete(`/checks/${check.uuid}`).expect(200);
    await app.deliver();
    expect(target.requests).toEqual([]);
    expect(await log(hook)).toEqual([]);
  });

  test('deletes notifications older than the oldest stored ping', async () => {
    const hook = await webhook();
    const check = await fallenCheck();
    await app.deliver();
    expect(await log(hook)).toHaveLength(1);
    app.clock.advance(second);
    for (let n = 2; n <= 200; n += 1) await ada.ping(check, '/log');
    expect(await log(hook)).toEqual([]);
  });
});

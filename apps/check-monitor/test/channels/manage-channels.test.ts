import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { updateChannel } from '../../src/channels/channels.repository.js';
import { listChannelsOf } from '../../src/channels/channels.service.js';
import { createChannel } from '../../src/channels/create-channel.service.js';
import {
  type ChannelPath,
  editChannel,
  getChannel,
  type ManageChannelsDeps,
  removeChannel,
} from '../../src/channels/manage-channels.service.js';
import type { ChannelKind } from '../../src/integrations/kinds.js';
import { askConsent, type ConsentDeps } from '../../src/notifications/consent.service.js';
import { listNotifications } from '../../src/notifications/delivery-lists.repository.js';
import { type TestChannelDeps, testChannel } from '../../src/notifications/test-channel.service.js';
import { began, type Holder, openTestApp, siteRoot, type TestApp } from '../support/app.js';
import { type MailServer, startMailServer } from '../support/mail-server.js';
import { type Recorder, startRecorder } from '../support/recorder.js';

describeEachDialect('channels of a project', (open) => {
  let app: TestApp;
  let target: Recorder;
  let mailbox: MailServer;
  let ada: Holder;
  let deps: ManageChannelsDeps & TestChannelDeps & ConsentDeps;

  beforeAll(async () => {
    target = await startRecorder();
    mailbox = await startMailServer();
    const smtp = { url: mailbox.url, from: 'Monitor <alerts@monitor.example>' };
    app = await openTestApp(open, {}, { senderAccounts: { smtp } });
    const parts = { siteName: 'Monitor', addresses: { siteRoot }, notifier: app.notifier };
    deps = { ...app.accounts, ...parts };
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

  async function make(kind: ChannelKind, settings: object, isVerified = false): Promise<ChannelPath> {
    const { projectId } = ada.keys;
    const wanted = { projectId, kind, name: kind, settings, isVerified };
    return { projectId, uuid: await createChannel(app.accounts, wanted) };
  }

  const pathIn = (text: string | undefined) =>
    /https:\/\/monitor\.example(\/integrations\S+)/.exec(text ?? '')?.[1] ?? '';

  test('are listed in the order of their creation, also for API clients', async () => {
    const hook = await make('webhook', { down: { url: target.url } });
    const mail = await make('email', { address: 'ada@example.org' });
    expect((await listChannelsOf(deps, ada.keys.projectId)).map(({ uuid }) => uuid)).toEqual([
      hook.uuid,
      mail.uuid,
    ]);
    const listed = [
      { id: hook.uuid, name: 'webhook', kind: 'webhook' },
      { id: mail.uuid, name: 'email', kind: 'email' },
    ];
    // no more than Healthchecks shows, in each version of its API
    for (const query of ['', '?include=other']) {
      await ada.get(`/channels/${query}`).expect(200, { channels: listed });
    }
    const [first, second] = listed;
    await ada
      .get('/channels/?include=state')
      .expect(200, { channels: [first, { ...second, cannot_send: 'Email not verified' }] });
  });

  test('are edited; omitted secrets stay unchanged', async () => {
    const path = await make('gotify', { url: target.url, token: 'secret' });
    await editChannel(deps, path, { name: 'phone', settings: { url: target.url, priorityDown: 9 } });
    expect(await getChannel(deps, path)).toMatchObject({
      name: 'phone',
      settings: { url: target.url, token: 'secret', priorityDown: 9, priorityUp: null },
    });
    await expect(editChannel(deps, path, { settings: { url: 'https://eve.example' } })).rejects.toThrow(
      'settings.token',
    );
  });

  test('can have no name, as in Healthchecks, and are then selected by their ids', async () => {
    const path = await make('slack', { url: target.url });
    await editChannel(deps, path, { name: '' });
    await ada.get('/channels/').expect(200, { channels: [{ id: path.uuid, name: '', kind: 'slack' }] });
    expect((await ada.check({ channels: path.uuid })).channels).toBe(path.uuid);
    await ada.post('/checks/', { channels: ',' }).expect(400);
  });

  test('are enabled again when their settings change', async () => {
    const path = await make('slack', { url: target.url });
    const { id } = await getChannel(deps, path);
    await app.database.transaction((tx) => updateChannel(tx, id, { disabledAt: 1, lastError: 'gone' }));
    await editChannel(deps, path, { name: 'other' });
    expect(await getChannel(deps, path)).toMatchObject({ disabledAt: 1 });
    await editChannel(deps, path, { settings: { url: `${target.url}/new` } });
    expect(await getChannel(deps, path)).toMatchObject({ disabledAt: null, lastError: null });
  });

  test.each([
    ['a name of blanks only', { name: ' ' }, 'the name of a channel'],
    ['a name that is too long', { name: 'x'.repeat(101) }, 'the name of a channel'],
    ['wrong settings', { settings: { url: 'x' } }, 'settings.url'],
  ])('refuse %s', async (_situation, edit, message) => {
    const path = await make('slack', { url: target.url });
    await expect(editChannel(deps, path, edit)).rejects.toThrow(message);
  });

  test('do not exist for other projects', async () => {
    const { uuid } = await make('slack', { url: target.url });
    const stranger = { projectId: (await app.newProject()).keys.projectId, uuid };
    await expect(editChannel(deps, stranger, { name: 'x' })).rejects.toThrow('channel not found');
    await expect(removeChannel(deps, stranger)).rejects.toThrow('channel not found');
    await expect(testChannel(deps, stranger)).rejects.toThrow('channel not found');
  });

  test('are deleted, and removed from their checks', async () => {
    const path = await make('slack', { url: target.url });
    const check = await ada.check({ channels: '*' });
    await removeChannel(deps, path);
    expect((await ada.get(`/checks/${check.uuid}`)).body.channels).toBe('');
  });

  test('form a group only with other channels of the project', async () => {
    const hook = await make('webhook', { down: { url: target.url } });
    const group = await make('group', { channels: [hook.uuid] });
    await expect(make('group', { channels: [group.uuid] })).rejects.toThrow('cannot be in the group');
    ada = await app.newProject();
    await expect(make('group', { channels: [hook.uuid] })).rejects.toThrow('cannot be in the group');
  });

  test('are tested with an example check', async () => {
    const body = '$NAME is $STATUS, $TAGS, $SLUG';
    const path = await make('webhook', { down: { method: 'POST', url: target.url, body } });
    expect(await testChannel(deps, path)).toEqual({ ok: true });
    expect(target.requests).toMatchObject([{ body: 'TEST is down, test, test' }]);
  });

  test('are tested with a recovery if they accept nothing else', async () => {
    const path = await make('webhook', { up: { method: 'POST', url: target.url, body: '$STATUS' } });
    await testChannel(deps, path);
    expect(target.requests).toMatchObject([{ body: 'up' }]);
  });

  test('are tested once, the error is shown, and only the latest test is stored', async () => {
    const path = await make('webhook', { down: { url: target.url } });
    target.answer((response) => response.writeHead(500).end());
    expect(await testChannel(deps, path)).toMatchObject({ error: 'Received status code 500' });
    expect(target.requests).toHaveLength(1);
    target.reset();
    await testChannel(deps, path);
    const { id, lastError } = await getChannel(deps, path);
    expect(lastError).toBeNull();
    const log = await app.database.read((tx) => listNotifications(tx, id, 10));
    expect(log).toMatchObject([{ checkId: null, status: 'down', error: null }]);
    // a test is not a message that waits
    await app.deliver();
    expect(target.requests).toHaveLength(1);
  });

  test('verify a mail address by a link, after a confirmation page', async () => {
    const path = await make('email', { address: 'ada@example.org' });
    expect(await askConsent(deps, await getChannel(deps, path))).toEqual({ ok: true });
    expect(mailbox.mails[0]?.subject).toBe('Verify your address for notifications of Monitor');
    const link = pathIn(mailbox.mails[0]?.text);
    const page = await app.http.get(link).expect(200);
    expect(page.headers).toMatchObject({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' });
    expect((await getChannel(deps, path)).verifiedAt).toBeNull();
    await app.http.post(link).expect(200);
    expect((await getChannel(deps, path)).verifiedAt).toBe(app.accounts.clock.now());
  });

  test('need a new verification for another address', async () => {
    const path = await make('email', { address: 'ada@example.org' });
    await askConsent(deps, await getChannel(deps, path));
    const link = pathIn(mailbox.mails[0]?.text);
    await app.http.post(link).expect(200);
    await editChannel(deps, path, { settings: { address: 'ada@example.org', up: false } });
    expect((await getChannel(deps, path)).verifiedAt).not.toBeNull();
    await editChannel(deps, path, { settings: { address: 'eve@example.org' } });
    expect((await getChannel(deps, path)).verifiedAt).toBeNull();
    await app.http.post(link).expect(404);
    expect((await getChannel(deps, path)).verifiedAt).toBeNull();
  });

  test('are deleted when their recipient unsubscribes by one click, which may be repeated', async () => {
    const path = await make('email', { address: 'ada@example.org' }, true);
    await testChannel(deps, path);
    const [mail] = mailbox.mails;
    const { line } = mail?.headerLines.find(({ key }) => key === 'list-unsubscribe') ?? { line: '' };
    const link = pathIn(line.replace('>', ''));
    await app.http.get(link).expect(200);
    await getChannel(deps, path);
    await app.http.post(link).type('form').send('List-Unsubscribe=One-Click').expect(200);
    await expect(getChannel(deps, path)).rejects.toThrow('channel not found');
    await app.http.post(link).expect(200);
  });

  test.each([
    ['another signature', (link: string) => link.replace(/[^/]{32}\/$/, `${'A'.repeat(32)}/`)],
    ['another purpose', (link: string) => link.replace('/verify/', '/unsub/')],
    ['another channel', (link: string) => link.replace(/[0-9a-f]{8}/, '00000000')],
    ['no uuid', (link: string) => link.replace(/integrations\/[^/]+/, 'integrations/x')],
  ])('a link with %s does nothing', async (_situation, change) => {
    const path = await make('email', { address: 'ada@example.org' });
    await askConsent(deps, await getChannel(deps, path));
    const link = change(pathIn(mailbox.mails[0]?.text));
    const { text, headers } = await app.http.post(link).expect(404);
    expect([text.includes('not valid'), headers['content-type']]).toEqual([true, 'text/html; charset=utf-8']);
    expect((await getChannel(deps, path)).verifiedAt).toBeNull();
    await app.http.put(link).expect(405);
  });
});

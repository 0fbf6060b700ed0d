import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { findChannel, updateChannel } from '../../src/channels/channels.repository.js';
import { listChannelsOf } from '../../src/channels/channels.service.js';
import { createChannel } from '../../src/channels/create-channel.service.js';
import { editChannel } from '../../src/channels/manage-channels.service.js';
import type { ChannelKind } from '../../src/integrations/kinds.js';
import { testChannel } from '../../src/notifications/test-channel.service.js';
import { type Holder, openTestApp, type TestApp } from '../support/app.js';

const inside = 'is not called: it is a private or loopback address';
const hint = 'CHECK_MONITOR_ALLOW_PRIVATE_TARGETS=true allows it';
const addresses: Readonly<Record<string, string>> = {
  'inside.example': '10.0.0.1',
  'outside.example': '93.184.215.14',
};

describeEachDialect('an integration with a private target', (open) => {
  let app: TestApp;
  let ada: Holder;
  const deps = () => ({ ...app.accounts, notifier: app.notifier });

  beforeAll(async () => {
    app = await openTestApp(
      open,
      {},
      {
        allowPrivateTargets: false,
        resolve: (name, _options, done) => {
          const address = addresses[name];
          if (address === undefined) done(Object.assign(new Error('unknown'), { code: 'ENOTFOUND' }), []);
          else done(null, [{ address, family: 4 }]);
        },
      },
    );
  });
  beforeEach(async () => {
    ada = await app.newProject();
  });
  afterAll(() => app.close());

  const create = (kind: ChannelKind, settings: object) =>
    createChannel(app.accounts, {
      projectId: ada.keys.projectId,
      kind,
      name: 'Ops',
      settings,
      isVerified: true,
    });

  test.each<[string, ChannelKind, object, string]>([
    ['a chat', 'slack', { url: 'http://127.0.0.1:8080/' }, `settings.url: 127.0.0.1 ${inside}; ${hint}`],
    [
      'a name',
      'ntfy',
      { url: 'https://inside.example', topic: 't' },
      `settings.url: inside.example ${inside}; ${hint}`,
    ],
    [
      'one direction of a webhook',
      'webhook',
      { down: { url: 'https://outside.example/' }, up: { url: 'http://[::1]/$CODE' } },
      `settings.up.url: ::1 ${inside}; ${hint}`,
    ],
    [
      'a metadata service',
      'gotify',
      { url: 'http://169.254.169.254/', token: 'A' },
      'settings.url: 169.254.169.254 is not called: it is a link-local address',
    ],
    [
      'the port of a mail server',
      'webhook',
      { down: { method: 'POST', url: 'http://outside.example:25/', body: 'HELO me' } },
      'settings.down.url: outside.example:25 is not called: it has port 25, which HTTP clients refuse to call',
    ],
  ])(
    'is refused when it is created, with the field and the setting that allows it: %s',
    async (_situation, kind, settings, message) => {
      await expect(create(kind, settings)).rejects.toThrow(message);
      expect(await listChannelsOf(deps(), ada.keys.projectId)).toEqual([]);
    },
  );

  test.each<[string, object]>([
    ['outside', { url: 'https://outside.example/hook' }],
    ['unknown so far', { url: 'https://later.example/hook' }],
  ])('is created where its name is %s', async (_situation, settings) => {
    await create('slack', settings);
    expect(await listChannelsOf(deps(), ada.keys.projectId)).toHaveLength(1);
  });

  test('is rejected when it is edited, and is unchanged', async () => {
    const uuid = await create('slack', { url: 'https://outside.example/hook' });
    const path = { projectId: ada.keys.projectId, uuid };
    const edit = { name: 'New', settings: { url: 'https://inside.example/hook' } };
    await expect(editChannel(deps(), path, edit)).rejects.toThrow(
      `settings.url: inside.example ${inside}; ${hint}`,
    );
    const [channel] = await listChannelsOf(deps(), ada.keys.projectId);
    expect(channel).toMatchObject({ name: 'Ops', settings: { url: 'https://outside.example/hook' } });
  });

  test('is rejected at the call with the same message', async () => {
    const uuid = await create('slack', { url: 'https://later.example/hook' });
    await app.database.transaction(async (tx) => {
      const channel = await findChannel(tx, uuid);
      await updateChannel(tx, channel?.id ?? 0, { settings: { url: 'https://inside.example/hook' } });
    });
    const result = await testChannel(deps(), { projectId: ada.keys.projectId, uuid });
    expect(result).toMatchObject({ ok: false, error: `inside.example ${inside}; ${hint}` });
  });
});

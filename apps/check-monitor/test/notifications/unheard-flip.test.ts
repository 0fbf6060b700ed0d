import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { findChannel, updateChannel } from '../../src/channels/channels.repository.js';
import { createChannel } from '../../src/channels/create-channel.service.js';
import type { ChannelKind } from '../../src/integrations/kinds.js';
import { type Holder, openTestApp, type TestApp } from '../support/app.js';

const smtp = { url: 'smtp://127.0.0.1:9', from: 'alerts@example.org' };
const metricsToken = 'a-token-of-sixteen-letters';

describeEachDialect('a flip that reaches no channel', (open) => {
  let app: TestApp;
  let ada: Holder;
  let lines: string[] = [];

  beforeAll(async () => {
    app = await openTestApp(
      open,
      { metricsToken },
      { senderAccounts: { smtp }, logTo: { write: (line) => void lines.push(line) } },
    );
  });
  beforeEach(async () => {
    ada = await app.newProject();
    lines = [];
  });
  afterAll(() => app.close());

  const warnings = () =>
    lines
      .map((line) => JSON.parse(line) as { event: string; level: string; check: string; newStatus: string })
      .filter(({ event }) => event === 'check.flip_without_channel')
      .map(({ level, check, newStatus }) => [level, check, newStatus]);
  const counted = async () => {
    const answer = await app.http.get('/metrics').set('Authorization', `Bearer ${metricsToken}`).expect(200);
    return Number(/^check_monitor_flips_without_channel_total (\d+)$/m.exec(answer.text)?.[1]);
  };
  /** Creates a check that is up; it can go down and come up again. */
  const aCheck = async (channels: string) => {
    const check = await ada.check({ channels });
    await ada.ping(check);
    const flip = async (suffix: '' | '/fail') => {
      await ada.ping(check, suffix);
      await app.tick();
    };
    return { uniqueKey: (await ada.peek('/checks/')).body.checks[0].unique_key, flip };
  };
  const aChannel = (settings: object) => {
    const wanted = { kind: 'webhook', name: 'hook', isVerified: true, assign: false } as const;
    return createChannel(app.accounts, { projectId: ada.keys.projectId, ...wanted, settings });
  };
  const disable = (uuid: string) =>
    app.database.transaction(async (tx) => {
      const channel = await findChannel(tx, uuid);
      await updateChannel(tx, channel?.id ?? 0, { disabledAt: app.accounts.clock.now() });
    });
  const hook = { url: 'https://hook.example/' };
  const listed = async (kind: string) => {
    const { channels } = (await ada.get('/channels/?include=state').expect(200)).body;
    return channels.find((one: { kind: string }) => one.kind === kind);
  };

  test('is logged as a warning and counted when the check has none', async () => {
    const before = await counted();
    const { uniqueKey, flip } = await aCheck('');
    await app.tick();
    expect(warnings()).toEqual([]);
    await flip('/fail');
    await flip('');
    expect(warnings()).toEqual([
      ['warn', uniqueKey, 'down'],
      ['warn', uniqueKey, 'up'],
    ]);
    expect(await counted()).toBe(before + 2);
  });

  test('is logged and counted when all that it has are switched off', async () => {
    const uuid = await aChannel({ down: hook, up: hook });
    const { uniqueKey, flip } = await aCheck('*');
    await flip('/fail');
    expect(warnings()).toEqual([]);
    await disable(uuid);
    await flip('');
    expect(warnings()).toEqual([['warn', uniqueKey, 'up']]);
  });

  test.each([
    ['a mail address that is not verified', 'email', { address: 'ada@example.org' }, 'Email not verified'],
    [
      'a kind that the service has no account for',
      'telegram',
      { chatId: 1 },
      'Telegram notifications are not enabled.',
    ],
  ] as const)(
    'is logged and counted when all that it has is %s',
    async (_situation, kind, settings, reason) => {
      const before = await counted();
      const wanted = { projectId: ada.keys.projectId, kind, name: kind, settings, isVerified: false };
      await createChannel(app.accounts, wanted);
      const { uniqueKey, flip } = await aCheck('*');
      await flip('/fail');
      expect(warnings()).toEqual([['warn', uniqueKey, 'down']]);
      expect(await counted()).toBe(before + 1);
      expect(await listed(kind)).toMatchObject({ cannot_send: reason });
      await aChannel({ down: hook });
      await ada
        .post(`/checks/${(await ada.get('/checks/')).body.checks[0].uuid}`, { channels: '*' })
        .expect(200);
      await flip('');
      await flip('/fail');
      expect(warnings()).toHaveLength(1);
    },
  );

  test('is logged and counted when all that it has is a group whose members cannot send, as is listed', async () => {
    const { projectId } = ada.keys;
    const create = (kind: ChannelKind, settings: object) =>
      createChannel(app.accounts, {
        projectId,
        kind,
        name: kind,
        settings,
        isVerified: false,
        assign: false,
      });
    const mail = await create('email', { address: 'ada@example.org' });
    const chat = await create('telegram', { chatId: 1 });
    const off = await aChannel({ down: hook, up: hook });
    await create('group', { channels: [mail, chat, off] });
    expect(await listed('group')).not.toHaveProperty('cannot_send');
    await disable(off);
    expect(await listed('group')).toMatchObject({ cannot_send: 'None of its integrations can send.' });
    const { uniqueKey, flip } = await aCheck('group');
    await flip('/fail');
    expect(warnings()).toEqual([['warn', uniqueKey, 'down']]);
    await app.database.transaction(async (tx) => {
      await updateChannel(tx, (await findChannel(tx, mail))?.id ?? 0, {
        verifiedAt: app.accounts.clock.now(),
      });
    });
    expect(await listed('group')).not.toHaveProperty('cannot_send');
    await flip('');
    expect(warnings()).toHaveLength(1);
  });

  test('is neither when its channel wants no message of checks that come up', async () => {
    const before = await counted();
    await aChannel({ down: hook });
    const { flip } = await aCheck('*');
    await flip('/fail');
    await flip('');
    expect(warnings()).toEqual([]);
    expect(await counted()).toBe(before);
  });
});

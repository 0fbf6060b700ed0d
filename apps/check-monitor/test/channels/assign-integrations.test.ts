import { expect, test } from 'vitest';
import { countAssignedChecks } from '../../src/channels/assign-channel.repository.js';
import { createChannel } from '../../src/channels/create-channel.service.js';
import type { Holder } from '../support/app.js';
import { copyCheck } from '../support/copy-check.js';
import { describeMonitor } from '../support/suite.js';

describeMonitor('a new integration', (stage) => {
  const create = (holder: Holder, options: { assign?: boolean } = {}): Promise<string> =>
    createChannel(stage.app.accounts, {
      projectId: holder.keys.projectId,
      kind: 'webhook',
      name: 'hook',
      settings: { down: { url: 'https://hook.example/' } },
      isVerified: false,
      ...options,
    });
  const channelsOf = async (holder: Holder): Promise<string[]> =>
    (await holder.get('/checks/')).body.checks.map((check: { channels: string }) => check.channels);

  test('is assigned to the checks of its project, and to no other', async () => {
    await stage.ada.check({ name: 'one' });
    await stage.ada.check({ name: 'two' });
    await stage.ben.check({ name: 'of another project' });
    const first = await create(stage.ada);
    expect(await channelsOf(stage.ada)).toEqual([first, first]);
    const second = await create(stage.ada);
    for (const channels of await channelsOf(stage.ada)) {
      expect(channels.split(',').sort()).toEqual([first, second].sort());
    }
    expect(await channelsOf(stage.ben)).toEqual(['']);
  });

  test('is assigned to no check if assign is false', async () => {
    await stage.ada.check();
    await create(stage.ada, { assign: false });
    expect(await channelsOf(stage.ada)).toEqual(['']);
  });

  test('is not assigned to a check that is created later without channels', async () => {
    await create(stage.ada);
    expect(await stage.ada.check()).toMatchObject({ channels: '' });
  });

  test('is assigned to checks that are created or deleted at the same time', async () => {
    await create(stage.ada);
    const doomed = await Promise.all([1, 2, 3, 4].map(() => stage.ada.check()));
    const [uuid] = await Promise.all([
      create(stage.ada),
      ...[1, 2, 3, 4, 5, 6, 7, 8].map(() => stage.ada.check({ channels: '*' })),
      ...doomed.map((check) => stage.ada.delete(`/checks/${check.uuid}`).expect(200)),
    ]);
    const assigned = await channelsOf(stage.ada);
    expect(assigned).toHaveLength(8);
    for (const channels of assigned) expect(channels).toContain(uuid);
  });

  test('is assigned to 100,000 checks while requests are answered', async () => {
    const template = await stage.ada.check();
    await stage.app.database.transaction((tx) => copyCheck(tx, template.uuid, 99_999));
    let isCreated = false;
    const created = create(stage.ada).finally(() => {
      isCreated = true;
    });
    let answers = 0;
    for (; !isCreated; answers += 1) await stage.app.http.get('/api/v3/status/').expect(200);
    const uuid = await created;
    expect(await stage.app.database.read((tx) => countAssignedChecks(tx, uuid))).toBe(100_000);
    expect(answers).toBeGreaterThan(10);
  });
});

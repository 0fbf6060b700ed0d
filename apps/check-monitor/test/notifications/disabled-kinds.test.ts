import { describeEachDialect } from '@certloop/db/testing';
import { expect, test } from 'vitest';
import { createChannel } from '../../src/channels/create-channel.service.js';
import { testChannel } from '../../src/notifications/test-channel.service.js';
import { openTestApp } from '../support/app.js';
import { startRecorder } from '../support/recorder.js';

describeEachDialect('a kind of integration that the operator switched off', (open) => {
  test('sends nothing and says why, while the others send', async () => {
    const target = await startRecorder();
    const app = await openTestApp(open, {}, { disabledKinds: ['slack'] });
    const { projectId } = (await app.newProject()).keys;
    const results = [];
    for (const kind of ['slack', 'mattermost'] as const) {
      const wanted = { projectId, kind, name: kind, settings: { url: target.url }, isVerified: true };
      const uuid = await createChannel(app.accounts, wanted);
      results.push(await testChannel(app.accounts, { projectId, uuid }));
    }
    expect(results).toEqual([
      { ok: false, error: 'Slack notifications are not enabled.', permanent: false },
      { ok: true },
    ]);
    expect(target.requests).toHaveLength(1);
    await app.close();
    await target.close();
  });
});

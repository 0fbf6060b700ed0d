import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { createChannel } from '../../src/channels/create-channel.service.js';
import { type Recorder, startRecorder } from '../support/recorder.js';
import { describeMonitor } from '../support/suite.js';

describeMonitor('a test message by the management API', (stage) => {
  let target: Recorder;
  beforeAll(async () => {
    target = await startRecorder();
  });
  afterEach(() => target.reset());
  afterAll(() => target.close());

  const slack = () =>
    createChannel(stage.app.accounts, {
      projectId: stage.ada.keys.projectId,
      kind: 'slack',
      name: 'Ops',
      isVerified: true,
      settings: { url: target.url },
    });

  test.each(['v1', 'v2', 'v3'])('is sent and reported as delivered, in %s', async (version) => {
    const uuid = await slack();
    const answer = { ok: true, error: '' };
    await stage.ada.post(`/api/${version}/channels/${uuid.toUpperCase()}/test`).expect(200, answer);
    expect(target.requests).toHaveLength(1);
    expect(target.requests[0]?.body).toContain('The check \\"TEST\\" is DOWN.');
  });

  test('is reported with the reason when it did not arrive', async () => {
    target.answer((response) => response.writeHead(500).end());
    const answer = { ok: false, error: 'Received status code 500' };
    await stage.ada.post(`/channels/${await slack()}/test`).expect(200, answer);
    expect(target.requests).toHaveLength(1);
  });

  test('is refused for the read-only key, for other projects and for unknown integrations', async () => {
    const uuid = await slack();
    const { readOnlyKey } = stage.ada.keys;
    await stage.app.http.post(`/api/v3/channels/${uuid}/test`).set('X-Api-Key', readOnlyKey).expect(401);
    await stage.ben.post(`/channels/${uuid}/test`).expect(404);
    await stage.ada.post('/channels/00000000-0000-4000-8000-000000000000/test').expect(404);
    expect(target.requests).toEqual([]);
  });
});

import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { channelKindNames } from '../../src/integrations/channel-kinds.js';
import { openTestApp, type TestApp } from '../support/app.js';
import { type Browser, newPerson, newProject } from '../support/browser.js';
import { type Recorder, startRecorder } from '../support/recorder.js';
import type { Stage } from '../support/suite.js';

const secret = 'hidden-5f1c';

describeEachDialect('secrets of integrations', (open) => {
  let app: TestApp;
  let target: Recorder;
  let ada: Browser;
  const logged: string[] = [];

  beforeAll(async () => {
    target = await startRecorder();
    app = await openTestApp(open, {}, { timeoutMs: 800, logTo: { write: (line) => logged.push(line) } });
    ada = await newPerson({ app } as Stage);
  });
  afterAll(async () => {
    await app.close();
    await target.close();
  });

  test('are in no log, error or delivery, whether the target fails, is away or is refused', async () => {
    const project = await newProject(ada);
    const key = (await ada.send('post', `/projects/${project}/keys/ping`).expect(201)).body.key;
    target.answer((response) => response.writeHead(500).end());
    const said: unknown[] = [];
    for (const url of [target.url, 'http://127.0.0.1:2', 'http://169.254.169.254']) {
      const down = {
        method: 'POST',
        url: `${url}/${secret}`,
        headers: { Authorization: secret },
        body: secret,
      };
      const wanted = { kind: 'webhook', name: 'hook', settings: { down } };
      const { status, body } = await ada.send('post', `/projects/${project}/channels`, wanted);
      if (status === 201) {
        await app.http.get(`/ping/${key}/job-${body.id}/fail?create=1`).expect(201);
        await app.tick();
        await app.deliver();
        said.push((await ada.get(`/projects/${project}/channels/${body.id}/deliveries`).expect(200)).body);
      } else said.push(body);
    }
    for (const kind of channelKindNames) {
      const settings = {
        url: secret,
        token: secret,
        key: { secret },
        down: { url: secret, headers: secret },
      };
      said.push(
        (await ada.send('post', `/projects/${project}/channels`, { kind, name: kind, settings }).expect(400))
          .body,
      );
    }
    const { channels } = (await ada.get(`/projects/${project}/channels`).expect(200)).body;
    for (const { last_error } of channels) said.push(last_error);
    expect(said.length).toBeGreaterThan(channelKindNames.length);
    expect(JSON.stringify(said)).not.toContain(secret);
    expect(logged.length).toBeGreaterThan(5);
    for (const hidden of [secret, key, ...(await keysOf(project))])
      expect(logged.join('')).not.toContain(hidden);
  });

  const keysOf = async (project: string): Promise<string[]> =>
    Promise.all(
      ['read-write', 'read-only'].map(
        async (kind) => (await ada.send('post', `/projects/${project}/keys/${kind}`).expect(201)).body.key,
      ),
    );
});

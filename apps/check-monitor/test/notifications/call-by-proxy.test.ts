import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { createChannel } from '../../src/channels/create-channel.service.js';
import { testChannel } from '../../src/notifications/test-channel.service.js';
import { type Holder, openTestApp, type TestApp } from '../support/app.js';
import { type Recorder, startRecorder } from '../support/recorder.js';

const addresses: Readonly<Record<string, string>> = {
  'inside.example': '10.0.0.1',
  'outside.example': '93.184.215.14',
};

describeEachDialect('an integration behind an egress proxy', (open) => {
  let app: TestApp;
  let ada: Holder;
  /** Answers for every target itself. */
  let proxy: Recorder;

  beforeAll(async () => {
    proxy = await startRecorder();
    app = await openTestApp(
      open,
      {},
      {
        allowPrivateTargets: false,
        egressProxy: proxy.url,
        resolve: (name, _options, done) => done(null, [{ address: addresses[name] ?? '', family: 4 }]),
      },
    );
  });
  beforeEach(async () => {
    ada = await app.newProject();
  });
  afterEach(() => proxy.reset());
  afterAll(async () => {
    await app.close();
    await proxy.close();
  });

  async function sendTest() {
    const { projectId } = ada.keys;
    const settings = { url: 'http://outside.example/hook' };
    const wanted = { projectId, kind: 'slack', name: 'Ops', settings, isVerified: true } as const;
    const uuid = await createChannel(app.accounts, wanted);
    return testChannel(app.accounts, { projectId, uuid });
  }

  test('is called through the proxy, by its name', async () => {
    expect(await sendTest()).toEqual({ ok: true });
    expect(proxy.requests).toMatchObject([
      { method: 'POST', path: 'http://outside.example/hook', headers: { host: 'outside.example' } },
    ]);
  });

  test('is not called at a private address, and the proxy is not used', async () => {
    proxy.answer((response) => response.writeHead(307, { Location: 'http://inside.example/' }).end());
    expect(await sendTest()).toMatchObject({
      ok: false,
      error: expect.stringMatching(/^inside\.example is not called: it is a private or loopback address;/),
    });
    expect(proxy.requests).toHaveLength(1);
  });

  test('reports a redirect that is not followed', async () => {
    proxy.answer((response) => response.writeHead(303, { Location: 'http://outside.example/secret' }).end());
    expect(await sendTest()).toMatchObject({
      ok: false,
      error:
        'The address answers with a redirect to another path of http://outside.example: use that address',
    });
  });

  test('reports the response of the proxy', async () => {
    proxy.answer((response) => response.writeHead(403).end());
    expect(await sendTest()).toMatchObject({ ok: false, error: 'Received status code 403' });
  });
});

import { executeSql } from '@certloop/db';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { type Browser, newPerson, newProject } from '../support/browser.js';
import { type Recorder, startRecorder } from '../support/recorder.js';
import { describeMonitor } from '../support/suite.js';

describeMonitor('whether the alerts of a project reach people', (stage) => {
  let owner: Browser;
  let project: string;
  let target: Recorder;

  beforeEach(async () => {
    target ??= await startRecorder();
    target.reset();
    owner = await newPerson(stage);
    project = await newProject(owner);
  });
  afterAll(() => target.close());

  const at = (rest = '') => `/projects/${project}${rest}`;
  const make = async (body: object = {}) =>
    (await owner.send('post', at('/v3/checks/'), body).expect(201)).body as { uuid: string };
  const hook = () => ({
    kind: 'webhook',
    name: 'Hook',
    settings: { down: { url: target.url }, up: { url: target.url } },
  });
  const add = async (body: object = hook()) =>
    (await owner.send('post', at('/channels'), body).expect(201)).body.id as string;
  const sendTest = (id: string) => owner.send('post', at(`/channels/${id}/test`)).expect(200);
  const reach = async () => (await owner.get(at('?include=counts')).expect(200)).body.alerts;
  const none = { integrations: 0, canSend: 0, switchedOff: 0, unable: 0, failing: 0 };
  const noon = '2026-01-01T12:00:00+00:00';

  test('is no where checks exist and no integration', async () => {
    await make();
    expect(await reach()).toEqual({ ...none, checks: 1, checksWithoutIntegration: 1 });
  });

  test('counts an integration that can send, and when it last delivered', async () => {
    await make();
    const id = await add();
    const able = { ...none, checks: 1, checksWithoutIntegration: 0, integrations: 1, canSend: 1 };
    expect(await reach()).toEqual(able);
    await sendTest(id);
    expect(await reach()).toEqual({ ...able, lastDeliveredAt: noon });
    await make();
    expect(await reach()).toMatchObject({ checks: 2, checksWithoutIntegration: 1 });
  });

  test('keeps the last delivery while it fails, and forgets it with new settings', async () => {
    const id = await add();
    await sendTest(id);
    stage.app.clock.advance(60_000);
    target.answer((response) => response.writeHead(500).end());
    await sendTest(id);
    expect(await reach()).toMatchObject({ canSend: 1, failing: 1, lastDeliveredAt: noon });
    await owner.send('put', at(`/channels/${id}`), { name: 'Other' }).expect(200);
    expect(await reach()).toMatchObject({ lastDeliveredAt: noon });
    await owner.send('put', at(`/channels/${id}`), { settings: hook().settings }).expect(200);
    expect(await reach()).not.toHaveProperty('lastDeliveredAt');
  });

  test('counts what arrived before a message of the same turn that did not', async () => {
    await add();
    for (const { uuid } of [await make({ channels: '*' }), await make({ channels: '*' })]) {
      await stage.app.http.post(`/ping/${uuid}/fail`).expect(200);
      await stage.app.tick();
    }
    target.answer((response, _request, count) => response.writeHead(count === 1 ? 200 : 500).end());
    await stage.app.deliver();
    expect(target.requests).toHaveLength(2);
    expect(await reach()).toMatchObject({ canSend: 1, failing: 1, lastDeliveredAt: noon });
  });

  test('counts a message that a check has sent as delivered', async () => {
    const { uuid } = await make();
    await add();
    await stage.app.http.post(`/ping/${uuid}/fail`).expect(200);
    await stage.app.tick();
    await stage.app.deliver();
    expect(await reach()).toMatchObject({ lastDeliveredAt: noon });
    const { channels } = (await owner.get(at('/channels')).expect(200)).body;
    expect(channels).toMatchObject([{ last_delivered_at: noon }]);
  });

  test('leaves out integrations that are switched off or wait for a confirmation, and groups of these', async () => {
    await make();
    const gone = await add();
    const mail = await add({ kind: 'email', name: '', settings: { address: 'ops@example.org' } });
    await add({ kind: 'group', name: 'All', settings: { channels: [mail] } });
    expect(await reach()).toMatchObject({ canSend: 1, unable: 2, checksWithoutIntegration: 0 });
    const { channels } = (await owner.get(at('/channels')).expect(200)).body;
    expect(channels.map((one: { cannot_send?: string }) => one.cannot_send)).toEqual([
      undefined,
      expect.any(String),
      'None of its integrations can send.',
    ]);
    const switchOff = 'update channels set disabled_at = 1 where uuid = $1';
    await stage.app.database.transaction((tx) => executeSql(tx, switchOff, [gone]));
    const found = {
      ...none,
      checks: 1,
      checksWithoutIntegration: 1,
      integrations: 3,
      switchedOff: 1,
      unable: 2,
    };
    expect(await reach()).toEqual(found);
  });

  test('leaves out the checks of CertLoop itself', async () => {
    await make({ tags: 'certloop-internal' });
    expect(await reach()).toMatchObject({ checks: 0, checksWithoutIntegration: 0 });
  });

  test('is listed for all projects with as many statements as for one', async () => {
    const statements: string[] = [];
    await make();
    const others = [await newProject(owner), await newProject(owner)];
    const longRead = stage.app.database.longRead;
    const counted = Object.assign(stage.app.database, {
      longRead: (...given: Parameters<typeof longRead>) => {
        statements.push('read');
        return longRead(...given);
      },
    });
    const list = async () => (await owner.get('/projects?include=counts').expect(200)).body.projects;
    await list();
    statements.length = 0;
    const projects = await list();
    Object.assign(counted, { longRead });
    expect(projects).toHaveLength(1 + others.length);
    const listed = new Map<string, { alerts: object }>(projects.map((one: { id: string }) => [one.id, one]));
    expect(listed.get(project)?.alerts).toMatchObject({ checks: 1, canSend: 0 });
    for (const id of others) expect(listed.get(id)?.alerts).toMatchObject({ checks: 0, canSend: 0 });
    expect(statements).toHaveLength(1);
  });

  test('is counted over the checks with a tag if the holder of a key asks so', async () => {
    await stage.ada.check({ tags: 'certloop certificate' });
    await stage.ada.check({ tags: 'certloop-other' });
    const reachOf = async (query: string) =>
      (await stage.ada.get(`/key?include=alerts${query}`).expect(200)).body.alerts.checks;
    expect(await reachOf('')).toBe(2);
    expect(await reachOf('&tag=certloop')).toBe(1);
    expect(await reachOf('&tag=%25')).toBe(0);
  });

  test('is shown to the holder of a read-write key that asks, and to no other', async () => {
    await stage.ada.check();
    const plain = (await stage.ada.get('/key').expect(200)).body;
    const { alerts, ...rest } = (await stage.ada.get('/key?include=alerts').expect(200)).body;
    expect(rest).toEqual(plain);
    expect(plain).not.toHaveProperty('alerts');
    expect(alerts).toEqual({ ...none, checks: 1, checksWithoutIntegration: 1 });
    expect((await stage.ada.peek('/key?include=alerts').expect(200)).body).not.toHaveProperty('alerts');
    expect((await owner.get(at()).expect(200)).body).not.toHaveProperty('alerts');
    expect((await stage.ada.get('/channels/').expect(200)).body).toEqual({ channels: [] });
    expect((await stage.app.http.get('/health/ready').expect(200)).body).not.toHaveProperty('alerts');
  });
});

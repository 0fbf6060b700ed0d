import { afterAll, beforeEach, expect, test } from 'vitest';
import { type Browser, newPerson, newProject } from '../support/browser.js';
import { type Recorder, startRecorder } from '../support/recorder.js';
import { describeMonitor } from '../support/suite.js';

describeMonitor('the history of a check in the console', (stage) => {
  let owner: Browser;
  let reader: Browser;
  let project: string;
  let target: Recorder;

  beforeEach(async () => {
    target ??= await startRecorder();
    target.reset();
    [owner, reader] = [await newPerson(stage), await newPerson(stage)];
    project = await newProject(owner);
    const member = { email: reader.email, role: 'read-only' };
    await owner.send('post', `/projects/${project}/members`, member).expect(200);
  });
  afterAll(() => target.close());

  const at = (rest = '') => `/projects/${project}${rest}`;
  const make = async (body: object) =>
    (await owner.send('post', at('/v3/checks/'), body).expect(201)).body as { uuid: string };
  const ping = ({ uuid }: { uuid: string }, suffix = '', body = '') =>
    stage.app.http.post(`/ping/${uuid}${suffix}`).type('text/plain').send(body).expect(200);
  const read = async ({ uuid }: { uuid: string }, rest: string, person = owner) => {
    // the clock may have ended the session
    await person.signIn();
    return (await person.get(at(`/checks/${uuid}/${rest}`)).expect(200)).body;
  };
  const webhook = () => ({
    kind: 'webhook',
    name: 'Hook',
    settings: { down: { url: target.url }, up: { url: target.url } },
  });

  test('lists pings, changes and messages together, by pages and by type', async () => {
    const check = await make({ name: 'Backup', timeout: 60, grace: 60 });
    await owner.send('post', at('/channels'), webhook()).expect(201);
    await ping(check, '/start');
    stage.app.clock.advance(2_500);
    await ping(check, '/3', `${'é'.repeat(300)}`);
    stage.app.clock.advance(1_000);
    await stage.app.tick();
    await stage.app.deliver();
    const { events, next } = await read(check, 'events', reader);
    expect(next).toBeUndefined();
    expect(events).toMatchObject([
      { kind: 'delivery', channel: 'Hook', to: 'down', outcome: 'delivered' },
      { kind: 'ping', n: 2, type: 'fail', exitStatus: 3, duration: 2.5, preview: 'é'.repeat(200) },
      { kind: 'flip', from: 'new', to: 'down', reason: 'fail' },
      { kind: 'ping', n: 1, type: 'start', method: 'POST' },
    ]);
    const first = await read(check, 'events?limit=1&types=ping');
    expect(first.events).toMatchObject([{ n: 2 }]);
    const rest = await read(check, `events?types=ping&before=${encodeURIComponent(first.next)}`);
    expect(rest.events).toMatchObject([{ n: 1 }]);
    expect(rest.next).toBeUndefined();
    const after = encodeURIComponent(events[3].at);
    expect((await read(check, `events?types=ping,flip&after=${after}`)).events).toHaveLength(2);
    for (const query of ['types=nothing', 'before=soon', 'limit=0', 'limit=101']) {
      await owner.get(at(`/checks/${check.uuid}/events?${query}`)).expect(400);
    }
  });

  test('says in a sentence why a check is in its state', async () => {
    const check = await make({ name: 'Backup', timeout: 3600, grace: 600 });
    const sentence = async () => {
      const { sentence: said, moments = [] } = await read(check, 'diagnosis', reader);
      // each moment in the sentence also comes as an instant
      let rest = said as string;
      for (const { text, at: instant } of moments as { text: string; at: string }[]) {
        expect(said).toContain(text);
        expect(Date.parse(`${text.slice(0, 19).replace(' ', 'T')}Z`)).toBe(Date.parse(instant));
        rest = rest.replaceAll(text, '');
      }
      expect(rest).not.toMatch(/\d{4}-\d\d-\d\d|\d\d:\d\d/);
      return said;
    };
    expect(await sentence()).toMatch(/^No ping has arrived yet/);
    await ping(check);
    stage.app.clock.advance(60_000);
    expect(await sentence()).toBe(
      'The last ping arrived a minute ago. The next one is expected on 2026-01-01 13:00:00 UTC.',
    );
    await ping(check, '/start');
    expect(await sentence()).toBe('A run began now. It has 10 minutes to end.');
    stage.app.clock.advance(600_000);
    expect(await sentence()).toMatch(
      /^A run began on 2026-01-01 12:01:00 UTC, and did not end within 10 minutes/,
    );
    await ping(check);
    stage.app.clock.advance(3_700_000);
    expect(await sentence()).toMatch(
      /^The ping that was expected on .* has not arrived. The check goes down on /,
    );
    stage.app.clock.advance(600_000);
    const down = /^No ping has arrived since one was expected on 2026-01-01 13:11:00 UTC, 11 minutes/;
    expect(await sentence()).toMatch(down);
    await stage.app.tick();
    expect(await read(check, 'diagnosis')).toMatchObject({
      sentence: expect.stringMatching(down),
      expectedAt: '2026-01-01T13:11:00+00:00',
      lateSeconds: 700,
    });
    await ping(check, '/7');
    await owner.signIn();
    expect(await sentence()).toMatch(/^The job reported a failure on .* with exit status 7/);
    await owner.send('post', at(`/v3/checks/${check.uuid}/pause`)).expect(200);
    expect(await sentence()).toMatch(/^It is paused/);
  });

  test('suggests the zone that matches the pings', async () => {
    const check = await make({ name: 'Backup', schedule: '0 3 * * *', tz: 'Europe/Riga', grace: 3600 });
    stage.app.clock.set(new Date('2026-01-02T03:02:00Z'));
    for (let day = 0; day < 3; day += 1) {
      await ping(check);
      stage.app.clock.advance(24 * 3_600_000);
    }
    expect(await read(check, 'diagnosis')).toMatchObject({
      tz: 'Europe/Riga',
      zoneHint: { tz: 'UTC', matches: 3, of: 3 },
    });
    const body = { schedule: '0 3 * * *', tz: 'UTC' };
    await owner.send('post', at(`/v3/checks/${check.uuid}`), body).expect(200);
    expect((await read(check, 'diagnosis')).zoneHint).toBeUndefined();
  });

  test('suggests the schedule that matches the latest pings', async () => {
    const check = await make({ name: 'Backup', timeout: 86_400, grace: 3600 });
    stage.app.clock.set(new Date('2026-01-02T03:02:00Z'));
    for (let day = 0; day < 5; day += 1) {
      expect(await read(check, 'diagnosis', reader)).not.toHaveProperty('suggestion');
      await ping(check, '/start');
      await ping(check);
      stage.app.clock.advance(24 * 3_600_000);
    }
    const { suggestion } = await read(check, 'diagnosis', reader);
    expect(suggestion).toEqual({ schedule: '0 3 * * *', tz: 'UTC', of: 5 });
    const { of: _count, ...body } = suggestion;
    await owner.signIn();
    await owner.send('post', at(`/v3/checks/${check.uuid}`), body).expect(200);
    expect(await read(check, 'diagnosis')).not.toHaveProperty('suggestion');
  });

  test('shows durations and downtimes', async () => {
    const check = await make({ name: 'Backup', timeout: 60, grace: 60 });
    await ping(check, '/start');
    stage.app.clock.advance(4_000);
    await ping(check, '/fail');
    stage.app.clock.advance(86_400_000);
    await ping(check);
    expect((await read(check, 'durations', reader)).buckets).toEqual([
      { at: '2026-01-01T12:00:04+00:00', min: 4, p50: 4, max: 4, runs: 1, fails: 1 },
    ]);
    const { months, days } = await read(check, 'downtimes?months=1', reader);
    expect(months).toEqual([{ month: '2026-01', count: 1, seconds: 86_400 }]);
    expect(days).toHaveLength(2);
    const latest = (await read(check, 'downtimes?days=90', reader)).days;
    expect(latest).toHaveLength(90);
    expect(latest[0]).toEqual({ day: '2025-10-05', seconds: 0 });
    expect(latest.slice(-2)).toEqual(days);
    stage.app.clock.advance(720_000);
    // the alert loop has not come by yet
    expect((await read(check, 'downtimes?months=1')).months).toEqual([
      { month: '2026-01', count: 2, seconds: 87_000 },
    ]);
    await owner.signIn();
    for (const rest of [
      'downtimes?months=4',
      'downtimes?days=94',
      'downtimes?tz=Mars/Base',
      'durations?points=301',
    ]) {
      await owner.get(at(`/checks/${check.uuid}/${rest}`)).expect(400);
    }
  });

  test('previews a schedule for every signed-in user', async () => {
    const query = 'kind=cron&schedule=0+3+*+*+*&tz=Europe/Riga&count=2';
    const { body } = await reader.get(`/schedule-preview?${query}`).expect(200);
    expect(body).toMatchObject({ ok: true, next: [{ at: '2026-01-02T01:00:00+00:00' }, {}] });
    await stage.app.http.get(`/api/account/schedule-preview?${query}`).expect(401);
    await reader.get('/schedule-preview?kind=other').expect(400);
  });

  test('lists the kinds of integrations with their settings', async () => {
    const { kinds } = (await reader.get('/channel-kinds').expect(200)).body;
    const slack = kinds.find(({ kind }: { kind: string }) => kind === 'slack');
    expect(slack).toMatchObject({ label: 'Slack', secrets: ['url'], schema: { required: ['url'] } });
    const signal = kinds.find(({ kind }: { kind: string }) => kind === 'signal');
    expect(signal.missing).toEqual(expect.any(String));
  });

  test('sends a test before an integration is saved, and stores nothing', async () => {
    const tried = await owner.send('post', at('/channels/test'), webhook()).expect(200);
    expect(tried.body).toEqual({ ok: true, error: '', durationMs: expect.any(Number) });
    expect(target.requests).toHaveLength(1);
    expect((await owner.get(at('/channels')).expect(200)).body).toEqual({ channels: [] });
    await reader.send('post', at('/channels/test'), webhook()).expect(403);
    const wrong = { ...webhook(), settings: {} };
    expect((await owner.send('post', at('/channels/test'), wrong).expect(400)).body.error).toMatch(
      /^settings/,
    );
    for (let count = 2; count < 10; count += 1) {
      await owner.send('post', at('/channels/test'), webhook()).expect(200);
    }
    const { headers } = await owner.send('post', at('/channels/test'), webhook()).expect(429);
    expect(headers['retry-after']).toBe('60');
    stage.app.clock.advance(60_000);
    await owner.send('post', at('/channels/test'), webhook()).expect(200);
  });

  test('sends no test to an unverified address', async () => {
    const stranger = { kind: 'email', name: '', settings: { address: 'stranger@example.org' } };
    const { body } = await owner.send('post', at('/channels/test'), stranger).expect(200);
    expect(body).toMatchObject({ ok: false });
  });

  test('lists the messages of an integration', async () => {
    const check = await make({ name: 'Backup', timeout: 60, grace: 60 });
    const { id } = (await owner.send('post', at('/channels'), webhook()).expect(201)).body;
    for (const suffix of ['/fail', '']) {
      await ping(check, suffix);
      await stage.app.tick();
      await stage.app.deliver();
    }
    const list = async (query: string) =>
      (await reader.get(at(`/channels/${id}/deliveries${query}`)).expect(200)).body.deliveries;
    const all = await list('');
    expect(all).toMatchObject([
      { check: 'Backup', status: 'up', attempt: 1, settledAt: '2026-01-01T12:00:00+00:00' },
      { check: 'Backup', status: 'down' },
    ]);
    expect(await list(`?before=${all[0].id}`)).toEqual([all[1]]);
    await reader.get(at('/channels/nothing/deliveries')).expect(404);
  });

  test('counts the checks and integrations of projects, with the last change of a state', async () => {
    const check = await make({ name: 'Backup' });
    const other = await make({});
    await ping(other, '/fail');
    await owner.send('post', at(`/v3/checks/${other.uuid}/pause`)).expect(200);
    await owner.send('post', at(`/v3/checks/${other.uuid}/resume`)).expect(200);
    stage.app.clock.advance(60_000);
    await ping(check, '/fail');
    await newProject(owner);
    await owner.send('post', at('/channels'), webhook()).expect(201);
    const { projects } = (await owner.get('/projects?include=counts').expect(200)).body;
    expect(projects).toMatchObject([
      {
        ...{ name: 'Jobs', counts: { down: 1, new: 1, up: 0 }, channels: 1, failingChannels: 0 },
        lastFlipAt: '2026-01-01T12:01:00+00:00',
      },
      { counts: { down: 0, new: 0 } },
    ]);
    expect(projects[1]).not.toHaveProperty('lastFlipAt');
    expect((await owner.get('/projects').expect(200)).body.projects[0]).not.toHaveProperty('counts');
  });
});

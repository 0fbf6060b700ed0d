import { expect, test } from 'vitest';
import { insertTestChannel } from '../support/factories.js';
import { describeMonitor } from '../support/suite.js';

describeMonitor('update a check', (stage) => {
  test('changes only the given members', async () => {
    const made = await stage.ada.check({ name: 'a', desc: 'text', timeout: 600 });
    const { body } = await stage.ada.post(`/checks/${made.uuid}/`, { name: 'b' }).expect(200);
    expect(body).toEqual({ ...made, name: 'b' });
    expect((await stage.ada.get(`/checks/${made.uuid}`)).body).toEqual(body);
  });

  test('an empty body changes nothing', async () => {
    const made = await stage.ada.check({ name: 'a' });
    expect((await stage.ada.post(`/checks/${made.uuid}`, '').expect(200)).body).toEqual(made);
  });

  test('channels are replaced, unchanged, or removed', async () => {
    const { projectId } = stage.ada.keys;
    const [ops, dev] = [
      await insertTestChannel(stage.app, projectId, 'ops'),
      await insertTestChannel(stage.app, projectId, 'dev'),
    ];
    const { uuid } = await stage.ada.check({ channels: ops });
    const channelsAfter = async (body: object) =>
      (await stage.ada.post(`/checks/${uuid}`, body).expect(200)).body.channels;
    expect(await channelsAfter({ name: 'x' })).toBe(ops);
    expect(await channelsAfter({ channels: dev })).toBe(dev);
    expect(await channelsAfter({ channels: '' })).toBe('');
  });

  test('an unknown channel changes nothing', async () => {
    const made = await stage.ada.check({ name: 'a' });
    await stage.ada.post(`/checks/${made.uuid}`, { name: 'b', channels: 'unknown' }).expect(400);
    expect((await stage.ada.get(`/checks/${made.uuid}`)).body).toEqual(made);
  });

  test('changes from period to schedule and back', async () => {
    const { uuid } = await stage.ada.check({ timeout: 600 });
    const cron = await stage.ada.post(`/checks/${uuid}`, { schedule: '* * * * *', timeout: 900 });
    expect(cron.body).toMatchObject({ schedule: '* * * * *', tz: 'UTC' });
    const unchanged = await stage.ada.post(`/checks/${uuid}`, { tz: 'Europe/Riga' });
    expect(unchanged.body).toMatchObject({ schedule: '* * * * *', tz: 'Europe/Riga' });
    const simple = await stage.ada.post(`/checks/${uuid}`, { timeout: 60 });
    expect(simple.body).toHaveProperty('timeout', 60);
    expect(simple.body).not.toHaveProperty('schedule');
  });

  test('a shorter period shows at once that the check is down', async () => {
    const made = await stage.ada.check({ timeout: 3600, grace: 60 });
    await stage.ada.ping(made);
    stage.app.clock.advance(1_800_000);
    const { body } = await stage.ada.post(`/checks/${made.uuid}`, { timeout: 60 }).expect(200);
    expect(body.status).toBe('down');
    await stage.app.tick();
    const flips = (await stage.ada.get(`/checks/${made.uuid}/flips/`)).body;
    expect(flips[0]).toEqual({ timestamp: '2026-01-01T12:02:00+00:00', up: 0 });
  });

  test('the deprecated pair sets keywords and the subject filter', async () => {
    const { uuid } = await stage.ada.check({ subject: 'done', subject_fail: 'error' });
    const { body } = await stage.ada.get(`/checks/${uuid}`);
    expect(body).toMatchObject({
      success_kw: 'done',
      failure_kw: 'error',
      filter_subject: true,
      subject: 'done',
    });
  });
});

describeMonitor('pause and resume', (stage) => {
  test('a pause stops the clock and is recorded', async () => {
    const made = await stage.ada.check({ timeout: 60, grace: 60 });
    await stage.ada.ping(made);
    const { body } = await stage.ada.post(`/checks/${made.uuid}/pause`, '').expect(200);
    expect(body).toMatchObject({ status: 'paused', next_ping: null, last_ping: '2026-01-01T12:00:00+00:00' });
    await stage.ada.post(`/checks/${made.uuid}/pause`).expect(200);
    stage.app.clock.advance(3_600_000);
    await stage.app.tick();
    expect((await stage.ada.get(`/checks/${made.uuid}`)).body.status).toBe('paused');
    const flips = (await stage.ada.get(`/checks/${made.uuid}/flips/`)).body;
    expect(flips.map(({ up }: { up: number }) => up)).toEqual([0, 1]);
  });

  test('a resume makes it new', async () => {
    const made = await stage.ada.check();
    await stage.ada.ping(made);
    await stage.ada.post(`/checks/${made.uuid}/pause`);
    const { body } = await stage.ada.post(`/checks/${made.uuid}/resume`, '').expect(200);
    expect(body).toMatchObject({ status: 'new', last_ping: null, n_pings: 1 });
  });

  test('a check that is not paused cannot be resumed', async () => {
    const { uuid } = await stage.ada.check();
    await stage.ada.post(`/checks/${uuid}/resume`).expect(409, { error: 'check is not paused' });
  });

  test("another project's check is unchanged", async () => {
    const { uuid } = await stage.ada.check();
    await stage.ben.post(`/checks/${uuid}/pause`).expect(403);
    await stage.ben.post(`/checks/${uuid}/resume`).expect(403);
    expect((await stage.ada.get(`/checks/${uuid}`)).body.status).toBe('new');
  });

  test('a ping ends a pause unless manual resume is set', async () => {
    const waiting = await stage.ada.check({ manual_resume: true });
    const ended = await stage.ada.check();
    for (const made of [waiting, ended]) {
      await stage.ada.post(`/checks/${made.uuid}/pause`);
      await stage.ada.ping(made);
    }
    expect((await stage.ada.get(`/checks/${waiting.uuid}`)).body).toMatchObject({
      status: 'paused',
      n_pings: 1,
    });
    expect((await stage.ada.get(`/checks/${ended.uuid}`)).body).toMatchObject({ status: 'up', n_pings: 1 });
  });
});

describeMonitor('delete a check', (stage) => {
  test('of several deletions at once, one succeeds and the others find nothing', async () => {
    const check = await stage.ada.check();
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => stage.ada.delete(`/checks/${check.uuid}`)),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404, 404, 404, 404, 404]);
    await stage.ada.check();
    expect((await stage.ada.get('/checks/').expect(200)).body.checks).toHaveLength(1);
  });

  test('returns the check as it was, without channels, and deletes all its data', async () => {
    await insertTestChannel(stage.app, stage.ada.keys.projectId, 'ops');
    const made = await stage.ada.check({ channels: '*' });
    await stage.ada.ping(made);
    const { body } = await stage.ada.delete(`/checks/${made.uuid}`).expect(200);
    expect(body).toMatchObject({ uuid: made.uuid, status: 'up', channels: '' });
    await stage.ada.delete(`/checks/${made.uuid}`).expect(404);
    await stage.ada.get(`/checks/${made.uuid}/pings/`).expect(404);
    await stage.app.http.get(`/ping/${made.uuid}`).expect(404, 'not found');
  });

  test("another project's check stays", async () => {
    const { uuid } = await stage.ada.check();
    await stage.ben.delete(`/checks/${uuid}`).expect(403);
    await stage.ada.get(`/checks/${uuid}`).expect(200);
  });
});

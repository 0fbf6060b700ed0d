import { expect, test } from 'vitest';
import { began } from '../support/app.js';
import { newPerson, newProject } from '../support/browser.js';
import { insertTestChannel } from '../support/factories.js';
import { describeMonitor } from '../support/suite.js';

describeMonitor('create a check', (stage) => {
  test('returns 201 with the check as a read-write key sees it', async () => {
    const { body } = await stage.ada
      .post('/checks/', { name: 'Backup', tags: 'prod db', timeout: 600 })
      .expect(201);
    expect(body).toMatchObject({
      name: 'Backup',
      slug: '',
      tags: 'prod db',
      status: 'new',
      timeout: 600,
      grace: 3600,
      n_pings: 0,
      last_ping: null,
      channels: '',
    });
    expect(body.ping_url).toBe(`https://monitor.example/ping/${body.uuid}`);
  });

  test('an empty body creates a check with the defaults', async () => {
    const { body } = await stage.ada.post('/checks/', '').expect(201);
    expect(body).toMatchObject({ name: '', timeout: 86_400, grace: 3600, desc: '', methods: '' });
  });

  test('a schedule creates a cron check without a period', async () => {
    const body = await stage.ada.check({ schedule: ' 5 4 * * *', tz: 'Europe/Kiev', timeout: 60 });
    expect(body).toMatchObject({ schedule: ' 5 4 * * *', tz: 'Europe/Kyiv' });
    expect(body).not.toHaveProperty('timeout');
  });

  test('the key is accepted in the body, for any content type', async () => {
    const key = stage.ada.keys.readWriteKey;
    const sent = stage.app.http
      .post('/api/v3/checks/')
      .set('Content-Type', 'application/x-www-form-urlencoded');
    await sent.send(JSON.stringify({ api_key: key, name: 'x' })).expect(201);
  });

  test('the body is read unchanged, for any Content-Encoding', async () => {
    const post = (body: string) =>
      stage.ada.post('/checks/', body).set('Content-Encoding', 'gzip').type('application/gzip');
    await post('{"name":"plain"}').expect(201);
    await post('\u001f').expect(400, { error: 'could not parse request body' });
  });

  test('the error names the first invalid parameter', async () => {
    const { body } = await stage.ada.post('/checks/', { tz: 'x', grace: 59 }).expect(400);
    expect(body).toEqual({ error: 'json validation error: grace is too small' });
  });

  test('an integer written with a fraction is rejected', async () => {
    const { body } = await stage.ada.post('/checks/', '{"timeout": 60.0}').expect(400);
    expect(body.error).toBe('json validation error: timeout is not a number');
  });

  test('channels are assigned by star, name and uuid', async () => {
    const { projectId } = stage.ada.keys;
    const ops = await insertTestChannel(stage.app, projectId, 'ops');
    const dev = await insertTestChannel(stage.app, projectId, 'dev');
    const both = [ops, dev].sort().join(',');
    expect((await stage.ada.check({ channels: '*' })).channels).toBe(both);
    expect((await stage.ada.check({ channels: `ops,${dev}` })).channels).toBe(both);
    expect((await stage.ada.check({})).channels).toBe('');
  });

  test('an unknown channel creates no check', async () => {
    const { body } = await stage.ada.post('/checks/', { channels: 'unknown' }).expect(400);
    expect(body).toEqual({ error: 'invalid channel identifier: unknown' });
    expect((await stage.ada.get('/checks/').expect(200)).body.checks).toEqual([]);
  });

  test("another project's channel cannot be assigned", async () => {
    const foreign = await insertTestChannel(stage.app, stage.ben.keys.projectId, 'theirs');
    await stage.ada.post('/checks/', { channels: foreign }).expect(400);
  });

  test('versions 1 and 2 derive the slug from the name, version 3 does not', async () => {
    const slugs = [];
    for (const version of [1, 2, 3]) {
      const { body } = await stage.ada.post(`/api/v${version}/checks/`, { name: 'My Job' }).expect(201);
      expect(body.update_url).toContain(`/api/v${version}/checks/`);
      slugs.push(body.slug);
    }
    expect(slugs).toEqual(['my-job', 'my-job', '']);
  });

  test('rejects a body of more than 2.5 MB', async () => {
    const { body } = await stage.ada.post('/checks/', { desc: 'x'.repeat(2_700_000) }).expect(400);
    expect(body.error).toContain('larger than');
  });
});

describeMonitor('upsert a check', (stage) => {
  test('a matching check is updated, and returns 200', async () => {
    const made = await stage.ada.check({ name: 'a', slug: 'job' });
    const sent = { name: 'b', slug: 'job', unique: ['slug'] };
    const { body } = await stage.ada.post('/checks/', sent).expect(200);
    expect(body).toMatchObject({ uuid: made.uuid, name: 'b' });
  });

  test('all listed fields must match, to the letter', async () => {
    await stage.ada.check({ name: 'a', tags: 'x y' });
    await stage.ada.post('/checks/', { name: 'a', tags: 'y x', unique: ['name', 'tags'] }).expect(201);
    await stage.ada.post('/checks/', { name: 'A', unique: ['name'] }).expect(201);
    await stage.ada.post('/checks/', { name: 'a', unique: ['name', 'slug'] }).expect(201);
  });

  test('of several matches the oldest is updated', async () => {
    const oldest = await stage.ada.check({ name: 'twin' });
    await stage.ada.check({ name: 'twin' });
    const { body } = await stage.ada
      .post('/checks/', { name: 'twin', desc: 'x', unique: ['name'] })
      .expect(200);
    expect(body.uuid).toBe(oldest.uuid);
  });

  test("another project's check does not match", async () => {
    await stage.ben.check({ name: 'theirs' });
    await stage.ada.post('/checks/', { name: 'theirs', unique: ['name'] }).expect(201);
  });

  test('many concurrent requests create one check', async () => {
    const sent = Array.from({ length: 20 }, () =>
      stage.ada.post('/checks/', { slug: 'once', unique: ['slug'] }),
    );
    const answers = await Promise.all(sent);
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array(19).fill(200), 201]);
    expect(new Set(answers.map(({ body }) => body.uuid)).size).toBe(1);
  });
});

describeMonitor('check limit', (stage) => {
  test('is that of the account, after checks are created and deleted', async () => {
    const carl = await stage.app.newProject({ checkLimit: 2 });
    const first = await carl.check({ name: 'a' });
    await carl.check();
    const { body } = await carl.post('/checks/', { channels: 'unknown' }).expect(403);
    expect(body.error).toContain('limit of 2 checks');
    await carl.post('/checks/', { name: 'a', unique: ['name'] }).expect(200);
    await carl.delete(`/checks/${first.uuid}`).expect(200);
    await carl.check();
  });

  test('applies to concurrent requests', async () => {
    const carl = await stage.app.newProject({ checkLimit: 3 });
    const answers = await Promise.all(Array.from({ length: 10 }, () => carl.post('/checks/')));
    expect(answers.filter(({ status }) => status === 201).length).toBe(3);
    expect((await carl.get('/checks/')).body.checks.length).toBe(3);
  });

  test('is the default for an account without a limit', async () => {
    const person = await newPerson(stage);
    const path = `/projects/${await newProject(person)}/v3/checks/`;
    for (let count = 0; count < 20; count += 1) await person.send('post', path, {}).expect(201);
    await person.send('post', path, {}).expect(403);
  });

  test('a check that was pinged elsewhere goes down at the same time as there', async () => {
    const pinged = new Date(began.getTime() - 50 * 60_000).toISOString();
    const check = await stage.ada.check({ timeout: 3600, grace: 60, import_last_ping: pinged });
    expect(check).toMatchObject({ status: 'up', n_pings: 0, last_ping: '2026-01-01T11:10:00+00:00' });
    stage.app.clock.advance(11 * 60_000 + 1000);
    await stage.app.tick();
    expect((await stage.ada.get(`/checks/${check.uuid}`)).body.status).toBe('down');
    const { body } = await stage.ada.get(`/checks/${check.uuid}/flips/`);
    expect(body).toEqual([{ timestamp: '2026-01-01T12:11:00+00:00', up: 0 }]);
  });

  test('a last ping in the future counts as now, and an existing check ignores it', async () => {
    const unique = { name: 'one', unique: ['name'] };
    const check = await stage.ada.check({ ...unique, import_last_ping: '2030-01-01T00:00:00Z' });
    expect(check.last_ping).toBe('2026-01-01T12:00:00+00:00');
    const again = { ...unique, import_last_ping: '2020-01-01T00:00:00Z' };
    expect((await stage.ada.post('/checks/', again).expect(200)).body.last_ping).toBe(check.last_ping);
  });
});

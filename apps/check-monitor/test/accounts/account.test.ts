import { beforeEach, expect, test } from 'vitest';
import { createUser } from '../../src/projects/create-user.service.js';
import { Browser, newPerson, newProject, origin, password } from '../support/browser.js';
import { insertTestChannel } from '../support/factories.js';
import { describeMonitor } from '../support/suite.js';

describeMonitor('account', (stage) => {
  let ada: Browser;
  let ben: Browser;

  beforeEach(async () => {
    ada = await newPerson(stage);
    ben = await newPerson(stage);
  });

  test('a user signs in, is recognised, and signs out', async () => {
    const answer = await ada.login().expect(200);
    const flags = 'Path=/; HttpOnly; SameSite=Strict; Secure';
    expect(answer.headers['set-cookie']).toEqual([
      expect.stringMatching(`^__Host-monitor_session=[\\w-]{43}; ${flags}$`),
    ]);
    expect(answer.headers['access-control-allow-origin']).toBeUndefined();
    expect((await ada.get('/me').expect(200)).body).toEqual({
      user: { id: expect.any(String), email: ada.email },
      csrfToken: ada.csrfToken,
      session: { idleEndsAt: '2026-01-01T12:30:00+00:00', endsAt: '2026-01-02T00:00:00+00:00' },
    });
    await ada
      .get('/limits')
      .expect(200, { checks: 0, checkLimit: 20, projects: 0, projectLimit: 5, pingLimit: 50 });
    await ada.send('post', '/logout').expect(204);
    await ada.get('/me').expect(401);
  });

  test('a session ends after 30 minutes without user activity, even with background requests', async () => {
    const poll = () => ada.get('/me').set('X-Activity', 'background');
    const pollAfter = async (minutes: number, idleEnd: string) => {
      stage.app.clock.advance(minutes * 60_000);
      expect((await poll().expect(200)).body.session.idleEndsAt).toBe(`2026-01-01T${idleEnd}:00+00:00`);
    };
    await pollAfter(10, '12:30');
    await pollAfter(10, '12:30');
    await ada.get('/limits').expect(200);
    await pollAfter(10, '12:50');
    await pollAfter(19, '12:50');
    stage.app.clock.advance(60_000);
    await poll().expect(401);
    await ada.get('/me').expect(401);
  });

  test('the state of the service says whether sign-in is possible', async () => {
    const state = async () => (await stage.app.http.get('/api/account/state').expect(200)).body;
    expect(await state()).toEqual({ siteName: 'Monitor', canSignIn: true, mail: false });
    await stage.app.database.transaction((tx) => tx.query('delete from passwords'));
    expect((await state()).canSignIn).toBe(false);
  });

  test('a wrong password, a wrong address and a user without a password get the same response', async () => {
    await createUser(stage.app.accounts, {
      email: `w-${ada.email}`,
      checkLimit: null,
      pingLimit: null,
    });
    const refusal = { error: 'e-mail address or password is wrong' };
    await ada.login('wrong').expect(401, refusal);
    await new Browser(stage, 'stranger@example.org').login().expect(401, refusal);
    await new Browser(stage, `w-${ada.email}`).login().expect(401, refusal);
  });

  test.each(['\0', 'a@b\0.example', 'a@b\ud800.example'])('%j is not a user', async (email) => {
    await new Browser(stage, email).login().expect(401);
  });

  test('rejects text that cannot be stored', async () => {
    await ada.signIn();
    const id = await newProject(ada);
    const hook = { kind: 'slack', name: 'Ops', settings: { url: 'https://a.example/' } };
    for (const odd of ['a\0b', 'a\ud800b']) {
      await ada.send('post', '/projects', { name: odd }).expect(400);
      await ada.send('put', `/projects/${id}`, { name: odd }).expect(400);
      const member = { email: `${odd}@example.org`, role: 'member' };
      await ada.send('post', `/projects/${id}/members`, member).expect(400);
      await ada.send('post', `/projects/${id}/channels`, { ...hook, name: odd }).expect(400);
      const settings = { url: `https://a.example/${odd}` };
      await ada.send('post', `/projects/${id}/channels`, { ...hook, settings }).expect(400);
    }
  });

  test('repeated failures delay sign-in', async () => {
    for (let count = 0; count < 10; count += 1) await ada.login('wrong').expect(401);
    const answer = await ada.login().expect(429);
    expect(answer.headers['retry-after']).toBe('15');
    stage.app.clock.advance(16_000);
    await ada.login().expect(200);
  });

  test('a session ends when it is idle, and after 12 hours', async () => {
    stage.app.clock.advance(29 * 60_000);
    await ada.get('/me').expect(200);
    stage.app.clock.advance(29 * 60_000);
    await ada.get('/me').expect(200);
    stage.app.clock.advance(30 * 60_000);
    await ada.get('/me').expect(401);
    const long = await ben.signIn();
    for (let count = 0; count < 36; count += 1) {
      await long.get('/me').expect(200);
      stage.app.clock.advance(20 * 60_000);
    }
    await long.get('/me').expect(401);
  });

  test('a change requires the CSRF token and a page of this service', async () => {
    const forged = () =>
      stage.app.http.post('/api/account/projects').set('Cookie', ada.cookie).send({ name: 'x' });
    await forged().set('Sec-Fetch-Site', 'same-origin').expect(403);
    await forged().set('X-CSRF-Token', ada.csrfToken).expect(403);
    await forged().set('X-CSRF-Token', ada.csrfToken).set('Sec-Fetch-Site', 'same-site').expect(403);
    await forged().set('X-CSRF-Token', ben.csrfToken).set('Origin', origin).expect(403);
    await forged().set('X-CSRF-Token', ada.csrfToken).set('Origin', origin).expect(201);
    await ada.login().set('Origin', 'https://elsewhere.example').expect(403);
    await stage.app.http.options('/api/account/projects').expect(405);
  });

  test('a new password ends all sessions', async () => {
    const again = await new Browser(stage, ada.email).signIn();
    const change = (newPassword: string, currentPassword = password) =>
      ada.send('post', '/password', { currentPassword, newPassword });
    await change('another password', 'wrong').expect(403);
    await change('short').expect(400, { error: 'newPassword: must have at least 8 characters' });
    await change(ada.email).expect(400);
    await change('Password123').expect(400);
    await change('another password').expect(204);
    await again.get('/me').expect(401);
    await ada.login().expect(401);
    await ada.login('another password').expect(200);
  });

  test('a project is created, renamed and deleted by its owner, and no one else sees it', async () => {
    const id = await newProject(ada);
    const project = { id, name: 'Jobs', role: 'owner', keys: [] };
    await ada.get('/projects').expect(200, { projects: [project] });
    await ben.get('/projects').expect(200, { projects: [] });
    await ben.get(`/projects/${id}`).expect(404);
    await ben.send('delete', `/projects/${id}`).expect(404);
    await ada.send('put', `/projects/${id}`, { name: ' ' }).expect(400);
    await ada.send('put', `/projects/${id}`, { name: 'Cron' }).expect(200, { ...project, name: 'Cron' });
    await ada.send('delete', `/projects/${id}`).expect(204);
    await ada.get(`/projects/${id}`).expect(404);
    await ada.get('/projects/nothing').expect(404);
  });

  test('a key is shown once and works until it is revoked; a deleted project frees its checks', async () => {
    const id = await newProject(ada);
    const { key } = (await ada.send('post', `/projects/${id}/keys/read-write`).expect(201)).body;
    await stage.app.http.post('/api/v3/checks/').set('X-Api-Key', key).expect(201);
    expect((await ada.get('/limits')).body.checks).toBe(1);
    await ada.send('post', `/projects/${id}/keys/ping`).expect(201);
    expect((await ada.get(`/projects/${id}`)).body.keys).toEqual(['read-write', 'ping']);
    await ada.send('delete', `/projects/${id}/keys/read-write`).expect(204);
    await ada.send('delete', `/projects/${id}/keys/ping`).expect(204);
    await stage.app.http.get('/api/v3/checks/').set('X-Api-Key', key).expect(401);
    expect((await ada.get(`/projects/${id}`)).body.keys).toEqual([]);
    await ada.send('post', `/projects/${id}/keys/admin`).expect(404);
    await ada.send('delete', `/projects/${id}`).expect(204);
    expect((await ada.get('/limits')).body.checks).toBe(0);
  });

  test('a list of projects names the keys that each has', async () => {
    const ids = [await newProject(ada), await newProject(ada), await newProject(ada)];
    for (const kind of ['read-only', 'read-write']) {
      await ada.send('post', `/projects/${ids[0]}/keys/${kind}`).expect(201);
    }
    await ada.send('post', `/projects/${ids[2]}/keys/read-only`).expect(201);
    const { projects } = (await ada.get('/projects').expect(200)).body;
    const keysOf = (id: string) => projects.find((project: { id: string }) => project.id === id).keys;
    expect(ids.map(keysOf)).toEqual([['read-write', 'read-only'], [], ['read-only']]);
  });

  test('keys requested concurrently replace each other', async () => {
    const project = await newProject(ada);
    const issue = () => ada.send('post', `/projects/${project}/keys/read-write`).expect(201);
    const answers = await Promise.all(Array.from({ length: 8 }, issue));
    const tried = await Promise.all(
      answers.map(({ body }) => stage.app.http.get('/api/v3/checks/').set('X-Api-Key', body.key)),
    );
    expect(tried.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  test('the ids in a path are accepted in any case', async () => {
    const project = (await newProject(ada)).toUpperCase();
    const { key } = (await ada.send('post', `/projects/${project}/keys/read-write`).expect(201)).body;
    await stage.app.http.get('/api/v3/checks/').set('X-Api-Key', key).expect(200);
    const hook = { kind: 'webhook', name: 'hook', settings: { down: { url: 'https://hook.example/' } } };
    const { id } = (await ada.send('post', `/projects/${project}/channels`, hook).expect(201)).body;
    await ada.send('delete', `/projects/${project}/channels/${id.toUpperCase()}`).expect(204);
    expect((await ada.get(`/projects/${project}/channels`).expect(200)).body.channels).toEqual([]);
  });

  test('a new integration is assigned to all checks of the project, unless assign is false', async () => {
    const project = await newProject(ada);
    const { key } = (await ada.send('post', `/projects/${project}/keys/read-write`).expect(201)).body;
    const checks = (method: 'get' | 'post') =>
      stage.app.http[method]('/api/v3/checks/').set('X-Api-Key', key);
    await checks('post').send({ name: 'there before' }).expect(201);
    const add = (body: object) =>
      ada.send('post', `/projects/${project}/channels`, {
        kind: 'webhook',
        name: 'hook',
        settings: { down: { url: 'https://hook.example/' } },
        ...body,
      });
    const { id } = (await add({}).expect(201)).body;
    await add({ assign: false }).expect(201);
    expect((await checks('get')).body.checks).toMatchObject([{ name: 'there before', channels: id }]);
    expect((await add({ assign: 'no' }).expect(400)).body.error).toContain('assign');
  });

  test('requests during the deletion of a project or a channel succeed or are rejected', async () => {
    const project = await newProject(ada);
    const { key } = (await ada.send('post', `/projects/${project}/keys/read-write`)).body;
    const pingKey = (await ada.send('post', `/projects/${project}/keys/ping`)).body.key;
    const hook = { kind: 'webhook', name: 'hook', settings: { down: { url: 'https://hook.example/' } } };
    const { id } = (await ada.send('post', `/projects/${project}/channels`, hook)).body;
    const create = () => stage.app.http.post('/api/v3/checks/').set('X-Api-Key', key).send({ channels: '*' });
    const rounds = [0, 1, 2, 3].flatMap((round) => [
      create(),
      create(),
      ...(round === 1 ? [ada.send('delete', `/projects/${project}/channels/${id}`)] : []),
      stage.app.http.get(`/ping/${pingKey}/job-${round}?create=1`),
      ...(round === 2 ? [ada.send('delete', `/projects/${project}`)] : []),
      ada.send('post', `/projects/${project}/keys/read-only`),
      ada.send('post', `/projects/${project}/channels`, hook),
      ada.send('post', `/projects/${project}/members`, { email: ben.email, role: 'member' }),
    ]);
    const statuses = (await Promise.all(rounds)).map(({ status }) => status);
    expect(statuses.filter((status) => status >= 500)).toEqual([]);
    expect((await ada.get('/limits')).body.checks).toBe(0);
  });

  test('members have the permissions of their role', async () => {
    const id = await newProject(ada);
    const join = (role: string, email = ben.email) =>
      ada.send('post', `/projects/${id}/members`, { email, role });
    await join('read-only').expect(200);
    expect((await ben.get(`/projects/${id}`).expect(200)).body.role).toBe('read-only');
    await ben.get(`/projects/${id}/channels`).expect(200, { channels: [] });
    const url = 'https://8.8.8.8/hook-with-a-token';
    const hook = { kind: 'webhook', name: 'ops', settings: { down: { url, method: 'POST', body: 'b' } } };
    await ada.send('post', `/projects/${id}/channels`, hook).expect(201);
    const settingsFor = async (person: Browser) =>
      (await person.get(`/projects/${id}/channels`).expect(200)).body.channels[0].settings;
    expect(await settingsFor(ada)).toMatchObject({ down: { url, body: 'b' } });
    expect(await settingsFor(ben)).toEqual({});
    await ben.send('post', `/projects/${id}/keys/ping`).expect(403);
    await ben.send('post', `/projects/${id}/members`, { email: ben.email, role: 'member' }).expect(403);
    await join('member').expect(200);
    await ben.send('post', `/projects/${id}/keys/ping`).expect(201);
    await ben.send('put', `/projects/${id}`, { name: 'mine' }).expect(403);
    const { members } = (await ben.get(`/projects/${id}/members`).expect(200)).body;
    expect(members.map(({ role }: { role: string }) => role)).toEqual(['owner', 'member']);
    await ben.send('delete', `/projects/${id}/members/${members[0].id}`).expect(403);
    await ben.send('delete', `/projects/${id}/members/${members[1].id}`).expect(204);
    await ben.get(`/projects/${id}`).expect(404);
    await ada.send('delete', `/projects/${id}/members/${members[1].id}`).expect(404);
    await join('member', ada.email).expect(400);
    await join('member', 'stranger@example.org').expect(400);
    await join('owner').expect(400);
  });

  test('a channel is created, returned without its secrets, edited, tested and deleted', async () => {
    const id = await newProject(ada);
    const base = `/projects/${id}/channels`;
    const settings = { url: 'http://127.0.0.1:2/', topic: 'jobs', token: 'secret-token' };
    const made = (await ada.send('post', base, { kind: 'ntfy', name: 'ops', settings }).expect(201)).body;
    expect(made).toMatchObject({ kind: 'ntfy', name: 'ops', verified: true, disabled: false });
    expect(JSON.stringify(made)).not.toContain('secret-token');
    const path = `${base}/${made.id}`;
    expect((await ada.send('put', path, { name: 'night' }).expect(200)).body.name).toBe('night');
    const { ok, error } = (await ada.send('post', `${path}/test`).expect(200)).body;
    expect({ ok, error }).toEqual({ ok: false, error: expect.stringMatching(/./) });
    await ada.send('post', base, { kind: 'pigeon', name: 'x', settings: {} }).expect(400);
    await ada.send('post', base, { kind: 'ntfy', name: 'x', settings: {} }).expect(400);
    const foreign = await insertTestChannel(stage.app, stage.ada.keys.projectId, 'foreign');
    await ada.send('delete', `${base}/${foreign}`).expect(404);
    await ada.send('delete', `${base}/nothing`).expect(404);
    await ada.send('delete', path).expect(204);
    await ada.get(base).expect(200, { channels: [] });
  });

  test('a mail address is verified without a mail only if it is that of the account', async () => {
    const base = `/projects/${await newProject(ada)}/channels`;
    const add = async (settings: object) =>
      (await ada.send('post', base, { kind: 'email', name: 'Ada', settings }).expect(201)).body;
    const own = await add({ address: ` ${ada.email} ` });
    expect(own).toMatchObject({ verified: true, settings: { address: ada.email } });
    const other = await add({ address: ben.email });
    expect(other.verified).toBe(false);
    const edit = async (id: string, address: string) =>
      (await ada.send('put', `${base}/${id}`, { settings: { address } }).expect(200)).body.verified;
    expect(await edit(own.id, ben.email)).toBe(false);
    expect(await edit(own.id, ben.email)).toBe(false);
    expect(await edit(other.id, ada.email)).toBe(true);
    expect(await edit(other.id, ada.email)).toBe(true);
  });

  test('a user creates projects up to a limit, also concurrently, and again after one is deleted', async () => {
    const make = () => ada.send('post', '/projects', { name: 'Jobs' });
    const statuses = (await Promise.all(Array.from({ length: 8 }, make))).map(({ status }) => status);
    expect(statuses.filter((status) => status === 201)).toHaveLength(5);
    const { body } = await make().expect(403);
    expect(body.error).toContain('limit of 5 projects');
    expect((await ada.get('/limits')).body).toMatchObject({ projects: 5, projectLimit: 5 });
    const [first] = (await ada.get('/projects')).body.projects;
    await ada.send('delete', `/projects/${first.id}`).expect(204);
    await make().expect(201);
    await newProject(ben);
  });

  test('the owners of accounts cannot be enumerated from a list of addresses', async () => {
    const id = await newProject(ada);
    const add = (email: string) => ada.send('post', `/projects/${id}/members`, { email, role: 'member' });
    for (let count = 0; count < 20; count += 1) {
      await add(ben.email).expect(200);
      await add(`stranger${count}@example.org`).expect(400);
    }
    const refused = await add(ben.email).expect(429);
    expect(refused.headers['retry-after']).toBe('3600');
    await add('stranger@example.org').expect(429);
    for (let count = 0; count < 3; count += 1) {
      await ada.get('/me').expect(200);
      stage.app.clock.advance(1_200_000);
    }
    await add(ben.email).expect(200);
  });
});

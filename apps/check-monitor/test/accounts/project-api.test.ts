import { checkMonitorContract } from '@certloop/contracts';
import { beforeEach, expect, test } from 'vitest';
import { type Browser, newPerson, newProject, origin } from '../support/browser.js';
import { describeMonitor } from '../support/suite.js';

describeMonitor('the management API of a project by session', (stage) => {
  let owner: Browser;
  let reader: Browser;
  let stranger: Browser;
  let project: string;

  beforeEach(async () => {
    [owner, reader, stranger] = [await newPerson(stage), await newPerson(stage), await newPerson(stage)];
    project = await newProject(owner);
    const member = { email: reader.email, role: 'read-only' };
    await owner.send('post', `/projects/${project}/members`, member).expect(200);
  });

  const at = (rest: string) => `/projects/${project}/v3${rest}`;

  test('creates, changes, pauses, resumes and deletes a check, as a read-write key does', async () => {
    const made = await owner.send('post', at('/checks/'), { name: 'Backup', timeout: 120 }).expect(201);
    expect(made.body).toMatchObject({ name: 'Backup', timeout: 120, status: 'new' });
    const here = at(`/checks/${made.body.uuid}`);
    const changed = await owner.send('post', here, { grace: 600 }).expect(200);
    expect(changed.body).toMatchObject({ name: 'Backup', grace: 600 });
    expect((await owner.send('post', `${here}/pause`).expect(200)).body.status).toBe('paused');
    expect((await owner.send('post', `${here}/resume`).expect(200)).body.status).toBe('new');
    expect((await owner.get(at('/checks/')).expect(200)).body.checks).toHaveLength(1);
    expect((await owner.get(`${here}/pings/`).expect(200)).body).toEqual({ pings: [] });
    await owner.send('delete', here).expect(200);
    expect((await owner.get(at('/checks/')).expect(200)).body).toEqual({ checks: [] });
  });

  test('responds as for the key of the project, without CORS headers', async () => {
    const key = (await owner.send('post', `/projects/${project}/keys/read-write`).expect(201)).body.key;
    await owner.send('post', at('/checks/'), { name: 'Backup' }).expect(201);
    const byKey = await stage.app.http.get('/api/v3/checks/').set('X-Api-Key', key).expect(200);
    const bySession = await owner.get(at('/checks/')).set('Origin', 'https://elsewhere.example').expect(200);
    expect(bySession.body).toEqual(byKey.body);
    expect(byKey.headers['access-control-allow-origin']).toBe('*');
    expect(Object.keys(bySession.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
    expect(bySession.headers['cache-control']).toBe('no-store');
  });

  test('rejects with the messages of the API by key', async () => {
    const refused = async (body: object | string, message: RegExp) => {
      const request = owner.send('post', at('/checks/'));
      const { error } = (await request.send(body).expect(400)).body;
      expect(error).toMatch(message);
    };
    await refused({ timeout: 1 }, /timeout is too small/);
    await refused({ tz: 'Mars/Base' }, /tz is not a valid timezone/);
    await owner.get(at('/checks/nothing')).expect(404);
    await owner.get(at(`/checks/${'0'.repeat(40)}`)).expect(404);
    await owner.get(at('/nothing')).expect(404);
    await owner.send('put', at('/checks/')).expect(405);
  });

  test('requires the CSRF token and a page of this service for changes, for any key in the body', async () => {
    const key = (await owner.send('post', `/projects/${project}/keys/read-write`).expect(201)).body.key;
    const post = () =>
      stage.app.http
        .post(`/api/account${at('/checks/')}`)
        .set('Cookie', owner.cookie)
        .send({ name: 'Backup', api_key: key });
    await post().set('Origin', origin).expect(403);
    await post().set('X-CSRF-Token', owner.csrfToken).set('Origin', 'https://elsewhere.example').expect(403);
    await stage.app.http
      .post(`/api/account${at('/checks/')}`)
      .set('X-Api-Key', key)
      .send({})
      .expect(401);
    await post().set('X-CSRF-Token', owner.csrfToken).set('Origin', origin).expect(201);
  });

  test.each(Object.entries(checkMonitorContract))(
    '%s is allowed for members, and for readers if a read-only key is enough',
    async (name, { method, path }) => {
      const check = (await owner.send('post', at('/checks/'), { name: 'Backup' }).expect(201)).body;
      const channel = await owner
        .send('post', `/projects/${project}/channels`, { kind: 'webhook', name: '', settings })
        .expect(201);
      const id = path.startsWith('/channels') ? channel.body.id : check.uuid;
      const there = at(path.replace('{id}', id).replace('{n}', '1'));
      const call = (who: Browser) =>
        method === 'GET' ? who.get(there) : who.send(method.toLowerCase() as 'post' | 'delete', there);
      await call(stranger).expect(404);
      const isOpen = ['listChecks', 'getCheck', 'listFlips', 'listBadges', 'getOwnKey'].includes(name);
      await call(reader).expect(isOpen ? 200 : 403);
      await stage.app.http.get(`/api/account${at('/checks/')}`).expect(401);
    },
  );

  test('hides the UUID of a check from readers', async () => {
    const { uuid } = (await owner.send('post', at('/checks/'), { name: 'Backup' }).expect(201)).body;
    const { body } = await reader.get(at('/checks/')).expect(200);
    expect(body.checks).toMatchObject([{ name: 'Backup' }]);
    expect(JSON.stringify(body)).not.toContain(uuid);
  });
});

const settings = { down: { url: 'https://example.org/down' } };

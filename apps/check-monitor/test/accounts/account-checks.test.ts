import { accountChecksContract } from '@certloop/contracts';
import { beforeEach, expect, test } from 'vitest';
import { siteRoot } from '../support/app.js';
import { type Browser, newPerson, newProject } from '../support/browser.js';
import { describeMonitor } from '../support/suite.js';

describeMonitor('checks in an account', (stage) => {
  let owner: Browser;
  let member: Browser;
  let reader: Browser;
  let stranger: Browser;
  let project: string;
  let check: { uuid: string; unique_key: string };

  beforeEach(async () => {
    [owner, member, reader, stranger] = [
      await newPerson(stage),
      await newPerson(stage),
      await newPerson(stage),
      await newPerson(stage),
    ];
    project = await newProject(owner);
    for (const [{ email }, role] of [[member, 'member'] as const, [reader, 'read-only'] as const]) {
      await owner.send('post', `/projects/${project}/members`, { email, role }).expect(200);
    }
    const keyOf = async (kind: string) =>
      (await owner.send('post', `/projects/${project}/keys/${kind}`).expect(201)).body.key;
    const [readWrite, readOnly] = [await keyOf('read-write'), await keyOf('read-only')];
    const made = await stage.app.http
      .post('/api/v3/checks/')
      .set('X-Api-Key', readWrite)
      .send({ name: 'Backup', slug: 'backup', tags: 'prod db' })
      .expect(201);
    const listed = await stage.app.http.get('/api/v3/checks/').set('X-Api-Key', readOnly).expect(200);
    check = { uuid: made.body.uuid, unique_key: listed.body.checks[0].unique_key };
    await stage.app.http.post(`/ping/${check.uuid}`).type('text/plain').send('all done').expect(200);
    stage.app.clock.advance(60_000);
    await stage.app.http.get(`/ping/${check.uuid}/fail`).expect(200);
  });

  const at = (rest = '') => `/projects/${project}/checks${rest}`;

  test('a read-only member sees them without addresses that ping or change them, a member and the owner with these', async () => {
    const [seen] = (await reader.get(at()).expect(200)).body.checks;
    expect(seen).toMatchObject({ name: 'Backup', status: 'down', n_pings: 2, unique_key: check.unique_key });
    expect(JSON.stringify(seen)).not.toContain(check.uuid);
    for (const person of [member, owner]) {
      const [whole] = (await person.get(at()).expect(200)).body.checks;
      expect(whole).toMatchObject({ name: 'Backup', uuid: check.uuid });
      expect((await person.get(at(`/${check.uuid}`)).expect(200)).body).toEqual(whole);
    }
    expect((await reader.get(at(`/${check.unique_key}`)).expect(200)).body).toEqual(seen);
  });

  test('they are listed by slug and tags', async () => {
    const count = async (query: string) => (await reader.get(at(query)).expect(200)).body.checks.length;
    expect(await count('?slug=backup')).toBe(1);
    expect(await count('?slug=other')).toBe(0);
    expect(await count('?tag=prod&tag=db')).toBe(1);
    expect(await count('?tag=prod&tag=web')).toBe(0);
  });

  test('a read-only member reads pings, their bodies and flips by the unique key', async () => {
    const { pings } = (await reader.get(at(`/${check.unique_key}/pings`)).expect(200)).body;
    expect(pings).toMatchObject([
      { type: 'fail', n: 2, body_url: null },
      { type: 'success', n: 1 },
    ]);
    expect(JSON.stringify(pings)).not.toContain(check.uuid);
    const address = pings[1].body_url.slice(`${siteRoot}/api/account`.length);
    const body = await reader.get(address).expect(200);
    expect(body.headers['content-type']).toBe('text/plain');
    expect(body.text).toBe('all done');
    const { flips } = (await reader.get(at(`/${check.unique_key}/flips`)).expect(200)).body;
    expect(flips).toEqual([
      { timestamp: '2026-01-01T12:01:00+00:00', up: 0 },
      { timestamp: '2026-01-01T12:00:00+00:00', up: 1 },
    ]);
    expect(
      (await reader.get(at(`/${check.unique_key}/flips?seconds=30`)).expect(200)).body.flips,
    ).toHaveLength(1);
    await reader.get(at(`/${check.unique_key}/flips?start=soon`)).expect(400);
  });

  test.each(Object.entries(accountChecksContract))('%s requires a member', async (_name, endpoint) => {
    const { method, path } = endpoint;
    const filled = (id: string) =>
      path.replace('{projectId}', project).replace('{checkId}', id).replace('{n}', '1');
    // a body that each of them accepts
    const body = { projectId: project, ids: [check.uuid], action: 'pause' };
    const ask = (person: Browser, id: string) =>
      method === 'GET' ? person.get(filled(id)) : person.send('post', filled(id), body);
    await ask(reader, check.unique_key).expect(method === 'GET' ? 200 : 403);
    await ask(stranger, check.unique_key).expect(404);
    await ask(stranger, check.uuid).expect(404);
    const { http } = stage.app;
    const word = method === 'GET' ? 'get' : 'post';
    await http[word](`/api/account${filled(check.uuid)}`).expect(401);
    await owner.send('delete', `/projects/${project}`).expect(204);
    await ask(reader, check.unique_key).expect(404);
  });

  test('finds the project of a check by uuid or unique key, and the id that the caller may see', async () => {
    for (const id of [check.uuid, check.unique_key, check.uuid.toUpperCase()]) {
      expect((await owner.get(`/checks/${id}`).expect(200)).body).toEqual({
        projectId: project,
        id: check.uuid,
      });
      expect((await reader.get(`/checks/${id}`).expect(200)).body).toEqual({
        projectId: project,
        id: check.unique_key,
      });
      await stranger.get(`/checks/${id}`).expect(404);
    }
    for (const id of ['nothing', '-', '0'.repeat(40), '%00']) await owner.get(`/checks/${id}`).expect(404);
  });

  test('a check of another project returns 404', async () => {
    const foreign = await stage.ada.check({});
    const [{ unique_key: foreignKey }] = (await stage.ada.peek('/checks/').expect(200)).body.checks;
    for (const id of [
      foreign.uuid,
      foreignKey,
      'nothing',
      '-',
      '00000000-0000-4000-8000-000000000000',
      '%00',
    ]) {
      for (const rest of ['', '/pings', '/flips', '/pings/1/body']) {
        await owner.get(at(`/${id}${rest}`)).expect(404);
      }
    }
    for (const n of ['0', '2', '3', '-1', 'x', '99999999999999999999']) {
      await owner.get(at(`/${check.uuid}/pings/${n}/body`)).expect(404);
    }
    await owner.get(at(`/${check.uuid.toUpperCase()}`)).expect(200);
  });
});

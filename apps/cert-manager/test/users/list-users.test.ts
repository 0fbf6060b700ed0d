import type { User } from '@certloop/contracts';
import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeGroup, sendJson } from '../support/access/groups.js';
import { startApp, type TestApp } from '../support/app.js';
import { addUser } from '../support/factories.js';
import { badIds, unknownId } from '../support/inventory.js';
import { signIn } from '../support/people.js';
import { picture } from '../support/pictures.js';

describeEachDialect('reading users', (open) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp(open);
  });
  afterAll(() => app.close());

  const read = (path = '') => app.request.get(`/users${path}`).set(app.people.ada.auth);

  test('lists them oldest first, without their passwords', async () => {
    for (const username of ['zoe', 'abe']) {
      const user = { username, email: `${username}@example.org`, password: 'correct horse' };
      await sendJson(app, 'post', '/users', user).expect(201);
    }
    const { body } = await read().expect(200);
    const names = (body as User[]).map(({ username }) => username);
    expect(names).toEqual(['ada', 'ben', 'cleo', 'zoe', 'abe']);
    for (const user of body) {
      expect(Object.keys(user)).toEqual(['id', 'username', 'email', 'isAdmin', 'enabled', 'createdAt']);
    }
  });

  test('returns one by an id in any case', async () => {
    const { ben } = app.people;
    const { body } = await read(`/${ben.id.toUpperCase()}`).expect(200);
    expect(body).toMatchObject({
      id: ben.id,
      username: 'ben',
      email: ben.email,
      isAdmin: false,
      enabled: true,
    });
  });

  test('returns 404 for an unknown user', async () => {
    expect((await read(`/${unknownId}`).expect(404)).body.code).toBe('user_not_found');
    for (const id of badIds) await read(`/${id}`).expect(404);
  });

  describe('with groups', () => {
    const names = async (query: string) =>
      ((await read(`?${query}`).expect(200)).body as User[]).map(({ username }) => username);

    test.each([
      ['q=BE', ['ben', 'abe']],
      ['q=cleo%40EXAMPLE', ['cleo']],
      ['q=%25', []],
      ['q=_', []],
      ['isAdmin=true', ['ada']],
      ['isAdmin=false&q=a', ['ben', 'cleo', 'zoe', 'abe']],
      ['isAdmin=true&q=ben', []],
    ])('finds by %s', async (query, found) => {
      expect(await names(query)).toEqual(found);
    });

    test('finds the members of a group, in pages', async () => {
      const { ada, ben, cleo } = app.people;
      const { id } = await makeGroup(app, { userIds: [ada.id, ben.id, cleo.id] });
      const { body, headers } = await read(`?groupId=${id}&q=e&limit=1&include=groups`).expect(200);
      expect([body.length, headers['x-total-count']]).toEqual([1, '3']);
      const next = /<(.*)>/.exec(headers['link'] ?? '')?.[1] ?? '';
      expect(next).toContain('include=groups');
      const rest = await app.request.get(next).set(ada.auth).expect(200);
      expect([body[0].username, rest.body[0].username]).toEqual(['ada', 'ben']);
      expect(rest.body[0].groupIds).toContain(id);
      expect(await names(`groupId=${unknownId}`)).toEqual([]);
    });

    test('shows groups, picture and last sign-in only if they are included', async () => {
      const { ada } = app.people;
      const user = await addUser(app, { username: 'dora' });
      const { id: groupId } = await makeGroup(app, { userIds: [user.id] });
      const one = async (query = '') => (await read(`/${user.id}${query}`).expect(200)).body;
      const plain = await one();
      expect(await one('?include=groups')).toEqual({ ...plain, groupIds: [groupId], hasAvatar: false });
      app.clock.advance(60);
      await signIn(app, user);
      const lastLoginAt = app.clock.now().toISOString();
      await app.request
        .post(`/users/${user.id}/avatar`)
        .set(ada.auth)
        .attach('avatar', await picture('png', 2, 2), 'a.png')
        .expect(200);
      const detail = { ...plain, groupIds: [groupId], lastLoginAt, hasAvatar: true };
      expect(await one('?include=groups')).toEqual(detail);
      expect((await read('?q=dora&include=groups')).body).toEqual([detail]);
      expect((await read('?include=groups')).body.at(-1)).toEqual(detail);
      expect(await one()).toEqual(plain);
      app.clock.advance(60);
      await app.request.post('/auth/login').send({ username: 'dora', password: 'wrong' }).expect(401);
      expect(await one('?include=groups')).toEqual(detail);
    });

    test.each([
      ['include', 'tokens'],
      ['isAdmin', 'yes'],
      ['groupId', '1'],
      ['q', '%00'],
      ['q', 'x'.repeat(255)],
    ])('rejects %s=%.10s', async (name, value) => {
      const { body } = await read(`?${name}=${value}`).expect(400);
      expect(body.errors).toMatchObject([{ path: `query.${name}` }]);
    });
  });

  test('requires an administrator: others see no user, not even themselves', async () => {
    const { ben } = app.people;
    for (const path of ['/users', `/users/${ben.id}`, `/users/${unknownId}`]) {
      await app.request.get(path).set(ben.auth).expect(403);
      await app.request.get(path).expect(401);
    }
  });
});

import type { User } from '@certloop/contracts';
import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startApp, type TestApp } from '../support/app.js';
import { send } from '../support/groups.js';
import { badIds, unknownId } from '../support/inventory.js';

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
      await send(app, 'post', '/users', user).expect(201);
    }
    const { body } = await read().expect(200);
    const names = (body as User[]).map(({ username }) => username);
    expect(names).toEqual(['ada', 'ben', 'cleo', 'zoe', 'abe']);
    for (const user of body) {
      expect(Object.keys(user)).toEqual(['id', 'username', 'email', 'isAdmin', 'enabled', 'createdAt']);
    }
  });

  test('shows one, whatever the case of his id', async () => {
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

  test('answers for whom there is not', async () => {
    expect((await read(`/${unknownId}`).expect(404)).body.code).toBe('user_not_found');
    for (const id of badIds) await read(`/${id}`).expect(404);
  });

  test('is for administrators only: others see not even themselves, nor who there is', async () => {
    const { ben } = app.people;
    for (const path of ['/users', `/users/${ben.id}`, `/users/${unknownId}`]) {
      await app.request.get(path).set(ben.auth).expect(403);
      await app.request.get(path).expect(401);
    }
  });
});

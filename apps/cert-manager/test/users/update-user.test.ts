import type { User } from '@certloop/contracts';
import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { makeGroup, malformedBodies, readGroup, sendJson } from '../support/access/groups.js';
import { startApp, type TestApp } from '../support/app.js';
import { addUser } from '../support/factories.js';
import { auditEntries, badIds, unknownId } from '../support/inventory.js';
import { settlePerson, signIn } from '../support/people.js';

describeEachDialect('changing a user', (open) => {
  let app: TestApp;
  let user: Awaited<ReturnType<typeof addUser>>;
  beforeAll(async () => {
    app = await startApp(open);
  });
  beforeEach(async () => {
    user = await addUser(app);
  });
  afterAll(() => app.close());

  const put = (id: string, body: unknown) => sendJson(app, 'put', `/users/${id}`, body);
  const read = async (id = user.id) =>
    (await app.request.get(`/users/${id}`).set(app.people.ada.auth)).body as User;

  test('changes the members that are sent, and no others', async () => {
    const before = await read();
    expect((await put(user.id, {}).expect(200)).body).toEqual(before);
    const change = { username: `new.${user.username}`, email: `new.${user.email}` };
    expect((await put(user.id, change).expect(200)).body).toEqual({ ...before, ...change });
    expect((await put(user.id, { isAdmin: true, id: unknownId }).expect(200)).body).toEqual({
      ...before,
      ...change,
      isAdmin: true,
    });
    expect(await read()).toEqual({ ...before, ...change, isAdmin: true });
  });

  test('accepts its own response as input, and its own name in capitals', async () => {
    const before = await read();
    expect((await put(user.id, before).expect(200)).body).toEqual(before);
    const username = user.username.toUpperCase();
    expect((await put(user.id, { username }).expect(200)).body.username).toBe(username);
  });

  test('returns the groups of the user', async () => {
    const [one, other] = [await makeGroup(app, { userIds: [user.id] }), await makeGroup(app, {})];
    await put(user.id, { groupIds: [other.id] }).expect(200);
    expect([(await readGroup(app, one)).userIds, (await readGroup(app, other)).userIds]).toEqual([
      [],
      [user.id],
    ]);
    await put(user.id, { enabled: true }).expect(200);
    expect((await readGroup(app, other)).userIds).toEqual([user.id]);
    await put(user.id, { groupIds: [] }).expect(200);
    expect((await readGroup(app, other)).userIds).toEqual([]);
    await put(user.id, { groupIds: [unknownId] }).expect(400);
  });

  describe('ends their sessions', () => {
    test.each<[string, object]>([
      ['with a new password', { password: 'battery staple' }],
      ['when they are disabled', { enabled: false }],
      ['when they stop being an administrator', { isAdmin: false }],
    ])('%s', async (_, change) => {
      const admin = await addUser(app, { isAdmin: true });
      const { reading } = await signIn(app, admin);
      await put(admin.id, { username: `x-${admin.username}`, isAdmin: true, enabled: true }).expect(200);
      await app.request.get('/auth/me').set(reading).expect(200);
      await put(admin.id, change).expect(200);
      await app.request.get('/auth/me').set(reading).expect(401);
    });
  });

  test('accepts the new password, and no longer the old one', async () => {
    await put(user.id, { password: 'battery staple' }).expect(200);
    const login = (password: string) =>
      app.request.post('/auth/login').send({ username: user.username, password });
    await login(user.password).expect(401);
    await login('battery staple').expect(200);
  });

  test('a disabled user has no permissions until they are enabled again', async () => {
    const person = await settlePerson(app, { username: `p-${user.username}`, isAdmin: true });
    await put(person.id, { enabled: false }).expect(200);
    await app.request.get('/spaces').set(person.auth).expect(401);
    await app.request.post('/auth/login').send(person).expect(401);
    await put(person.id, { enabled: true }).expect(200);
    await app.request.get('/spaces').set(person.auth).expect(200);
    await put(person.id, { enabled: false }).expect(200);
  });

  test.each<[string, object, string]>([
    ['a name that is null', { username: null }, 'username'],
    ['a name of 2 letters', { username: 'ab' }, 'username'],
    ['a name of emoji', { username: '🚀🚀🚀' }, 'username'],
    ['a name that is taken', { username: 'BEN' }, 'username'],
    ['an invalid mail address', { email: 'x' }, 'email'],
    ['a mail address that is taken', { email: 'Ben@Example.org' }, 'email'],
    ['a password that is null', { password: null }, 'password'],
    ['an empty password', { password: '' }, 'password'],
    ['a password of 7 characters', { password: 'abcdefg' }, 'password'],
    ['a common password', { password: 'password' }, 'password'],
    ['their new name as password', { username: 'renamed.user', password: 'Renamed.User' }, 'password'],
    ['isAdmin that is a text', { isAdmin: 'yes' }, 'isAdmin'],
    ['enabled that is null', { enabled: null }, 'enabled'],
    ['enabled that is a number', { enabled: 0 }, 'enabled'],
    ['groups that are not a list', { groupIds: 'x' }, 'groupIds'],
  ])('refuses %s, and changes nothing', async (_situation, change, path) => {
    const before = await read();
    const { body } = await put(user.id, { isAdmin: true, ...change }).expect(400);
    expect(body.errors).toMatchObject([{ path }]);
    expect(await read()).toEqual(before);
  });

  test('rejects a name and a mail address in use, and reports both at once', async () => {
    const { body } = await put(user.id, { username: 'cleo', email: 'cleo@example.org' }).expect(400);
    expect(body.errors).toMatchObject([{ path: 'username' }, { path: 'email' }]);
  });

  test.each(malformedBodies)('refuses %s', async (_, body) => {
    await put(user.id, body).expect(400);
  });

  test('returns 404 for an unknown user', async () => {
    await put(unknownId, { enabled: true }).expect(404);
    await put(unknownId, { isAdmin: false }).expect(404);
    for (const id of badIds) await put(id, {}).expect(404);
  });

  test('requires an administrator, also for oneself', async () => {
    const { ben } = app.people;
    await sendJson(app, 'put', `/users/${ben.id}`, { isAdmin: true }, ben).expect(403);
    await sendJson(app, 'put', `/users/${unknownId}`, '{', ben).expect(403);
    expect((await read(ben.id)).isAdmin).toBe(false);
  });

  test('writes an audit entry with the changes, and of a password only that it changed', async () => {
    await put(user.id, { enabled: false, password: 'a very secret horse' }).expect(200);
    const entry = (await auditEntries(app, 'user.update')).at(-1);
    expect(entry).toMatchObject({ resourceId: user.id, username: 'ada' });
    expect(entry?.details).toMatchObject({
      before: { enabled: true },
      after: { enabled: false },
      password: { changed: true },
    });
    expect(JSON.stringify([entry, app.logged()])).not.toContain('secret horse');
  });
});

describeEachDialect('the last administrator', (open) => {
  let app: TestApp;
  beforeEach(async () => {
    app = await startApp(open);
  });
  afterEach(() => app.close());

  const put = (id: string, body: unknown, person = app.people.ada) =>
    sendJson(app, 'put', `/users/${id}`, body, person);
  const enabledAdmins = async () => {
    const { body } = await app.request.get('/users').set(app.people.ada.auth);
    return (body as User[]).filter(({ isAdmin, enabled }) => isAdmin && enabled).length;
  };

  test.each([{ isAdmin: false }, { enabled: false }, { isAdmin: false, enabled: false }])(
    'cannot be removed by %j',
    async (change) => {
      await addUser(app, { isAdmin: true, enabled: false });
      const { body } = await put(app.people.ada.id, change).expect(400);
      expect(body.code).toBe('last_admin');
      expect(await enabledAdmins()).toBe(1);
    },
  );

  test('can be changed in other ways', async () => {
    await put(app.people.ada.id, { isAdmin: true, enabled: true, email: 'new@example.org' }).expect(200);
  });

  test('can be demoted, also by themselves, if there is another', async () => {
    const other = await settlePerson(app, { username: 'other', isAdmin: true });
    await put(app.people.ada.id, { isAdmin: false }).expect(200);
    await put(other.id, { enabled: false }, other).expect(400);
  });

  test.each<[string, (id: string) => PromiseLike<{ status: number }>]>([
    ['demoted', (id) => put(id, { isAdmin: false })],
    ['disabled', (id) => put(id, { enabled: false })],
    ['deleted', (id) => app.request.delete(`/users/${id}`).set(app.people.ada.auth)],
  ])('stays when all are %s at once', async (_, take) => {
    const admins = await Promise.all(
      ['eva', 'fay', 'gus'].map((username) => settlePerson(app, { username, isAdmin: true })),
    );
    const ids = [app.people.ada, ...admins].map(({ id }) => id);
    const answers = await Promise.all(ids.map((id) => Promise.resolve(take(id))));
    expect(answers.every(({ status }) => [200, 400, 401, 403].includes(status))).toBe(true);
    const left = await app.database.read((tx) =>
      tx.query('select count(*) as count from users where is_admin and enabled'),
    );
    expect(Number(left[0].count)).toBeGreaterThanOrEqual(1);
  });

  test('remains when two demote each other at once', async () => {
    for (let round = 0; round < 5; round += 1) {
      const one = await settlePerson(app, { username: `one-${round}`, isAdmin: true });
      const { id } = app.people.ada;
      await Promise.all([put(id, { isAdmin: false }, one), put(one.id, { isAdmin: false })]);
      const rows = await app.database.read((tx) =>
        tx.query('select id from users where is_admin and enabled'),
      );
      expect(rows).toHaveLength(1);
      if (rows[0].id !== id) {
        await put(id, { isAdmin: true }, one).expect(200);
        await put(one.id, { isAdmin: false }).expect(200);
      }
    }
  });
});

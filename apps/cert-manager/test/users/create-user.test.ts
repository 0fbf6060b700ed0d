import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeGroup, malformedBodies, readGroup, sendJson } from '../support/access/groups.js';
import { startApp, type TestApp } from '../support/app.js';
import { auditEntries, unknownId } from '../support/inventory.js';
import { signIn } from '../support/people.js';

describeEachDialect('creating a user', (open) => {
  let app: TestApp;
  let count = 0;
  beforeAll(async () => {
    app = await startApp(open);
  });
  afterAll(() => app.close());

  /** Someone new each time. */
  const valid = (overrides: object = {}) => {
    count += 1;
    const username = `user-${count}`;
    return { username, email: `${username}@example.org`, password: 'correct horse', ...overrides };
  };
  const post = (body: unknown) => sendJson(app, 'post', '/users', body);

  test('shows the user with every documented field and without the password', async () => {
    const asked = { ...valid({ isAdmin: true }), id: unknownId, enabled: false, createdAt: 'never' };
    const { body } = await post(asked).expect(201);
    expect(body).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/),
      username: asked.username,
      email: asked.email,
      isAdmin: true,
      enabled: true,
      createdAt: app.clock.now().toISOString(),
    });
    expect(body.id).not.toBe(unknownId);
    const { body: read } = await app.request.get(`/users/${body.id}`).set(app.people.ada.auth).expect(200);
    expect(read).toEqual(body);
  });

  test('lets the user sign in, without the rights of an administrator by default', async () => {
    const user = valid();
    const { body } = await post(user).expect(201);
    expect(body.isAdmin).toBe(false);
    const { reading } = await signIn(app, user);
    expect((await app.request.get('/auth/me').set(reading)).body.user).toEqual(body);
    await app.request.get('/users').set(reading).expect(403);
  });

  test('puts the user into groups', async () => {
    const group = await makeGroup(app, {});
    const { body } = await post(valid({ groupIds: [group.id, group.id] })).expect(201);
    expect((await readGroup(app, group)).userIds).toEqual([body.id]);
    const unknown = await post(valid({ groupIds: [group.id, unknownId] })).expect(400);
    expect(unknown.body.errors).toMatchObject([{ path: 'groupIds[1]', code: 'unknown' }]);
  });

  test.each([
    ['3 letters', 'abc'],
    ['64 signs', `${'a'.repeat(60)}._@-`],
    ['digits', '12345'],
    ['a mail address', 'someone@example.org'],
  ])('accepts a name of %s', async (_, username) => {
    expect((await post(valid({ username })).expect(201)).body.username).toBe(username);
  });

  test.each([
    ['of 8 characters', 'abcdefgh'],
    ['of 128 characters', 'x'.repeat(128)],
    ['of 128 emoji', '🚀'.repeat(128)],
    ['with blanks, quotes and NUL', ` "'\u0000; drop `],
  ])('accepts a password %s, with which the user signs in', async (_, password) => {
    const user = valid({ password });
    await post(user).expect(201);
    await app.request.post('/auth/login').send(user).expect(200);
  });

  test('accepts the password in any Unicode normal form', async () => {
    const user = valid({ password: 'ｃａｆe\u0301 1234' });
    await post(user).expect(201);
    await app.request
      .post('/auth/login')
      .send({ ...user, password: 'café 1234' })
      .expect(200);
  });

  test.each<[string, object | string, string]>([
    ['no name', { username: undefined }, 'username'],
    ['a name that is null', { username: null }, 'username'],
    ['a name that is a number', { username: 12345 }, 'username'],
    ['a name of 2 letters', { username: 'ab' }, 'username'],
    ['a name of 65 letters', { username: 'a'.repeat(65) }, 'username'],
    ['a name of 100,000 letters', { username: 'a'.repeat(100_000) }, 'username'],
    ['a name with a blank', { username: 'a b' }, 'username'],
    ['a name with a blank at its end', { username: 'abc ' }, 'username'],
    ['a name with a line break', { username: 'abc\n' }, 'username'],
    ['a name with a slash', { username: '../abc' }, 'username'],
    ['a name of emoji', { username: '🚀🚀🚀' }, 'username'],
    ['a name in other letters', { username: 'аdа' }, 'username'],
    ['a name in wide letters', { username: 'ａｄａ' }, 'username'],
    ['a name with an accent', { username: 'adä' }, 'username'],
    ['no mail address', { email: undefined }, 'email'],
    ['a mail address that is null', { email: null }, 'email'],
    ['a mail address without @', { email: 'ada' }, 'email'],
    ['a mail address with a line break', { email: 'a@b.example\nBcc: c@d.example' }, 'email'],
    ['a mail address of 255 characters', { email: `${'a'.repeat(243)}@example.com` }, 'email'],
    ['a mail address that is a list', { email: ['a@example.org'] }, 'email'],
    ['no password', { password: undefined }, 'password'],
    ['a password that is null', { password: null }, 'password'],
    ['an empty password', { password: '' }, 'password'],
    ['a password of 7 characters', { password: 'abcdefg' }, 'password'],
    ['a password of 7 emoji', { password: '🚀'.repeat(7) }, 'password'],
    ['a password of 129 characters', { password: 'x'.repeat(129) }, 'password'],
    ['a password that grows in its normal form', { password: 'ﷺ'.repeat(20) }, 'password'],
    ['a common password', { password: 'Password123' }, 'password'],
    ['a common password in wide letters', { password: 'ｐａｓｓｗｏｒｄ１２３' }, 'password'],
    ['the user name as password', { username: 'username1', password: 'USERNAME1' }, 'password'],
    ['their mail address as password', { email: 'me@example.org', password: 'me@example.org' }, 'password'],
    ['a password that is a number', { password: 1_234_567_890 }, 'password'],
    ['isAdmin that is a text', { isAdmin: 'true' }, 'isAdmin'],
    ['isAdmin that is a number', { isAdmin: 1 }, 'isAdmin'],
    ['isAdmin that is null', { isAdmin: null }, 'isAdmin'],
    ['groups that are null', { groupIds: null }, 'groupIds'],
    ['a group that is not a UUID', { groupIds: ['1'] }, 'groupIds[0]'],
  ])('refuses %s and names the member', async (_situation, overrides, path) => {
    const { body } = await post(valid(overrides as object)).expect(400);
    expect(body.errors.map((fault: { path: string }) => fault.path)).toContain(path);
    expect(JSON.stringify(body)).not.toMatch(/correct horse|USERNAME1/);
  });

  test('refuses half of a surrogate pair in a password', async () => {
    const body = JSON.stringify(valid()).replace('correct horse', 'correct \\ud83d');
    await post(body).expect(400);
  });

  test.each(malformedBodies)('refuses %s', async (_, body) => {
    await post(body).expect(400);
  });

  test('names every member that is missing', async () => {
    const { body } = await post({}).expect(400);
    expect(body.errors).toEqual(
      ['username', 'email', 'password'].map((path) => ({ path, code: 'required', message: 'is required' })),
    );
  });

  test('rejects a name and a mail address in use, in any case, and names them', async () => {
    const user = valid();
    await post(user).expect(201);
    const faults = async (overrides: object) =>
      (await post(valid(overrides)).expect(400)).body.errors.map(({ path }: { path: string }) => path);
    expect(await faults({ username: user.username.toUpperCase() })).toEqual(['username']);
    expect(await faults({ email: user.email.toUpperCase() })).toEqual(['email']);
    expect(await faults({ username: user.username, email: user.email })).toEqual(['username', 'email']);
  });

  test('creates one of two concurrent users with the same name', async () => {
    const user = valid();
    const other = { ...valid(), username: user.username.toUpperCase() };
    const answers = await Promise.all([post(user), post(other)]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 400]);
    const refused = answers.find(({ status }) => status === 400);
    expect(refused?.body.errors).toMatchObject([{ path: 'username', code: 'taken' }]);
  });

  test('requires an administrator; others are rejected before the body is validated', async () => {
    await sendJson(app, 'post', '/users', '{', app.people.ben).expect(403);
    await app.request.post('/users').send(valid()).expect(401);
  });

  test('leaves an audit entry without the password', async () => {
    const user = valid({ isAdmin: true, password: 'a very secret horse' });
    const { body } = await post(user).expect(201);
    const entry = (await auditEntries(app, 'user.create')).at(-1);
    expect(entry).toMatchObject({
      resourceType: 'user',
      resourceId: body.id,
      username: 'ada',
      details: { after: { username: user.username, email: user.email, isAdmin: true } },
    });
    expect(JSON.stringify([entry, app.logged()])).not.toContain('secret horse');
  });
});

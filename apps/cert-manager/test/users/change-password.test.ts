import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApp, type TestApp } from '../support/app.js';
import { addToken, addUser } from '../support/factories.js';
import { signIn } from '../support/people.js';

describeEachDialect("changing one's password", (open) => {
  let app: TestApp;
  const change = (headers: Readonly<Record<string, string>>, currentPassword: string, newPassword: string) =>
    app.request.post('/auth/password').set(headers).send({ currentPassword, newPassword });

  beforeAll(async () => {
    app = await startApp(open);
  });
  afterAll(() => app.close());

  test('ends every session of the user, and only the new password signs in', async () => {
    const user = await addUser(app);
    const [session, elsewhere] = [await signIn(app, user), await signIn(app, user)];
    const { status, headers } = await change(session.writing, user.password, 'battery staple');
    expect(status).toBe(200);
    expect(headers['set-cookie']).toEqual([expect.stringContaining('Max-Age=0')]);
    for (const { reading } of [session, elsewhere]) {
      expect((await app.request.get('/auth/me').set(reading)).status).toBe(401);
    }
    expect((await app.request.post('/auth/login').send(user)).status).toBe(401);
    await signIn(app, { username: user.username, password: 'battery staple' });
    const { body } = await app.request.get(`/audit-logs?resourceId=${user.id}`).set(app.people.ada.auth);
    expect(body.logs.map(({ action }: { action: string }) => action)).toContain('user.password');
    expect(JSON.stringify(body)).not.toContain('staple');
  });

  test('revokes the API tokens of the user only if that is asked for', async () => {
    const user = await addUser(app);
    const token = await addToken(app, user.id);
    const status = async () =>
      (await app.request.get('/auth/me').set({ Authorization: `Bearer ${token}` })).status;
    const session = await signIn(app, user);
    expect((await change(session.writing, user.password, 'battery staple')).status).toBe(200);
    expect(await status()).toBe(200);
    const again = await signIn(app, { username: user.username, password: 'battery staple' });
    const body = {
      currentPassword: 'battery staple',
      newPassword: 'correct horse battery',
      revokeTokens: true,
    };
    await app.request.post('/auth/password').set(again.writing).send(body).expect(200);
    expect(await status()).toBe(401);
    const { body: audit } = await app.request
      .get(`/audit-logs?resourceId=${user.id}&action=user.password&limit=1`)
      .set(app.people.ada.auth);
    expect(audit.logs[0].details.revokedTokens).toHaveLength(1);
  });

  test('requires the current password', async () => {
    const user = await addUser(app);
    const session = await signIn(app, user);
    const { status, body } = await change(session.writing, 'wrong', 'battery staple');
    expect({ status, code: body.code }).toEqual({ status: 403, code: 'wrong_password' });
    expect(body.errors).toMatchObject([{ path: 'currentPassword', message: 'is not the current password' }]);
    expect((await app.request.get('/auth/me').set(session.reading)).status).toBe(200);
  });

  test('requires a session, not a token', async () => {
    const user = await addUser(app);
    const token = await addToken(app, user.id);
    const { status } = await change({ Authorization: `Bearer ${token}` }, user.password, 'battery staple');
    expect(status).toBe(403);
  });

  test('succeeds for one of two concurrent requests', async () => {
    const user = await addUser(app);
    const session = await signIn(app, user);
    const answers = await Promise.all([
      change(session.writing, user.password, 'battery staple'),
      change(session.writing, user.password, 'staple battery'),
    ]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, expect.any(Number)]);
    const works = async (password: string) =>
      (await app.request.post('/auth/login').send({ username: user.username, password })).status === 200;
    expect([await works('battery staple'), await works('staple battery')].filter(Boolean)).toHaveLength(1);
  });

  test.each([
    ['seven characters', 'seven77', 'newPassword: must have at least 8 characters'],
    ['129 characters', 'x'.repeat(129), /at most 128|<=128/],
    ['one of the most common', 'qwertyuiop', 'newPassword: is among the most common ones'],
    ["the user's name", 'Another-Person', 'newPassword: must not be the user name or the e-mail address'],
  ])('refuses %s', async (_, password, message) => {
    const user = await addUser(app, {
      username: password === 'Another-Person' ? `another-person` : `u-${password.length}`,
    });
    const session = await signIn(app, user);
    const { status, body } = await change(session.writing, user.password, password);
    expect(status).toBe(400);
    expect(body.detail).toMatch(message);
  });
});

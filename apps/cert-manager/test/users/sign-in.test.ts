import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type TestApp } from '../support/app.js';
import { addUser } from '../support/factories.js';
import { signIn } from '../support/people.js';

describeEachDialect('signing in', (open) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp(open);
  });
  afterAll(() => app.close());

  test('returns the user, a CSRF token and a cookie for this host only', async () => {
    const { ada } = app.people;
    const { status, body, headers } = await app.request.post('/auth/login').send(ada);
    expect(status).toBe(200);
    expect(body).toEqual({
      user: {
        id: ada.id,
        username: 'ada',
        email: 'ada@example.org',
        isAdmin: true,
        enabled: true,
        createdAt: '2026-03-01T12:00:00.000Z',
      },
      csrfToken: expect.stringMatching(/^[\w-]{43}$/),
    });
    expect(headers['set-cookie']).toEqual([
      expect.stringMatching(/^cm_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/),
    ]);
  });

  test('leaves an audit entry', async () => {
    const { ada } = app.people;
    await app.request.post('/auth/login').send(ada);
    const { body } = await app.request.get('/audit-logs?action=auth.login&limit=1').set(ada.auth);
    expect(body.logs[0]).toMatchObject({ userId: ada.id, username: 'ada', resourceType: 'session' });
  });

  test('accepts the name in any case', async () => {
    const { password } = app.people.ben;
    const { body } = await app.request.post('/auth/login').send({ username: 'BEN', password });
    expect(body.user).toMatchObject({ username: 'ben' });
  });

  test('returns the same error for an unknown name, a disabled account and a wrong password', async () => {
    const disabled = await addUser(app, { enabled: false });
    const answers = [
      await app.request.post('/auth/login').send({ username: 'cleo', password: 'wrong' }),
      await app.request.post('/auth/login').send({ username: 'unknown', password: 'wrong' }),
      await app.request.post('/auth/login').send({ username: 'ada\0', password: 'wrong' }),
      await app.request.post('/auth/login').send(disabled),
    ];
    for (const { status, headers, body } of answers) {
      expect(status).toBe(401);
      expect(headers['www-authenticate']).toBe('Bearer');
      expect(body).toMatchObject({ code: 'login_failed', detail: 'user name or password is wrong' });
    }
  });

  test('records failures in the audit log, repeated ones as a count, without unknown names', async () => {
    app.clock.advance(120_000);
    for (const password of ['one', 'two', 'three']) {
      await app.request.post('/auth/login').send({ username: 'ada', password });
    }
    await app.request.post('/auth/login').send({ username: 'hunter2', password: 'x' });
    const { body } = await app.request.get('/audit-logs?action=auth.fail&limit=2').set(app.people.ada.auth);
    expect(body.logs).toMatchObject([
      { username: '', details: { reason: 'unknown_user', count: 1, outcome: 'failure' } },
      { username: 'ada', resourceId: app.people.ada.id, details: { reason: 'wrong_password', count: 3 } },
    ]);
    expect(JSON.stringify(body)).not.toContain('hunter2');
  });

  test('refuses a body that is not JSON, as a form of another site would send it', async () => {
    const { ada } = app.people;
    const { status } = await app.request.post('/auth/login').type('text/plain').send(JSON.stringify(ada));
    expect(status).toBe(415);
  });

  test.each([
    ['another site', 'cross-site'],
    ['another port of this host', 'same-site'],
  ])('refuses a page of %s', async (_, site) => {
    const request = app.request.post('/auth/login').set('Sec-Fetch-Site', site);
    const { status, body } = await request.send(app.people.ada);
    expect(status).toBe(403);
    expect(body.code).toBe('csrf_refused');
  });

  test.each([
    ['no body', undefined],
    ['no password', { username: 'ada' }],
    ['a password that is not text', { username: 'ada', password: 7 }],
  ])('refuses %s', async (_, body) => {
    const { status } = await app.request.post('/auth/login').send(body);
    expect(status).toBe(400);
  });

  describe('a session', () => {
    test('returns its owner, and its CSRF token again', async () => {
      const session = await signIn(app, app.people.ben);
      const { status, body } = await app.request.get('/auth/me').set(session.reading);
      expect(status).toBe(200);
      expect(body).toEqual({
        user: expect.objectContaining({ username: 'ben' }),
        csrfToken: session.csrfToken,
        rights: { isAdmin: false, hasFullAccess: false },
        session: { idleEndsAt: expect.any(String), endsAt: expect.any(String) },
      });
    });

    test('ends by signing out', async () => {
      const session = await signIn(app, app.people.ben);
      const { status, headers } = await app.request.post('/auth/logout').set(session.writing);
      expect(status).toBe(200);
      expect(headers['set-cookie']).toEqual([expect.stringContaining('cm_session=; Max-Age=0')]);
      expect((await app.request.get('/auth/me').set(session.reading)).status).toBe(401);
    });

    test('lasts while it is used every 29 minutes, for 12 hours', async () => {
      const session = await signIn(app, app.people.ben);
      const me = async () => (await app.request.get('/auth/me').set(session.reading)).status;
      for (let minutes = 29; minutes < 12 * 60; minutes += 29) {
        app.clock.advance(29 * 60_000);
        expect(await me()).toBe(200);
      }
      app.clock.advance(29 * 60_000);
      expect(await me()).toBe(401);
    });

    test('ends after 30 minutes without use', async () => {
      const session = await signIn(app, app.people.ben);
      app.clock.advance(30 * 60_000 - 1);
      expect((await app.request.get('/auth/me').set(session.reading)).status).toBe(200);
      app.clock.advance(30 * 60_000);
      expect((await app.request.get('/auth/me').set(session.reading)).status).toBe(401);
    });

    test('says when it ends without use, and when in any case', async () => {
      const session = await signIn(app, app.people.ada);
      const opened = app.clock.now().getTime();
      const ends = async () => (await app.request.get('/auth/me').set(session.reading)).body.session;
      const at = (minutes: number) => new Date(opened + minutes * 60_000).toISOString();
      expect(await ends()).toEqual({ idleEndsAt: at(30), endsAt: at(720) });
      app.clock.advance(10 * 60_000);
      expect(await ends()).toEqual({ idleEndsAt: at(40), endsAt: at(720) });
      for (let minutes = 35; minutes <= 710; minutes += 25) {
        app.clock.advance(25 * 60_000);
        await ends();
      }
      expect(await ends()).toEqual({ idleEndsAt: at(720), endsAt: at(720) });
    });

    test('is not renewed by requests in the background', async () => {
      const session = await signIn(app, app.people.ben);
      const poll = { ...session.reading, 'X-Activity': 'background' };
      const { body } = await app.request.get('/auth/me').set(session.reading);
      for (let minutes = 5; minutes < 30; minutes += 5) {
        app.clock.advance(5 * 60_000);
        const polled = await app.request.get('/auth/me').set(poll);
        expect(polled.status).toBe(200);
        expect(polled.body.session).toEqual(body.session);
      }
      app.clock.advance(5 * 60_000);
      expect((await app.request.get('/auth/me').set(poll)).status).toBe(401);
      expect((await app.request.get('/auth/me').set(session.reading)).status).toBe(401);
    });

    test('is renewed by a request of a person among those in the background', async () => {
      const session = await signIn(app, app.people.ben);
      const poll = { ...session.reading, 'X-Activity': 'background' };
      for (const headers of [poll, session.reading, poll, poll]) {
        app.clock.advance(12 * 60_000);
        expect((await app.request.get('/auth/me').set(headers)).status).toBe(200);
      }
    });

    test('ends when its user opens the fiftieth session after it', async () => {
      const user = await addUser(app);
      const [first, second] = [await signIn(app, user), await signIn(app, user)];
      app.clock.advance(1);
      for (let opened = 2; opened < 51; opened += 1) await signIn(app, user);
      const remaining = [];
      for (const { reading } of [first, second]) {
        if ((await app.request.get('/auth/me').set(reading)).status === 200) remaining.push(reading);
      }
      expect(remaining).toHaveLength(1);
    });

    test('is rejected once its owner is disabled', async () => {
      const user = await addUser(app);
      const session = await signIn(app, user);
      await app.database.transaction((tx) =>
        tx.query(`update users set enabled = false where id = '${user.id}'`),
      );
      expect((await app.request.get('/auth/me').set(session.reading)).status).toBe(401);
    });
  });

  describe('a write with a session', () => {
    test.each([
      ['without CSRF token', { 'X-CSRF-Token': '' }],
      ['with the CSRF token of another session', { 'X-CSRF-Token': 'A'.repeat(43) }],
      ['from another port of the same host', { 'Sec-Fetch-Site': 'same-site' }],
      ['from another site', { 'Sec-Fetch-Site': 'cross-site' }],
      ['from a foreign origin in an older browser', { 'Sec-Fetch-Site': '', Origin: 'http://evil.example' }],
      ['from no page at all', { 'Sec-Fetch-Site': '' }],
    ])('is refused %s', async (_, headers) => {
      const session = await signIn(app, app.people.ada);
      const request = app.request.post('/audit-logs/test').set({ ...session.writing, ...headers });
      for (const [name, value] of Object.entries(headers)) if (value === '') request.unset(name);
      const { status, body } = await request;
      expect(status).toBe(403);
      expect(body.code).toBe('csrf_refused');
    });

    test('is accepted from a page of this service', async () => {
      const session = await signIn(app, app.people.ada);
      const { status } = await app.request.post('/audit-logs/test').set(session.writing);
      expect(status).toBe(200);
    });

    test('is accepted by its Origin from a browser without Sec-Fetch-Site', async () => {
      const session = await signIn(app, app.people.ada);
      const request = app.request.post('/audit-logs/test').set(session.writing).unset('Sec-Fetch-Site');
      const { status } = await request.set({ Host: 'certs.example', Origin: 'http://certs.example' });
      expect(status).toBe(200);
    });
  });
});

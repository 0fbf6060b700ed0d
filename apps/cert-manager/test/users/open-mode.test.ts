import { randomUUID } from 'node:crypto';
import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type TestApp } from '../support/app.js';
import { addUser } from '../support/factories.js';
import { signIn } from '../support/people.js';

describeEachDialect('open mode', (open) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp(open, { environment: { AUTH_MODE: 'open', AUTH_OPEN_HOSTS: 'Manager.example' } });
  });
  afterAll(() => app.close());

  test('treats callers without credentials as a built-in administrator', async () => {
    const { status, body, headers } = await app.request.get('/auth/me');
    expect(status).toBe(200);
    expect(headers['x-auth-mode']).toBe('open');
    expect(body.user).toMatchObject({ id: '00000000-0000-4000-8000-000000000002', isAdmin: true });
    expect(body).toMatchObject({
      rights: { isAdmin: true, hasFullAccess: true, everywhere: 'FULL_ACCESS' },
    });
    expect((await app.request.get('/auth/state')).body).toMatchObject({ authMode: 'open' });
    expect((await app.request.get('/user/permissions')).body).toMatchObject({
      isAdmin: true,
      hasFullAccess: true,
    });
  });

  test('marks the audit entries of the built-in administrator', async () => {
    await app.request.post('/audit-logs/test');
    const { body } = await app.request.get('/audit-logs?limit=1');
    expect(body.logs).toMatchObject([
      {
        userId: '00000000-0000-4000-8000-000000000002',
        username: 'open-mode',
        details: { actor: { kind: 'open' } },
      },
    ]);
  });

  test('logs a warning', () => {
    expect(app.logged()).toContainEqual(expect.objectContaining({ level: 'warn', event: 'auth.open_mode' }));
  });

  describe('with X-User-Id', () => {
    test('acts as that user, with their permissions', async () => {
      const { body, status } = await app.request
        .get('/auth/me')
        .set('X-User-Id', app.people.cleo.id.toUpperCase());
      expect({ status, username: body.user.username }).toEqual({ status: 200, username: 'cleo' });
      expect((await app.request.delete('/audit-logs').set('X-User-Id', app.people.cleo.id)).status).toBe(403);
    });

    test.each([
      ['unknown', async () => randomUUID()],
      ['no uuid', async () => 'cleo'],
      ['a disabled user', async () => (await addUser(app, { enabled: false })).id],
    ])('that names %s is rejected', async (_, id) => {
      expect((await app.request.get('/auth/me').set('X-User-Id', await id())).status).toBe(401);
    });
  });

  test('still checks credentials', async () => {
    const { ben, cleo } = app.people;
    expect((await app.request.get('/auth/me').set(ben.auth)).body.user.username).toBe('ben');
    const session = await signIn(app, cleo);
    expect((await app.request.get('/auth/me').set(session.reading)).body.user.username).toBe('cleo');
    expect((await app.request.get('/auth/me').set('Authorization', 'Bearer cmt_x')).status).toBe(401);
  });

  test.each([
    ['127.0.0.1:3000', 200],
    ['127.8.9.10', 200],
    ['[::ffff:127.0.0.1]:3000', 200],
    ['192.0.2.1', 403],
    ['2130706433', 403],
    ['localhost', 200],
    ['[::1]:3000', 200],
    ['manager.example:3000', 200],
    ['evil.example', 403],
    ['localhost.evil.example', 403],
    ['127.0.0.1.evil.example', 403],
  ])('answers the host %s with %i', async (host, status) => {
    expect((await app.request.get('/health').set('Host', host)).status).toBe(status);
  });

  test.each([
    ['a page of another site', { 'Sec-Fetch-Site': 'cross-site' }, 403],
    ['a page of another port', { 'Sec-Fetch-Site': 'same-site' }, 403],
    ['a page of this service', { 'Sec-Fetch-Site': 'same-origin' }, 200],
    ['the address bar', { 'Sec-Fetch-Site': 'none' }, 200],
    ['a foreign origin', { Origin: 'http://evil.example' }, 403],
    ['a sandboxed frame', { Origin: 'null' }, 403],
    ['its own origin', { Host: 'localhost:3000', Origin: 'http://localhost:3000' }, 200],
  ])('answers a request from %s', async (_, headers, status) => {
    expect((await app.request.post('/audit-logs/test').set(headers)).status).toBe(status);
  });

  test.each([
    ['text/plain', 415],
    ['application/x-www-form-urlencoded', 415],
    ['application/json', 200],
  ])('takes a body of %s: %i', async (type, status) => {
    expect((await app.request.post('/audit-logs/test').set('Content-Type', type).send('{}')).status).toBe(
      status,
    );
  });
});

describeEachDialect('required mode', (open) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp(open);
  });
  afterAll(() => app.close());

  test('ignores X-User-Id', async () => {
    expect((await app.request.get('/auth/me').set('X-User-Id', app.people.ada.id)).status).toBe(401);
    const { body } = await app.request
      .get('/auth/me')
      .set({ ...app.people.ben.auth, 'X-User-Id': app.people.ada.id });
    expect(body.user.username).toBe('ben');
  });

  test('reports no mode', async () => {
    expect((await app.request.get('/auth/me')).headers).not.toHaveProperty('x-auth-mode');
  });
});

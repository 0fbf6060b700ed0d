import { randomUUID } from 'node:crypto';
import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type TestApp } from '../support/app.js';
import { addToken, addUser, grant } from '../support/factories.js';
import { type SignedIn, signIn } from '../support/people.js';

const dayMs = 86_400_000;

describeEachDialect('API tokens', (open) => {
  let app: TestApp;
  let session: SignedIn;
  const create = (body: object) => app.request.post('/api-tokens').set(session.writing).send(body);
  const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });

  beforeAll(async () => {
    app = await startApp(open);
    session = await signIn(app, app.people.ben);
  });
  afterAll(() => app.close());

  test('are shown once, in the response that creates them', async () => {
    const { status, body } = await create({ name: ' deploy ', scope: 'READ_WRITE' });
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.stringMatching(/^[a-z0-9]{8}$/),
      name: 'deploy',
      scope: 'READ_WRITE',
      token: expect.stringMatching(/^cmt_[a-z0-9]{8}_[\w-]{43}$/),
      expiresAt: new Date(app.clock.now().getTime() + 90 * dayMs).toISOString(),
      spaceIds: null,
      allowedCidrs: [],
      createdAt: app.clock.now().toISOString(),
    });
    const list = await app.request.get('/api-tokens').set(session.reading);
    expect(list.body.find(({ id }: { id: string }) => id === body.id)).toMatchObject({
      name: 'deploy',
      lastUsedAt: null,
    });
    expect(list.text).not.toContain(body.token.slice(13));
  });

  test('identify their owner, and return their own name, scope and expiry', async () => {
    const { body: made } = await create({ name: 'me', scope: 'READ' });
    const { status, body } = await app.request.get('/auth/me').set(bearer(made.token));
    expect(status).toBe(200);
    expect(body).toEqual({
      user: expect.objectContaining({ username: 'ben' }),
      token: { id: made.id, name: 'me', scope: 'READ', expiresAt: made.expiresAt, spaceIds: null },
      rights: { isAdmin: false, hasFullAccess: false },
    });
  });

  test('show when and from where they were used last, by the minute', async () => {
    const { body: made } = await create({ name: 'used', scope: 'READ' });
    const at = app.clock.now();
    await app.request.get('/auth/me').set(bearer(made.token));
    app.clock.advance(59_000);
    await app.request.get('/auth/me').set(bearer(made.token));
    const { body } = await app.request.get('/api-tokens').set(session.reading);
    expect(body.find(({ id }: { id: string }) => id === made.id)).toMatchObject({
      lastUsedAt: at.toISOString(),
      lastUsedIp: '127.0.0.1',
    });
  });

  test('take precedence over a session in the same request', async () => {
    const { status, body } = await app.request
      .get('/auth/me')
      .set({ ...session.reading, ...bearer(app.people.cleo.token) });
    expect(status).toBe(200);
    expect(body.user.username).toBe('cleo');
  });

  test('are rejected if they are invalid, even with a valid session', async () => {
    const { status } = await app.request.get('/auth/me').set({ ...session.reading, ...bearer('cmt_x') });
    expect(status).toBe(401);
  });

  test('need no CSRF token, since browsers never send them automatically', async () => {
    const { status } = await app.request
      .post('/audit-logs/test')
      .set({ ...app.people.ada.auth, 'Sec-Fetch-Site': 'cross-site' });
    expect(status).toBe(200);
  });

  test('are rejected after they are revoked', async () => {
    const { body: made } = await create({ name: 'short', scope: 'READ' });
    const { status } = await app.request.delete(`/api-tokens/${made.id}`).set(session.writing);
    expect(status).toBe(200);
    expect((await app.request.get('/auth/me').set(bearer(made.token))).status).toBe(401);
    const { body } = await app.request
      .get('/audit-logs?action=auth.token.*&limit=2')
      .set(app.people.ada.auth);
    expect(body.logs).toMatchObject([
      { action: 'auth.token.revoke', username: 'ben', details: { tokenId: made.id } },
      { action: 'auth.token.create', username: 'ben', details: { tokenId: made.id, scope: 'READ' } },
    ]);
  });

  test('of other users can be neither listed nor revoked', async () => {
    const [, id] = app.people.ada.token.split('_');
    expect((await app.request.delete(`/api-tokens/${id}`).set(session.writing)).status).toBe(404);
    const { body } = await app.request.get('/api-tokens').set(session.reading);
    expect(body.map((token: { id: string }) => token.id)).not.toContain(id);
  });

  test.each(['%00', '%F0%9F%A6%89', 'x', 'x'.repeat(3000)])('return 404 for the id %s', async (id) => {
    expect((await app.request.delete(`/api-tokens/${id}`).set(session.writing)).status).toBe(404);
  });

  test('cannot list, create or revoke tokens, which needs a session', async () => {
    for (const request of [
      app.request.get('/api-tokens'),
      app.request.post('/api-tokens').send({ name: 'x', scope: 'READ' }),
      app.request.delete('/api-tokens/abcdefgh'),
    ]) {
      const { status, body } = await request.set(app.people.ada.auth);
      expect(status).toBe(403);
      expect(body.code).toBe('session_required');
    }
  });

  describe('are rejected when they', () => {
    test('match no stored token', async () => {
      const text = `cmt_abcdefgh_${'A'.repeat(43)}`;
      const { status, headers, body } = await app.request.get('/auth/me').set(bearer(text));
      expect(status).toBe(401);
      expect(headers['www-authenticate']).toBe('Bearer');
      expect(body.code).toBe('invalid_token');
    });

    test('have a wrong secret', async () => {
      const text = `${app.people.ben.token.slice(0, 13)}${'A'.repeat(43)}`;
      expect((await app.request.get('/auth/me').set(bearer(text))).status).toBe(401);
    });

    test('are sent with another scheme', async () => {
      const { status } = await app.request
        .get('/auth/me')
        .set('Authorization', `Basic ${app.people.ben.token}`);
      expect(status).toBe(401);
    });

    test('have expired, to the millisecond', async () => {
      const { id } = await addUser(app);
      const text = await addToken(app, id, { expiresAt: new Date(app.clock.now().getTime() + 1000) });
      app.clock.advance(999);
      expect((await app.request.get('/auth/me').set(bearer(text))).status).toBe(200);
      app.clock.advance(1);
      const { status, body } = await app.request.get('/auth/me').set(bearer(text));
      expect({ status, detail: body.detail }).toEqual({ status: 401, detail: 'the API token has expired' });
    });

    test('belong to a disabled user', async () => {
      const { id } = await addUser(app, { enabled: false });
      expect((await app.request.get('/auth/me').set(bearer(await addToken(app, id)))).status).toBe(401);
    });

    test.each([
      [['10.0.0.0/8'], 401],
      [['10.0.0.0/8', '127.0.0.0/8'], 200],
      [['::/0'], 401],
    ])('may come from %j only and come from 127.0.0.1: %i', async (allowedCidrs, status) => {
      const { id } = await addUser(app);
      const text = await addToken(app, id, { allowedCidrs });
      expect((await app.request.get('/auth/me').set(bearer(text))).status).toBe(status);
    });

    test('are recorded in the audit log as one entry a minute', async () => {
      app.clock.advance(60_000);
      for (let attempt = 0; attempt < 3; attempt += 1)
        await app.request.get('/stats').set(bearer('cmt_wrong'));
      const { body } = await app.request.get('/audit-logs?action=auth.fail&limit=1').set(app.people.ada.auth);
      expect(body.logs).toMatchObject([{ resourceType: 'token', username: '', details: { count: 3 } }]);
    });
  });

  describe('allow no more than', () => {
    test('their scope: a READ token of an administrator may not write', async () => {
      const text = await addToken(app, app.people.ada.id, { scope: 'READ' });
      expect((await app.request.get('/spaces').set(bearer(text))).status).toBe(200);
      expect((await app.request.post('/spaces').set(bearer(text)).send({ name: 'x' })).status).toBe(403);
    });

    test('FULL_ACCESS, when they are not of scope ADMIN', async () => {
      const text = await addToken(app, app.people.ada.id, { scope: 'FULL_ACCESS' });
      expect((await app.request.post('/spaces').set(bearer(text)).send({ name: 'x' })).status).toBe(201);
      expect((await app.request.post('/audit-logs/test').set(bearer(text))).status).toBe(403);
    });

    test("their owner's right at each use", async () => {
      const spaceId = randomUUID();
      const user = await addUser(app);
      const text = await addToken(app, user.id, { scope: 'ADMIN' });
      const fqdns = `/spaces/${spaceId}/fqdns`;
      expect((await app.request.post(fqdns).set(bearer(text)).send({})).status).toBe(404);
      await grant(app, user, 'READ', [spaceId]);
      expect((await app.request.post(fqdns).set(bearer(text)).send({})).status).toBe(403);
      await grant(app, user, 'READ_WRITE', [spaceId]);
      expect((await app.request.post(fqdns).set(bearer(text)).send({})).status).toBe(400);
    });

    test('their spaces', async () => {
      const [inside, outside] = [randomUUID(), randomUUID()];
      const text = await addToken(app, app.people.ada.id, { scope: 'READ', spaceIds: [inside] });
      const status = async (id: string) =>
        (await app.request.post(`/spaces/${id}/fqdns`).set(bearer(text)).send({})).status;
      expect([await status(inside), await status(outside)]).toEqual([403, 404]);
    });
  });

  test.each([
    ['no name', { scope: 'READ' }],
    ['an empty name', { name: ' ', scope: 'READ' }],
    ['an unknown scope', { name: 'x', scope: 'ROOT' }],
    ['an end in the past', { name: 'x', scope: 'READ', expiresAt: '2026-02-01T00:00:00Z' }],
    ['an end in more than a year', { name: 'x', scope: 'READ', expiresAt: '2027-03-05T00:00:00Z' }],
    ['an invalid range', { name: 'x', scope: 'READ', allowedCidrs: ['10.0.0.0/33'] }],
    ['a space that its owner may not read', { name: 'x', scope: 'READ', spaceIds: [randomUUID()] }],
  ])('are not created with %s', async (_, body) => {
    expect((await create(body)).status).toBe(400);
  });

  test('of scope ADMIN cannot be restricted to spaces', async () => {
    const admin = await signIn(app, app.people.ada);
    const { status, body } = await app.request
      .post('/api-tokens')
      .set(admin.writing)
      .send({ name: 'x', scope: 'ADMIN', spaceIds: [randomUUID()] });
    expect(status).toBe(400);
    expect(body.errors[0].path).toBe('spaceIds');
  });

  test('are limited to 100 for each user', async () => {
    const user = await addUser(app);
    for (let made = 0; made < 99; made += 1) await addToken(app, user.id);
    session = await signIn(app, user);
    expect((await create({ name: 'the hundredth', scope: 'READ' })).status).toBe(201);
    const { status, body } = await create({ name: 'one more', scope: 'READ' });
    expect({ status, code: body.code }).toEqual({ status: 400, code: 'too_many_api_tokens' });
  });
});

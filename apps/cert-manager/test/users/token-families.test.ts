import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startApp, startAppOn, type TestApp } from '../support/app.js';
import { addToken, addUser, grant } from '../support/factories.js';
import { addSpace } from '../support/inventory.js';
import { type Person, type SignedIn, settlePerson, signIn } from '../support/people.js';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

interface Shown {
  readonly id: string;
  readonly token: string;
  readonly expiresAt: string;
  readonly familyId: string;
  readonly renewableUntil: string;
}

describeEachDialect('API tokens with successors', (open) => {
  let app: TestApp;
  let owner: Person;
  let session: SignedIn;
  const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });
  const create = (body: object = {}) =>
    app.request
      .post('/api-tokens')
      .set(session.writing)
      .send({ name: 'deploy', scope: 'READ_WRITE', renewable: true, ...body });
  const made = async (body: object = {}): Promise<Shown> => (await create(body).expect(201)).body;
  const succeed = (token: string) => app.request.post('/api-tokens/self/successor').set(bearer(token));
  const successorOf = async (token: string): Promise<Shown> => (await succeed(token).expect(201)).body;
  const statusOf = async (token: string) => (await app.request.get('/auth/me').set(bearer(token))).status;
  const after = (ms: number) => new Date(app.clock.now().getTime() + ms).toISOString();
  const listed = async () => (await app.request.get('/api-tokens').set(session.reading)).body as Shown[];
  const lastEntry = async (action: string) =>
    (await app.request.get(`/audit-logs?action=${action}&limit=1`).set(app.people.ada.auth)).body.logs[0];

  beforeAll(async () => {
    app = await startApp(open);
  });
  afterAll(() => app.close());
  beforeEach(async () => {
    const { username } = await addUser(app);
    owner = await settlePerson(app, { username: `${username}-owner` });
    session = await signIn(app, owner);
  });

  test('are created by renewable: true, for two years', async () => {
    const { id, ...token } = await made();
    expect(token).toMatchObject({ familyId: id, renewableUntil: after(730 * dayMs) });
    expect(await listed()).toContainEqual(
      expect.objectContaining({ id, familyId: id, renewableUntil: token.renewableUntil }),
    );
  });

  test.each([
    ['a text', { renewable: 'yes' }],
    ['more than two years', { renewableUntil: '2028-03-02T12:00:00Z' }],
    ['an end before that of the token', { renewableUntil: '2026-04-01T12:00:00Z' }],
    ['an end of a family without one', { renewable: false, renewableUntil: '2027-03-01T12:00:00Z' }],
  ])('are not created with %s', async (_, body) => {
    const answer = await create(body);
    expect(answer.status).toBe(400);
    expect(answer.body.errors[0].path).toMatch(/^renewable/);
  });

  test('create a successor of the same scope, spaces, addresses and lifetime', async () => {
    const space = await addSpace(app);
    await grant(app, owner, 'READ_WRITE', [space.id]);
    const limits = { spaceIds: [space.id], allowedCidrs: ['127.0.0.0/8'], expiresAt: after(10 * dayMs) };
    const first = await made(limits);
    app.clock.advance(6 * dayMs);
    const next = await successorOf(first.token);
    const { token: _, ...shown } = first;
    expect(next).toEqual({
      ...shown,
      id: expect.not.stringContaining(first.id),
      token: expect.stringMatching(/^cmt_/),
      expiresAt: after(10 * dayMs),
      createdAt: after(0),
    });
    expect([await statusOf(first.token), await statusOf(next.token)]).toEqual([200, 200]);
    expect(await lastEntry('auth.token.renew')).toMatchObject({
      username: owner.username,
      details: {
        tokenId: next.id,
        predecessorId: first.id,
        predecessorExpiresAt: after(dayMs),
        scope: 'READ_WRITE',
      },
    });
    expect(JSON.stringify(await lastEntry('auth.token.renew'))).not.toContain(next.token.slice(13));
  });

  test('end 24 h after their successor was created, or at their own expiry', async () => {
    const first = await made();
    await successorOf(first.token);
    app.clock.advance(dayMs - 1);
    expect(await statusOf(first.token)).toBe(200);
    app.clock.advance(1);
    expect(await statusOf(first.token)).toBe(401);

    session = await signIn(app, owner);
    const short = await made({ expiresAt: after(hourMs) });
    await successorOf(short.token);
    app.clock.advance(hourMs);
    expect(await statusOf(short.token)).toBe(401);
  });

  test('can be renewed for two years and no longer', async () => {
    let current = await made({ expiresAt: after(90 * dayMs) });
    const end = current.renewableUntil;
    let generations = 1;
    for (; current.expiresAt < end; generations += 1) {
      app.clock.advance(60 * dayMs);
      current = await successorOf(current.token);
      expect(current.renewableUntil).toBe(end);
    }
    // the last one is made after 660 days
    expect({ generations, expiresAt: current.expiresAt }).toEqual({ generations: 12, expiresAt: end });
    app.clock.set(new Date(Date.parse(end) - 1));
    current = await successorOf(current.token);
    expect(current.expiresAt).toBe(end);
    app.clock.advance(1);
    expect((await succeed(current.token)).status).toBe(401);
    app.clock.set(new Date('2026-03-01T12:00:00.000Z'));
  });

  test('delete expired tokens of the family', async () => {
    let current = await made({ expiresAt: after(hourMs) });
    for (let round = 0; round < 30; round += 1) {
      app.clock.advance(hourMs / 2);
      current = await successorOf(current.token);
      expect(await statusOf(current.token)).toBe(200);
    }
    session = await signIn(app, owner);
    expect((await listed()).filter(({ familyId }) => familyId === current.familyId)).toHaveLength(2);
  });

  test('are limited to ten of a family at a time', async () => {
    let current = await made();
    for (let round = 0; round < 9; round += 1) {
      current = await successorOf(current.token);
      await statusOf(current.token);
    }
    const { status, body } = await succeed(current.token);
    expect({ status, code: body.code }).toEqual({ status: 409, code: 'too_many_successors' });
    app.clock.advance(dayMs);
    expect((await succeed(current.token)).status).toBe(201);
  });

  test('are renewed beyond the 100 tokens of a user', async () => {
    const first = await made();
    while ((await listed()).length < 100) await addToken(app, owner.id);
    await successorOf(first.token);
  });

  describe('when the response was lost', () => {
    test('create another successor in place of the lost one', async () => {
      const first = await made();
      const lost = await successorOf(first.token);
      app.clock.advance(hourMs);
      const next = await successorOf(first.token);
      expect([await statusOf(lost.token), await statusOf(next.token)]).toEqual([401, 200]);
      expect(await lastEntry('auth.token.renew')).toMatchObject({ details: { replaced: [lost.id] } });
    });

    test('do not extend their lifetime by repeated requests', async () => {
      const first = await made();
      await successorOf(first.token);
      app.clock.advance(dayMs - 1);
      await successorOf(first.token);
      app.clock.advance(1);
      expect(await statusOf(first.token)).toBe(401);
    });

    test('create none once the successor was used', async () => {
      const first = await made();
      const next = await successorOf(first.token);
      expect(await statusOf(next.token)).toBe(200);
      const { status, body } = await succeed(first.token);
      expect({ status, code: body.code }).toEqual({ status: 409, code: 'successor_in_use' });
      expect(await statusOf(next.token)).toBe(200);
    });

    test('keep one of ten successors of concurrent requests to two replicas', async () => {
      const other = await startAppOn(app.database, { beside: app });
      const first = await made();
      const answers = await Promise.all(
        Array.from({ length: 10 }, (_, turn) =>
          (turn % 2 === 0 ? app : other).request.post('/api-tokens/self/successor').set(bearer(first.token)),
        ),
      );
      await other.close();
      const statuses = await Promise.all(answers.map(({ body }) => statusOf(body.token)));
      expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 201));
      expect(statuses.filter((status) => status === 200)).toHaveLength(1);
      expect((await listed()).filter(({ familyId }) => familyId === first.familyId)).toHaveLength(2);
    });
  });

  describe('create no successor', () => {
    test('without renewable: true', async () => {
      const { token } = await made({ renewable: false });
      const { status, body } = await succeed(token);
      expect({ status, code: body.code }).toEqual({ status: 403, code: 'token_not_renewable' });
      expect(await statusOf(token)).toBe(200);
    });

    test('when they have expired', async () => {
      const { token } = await made({ expiresAt: after(1000) });
      app.clock.advance(1000);
      expect((await succeed(token)).status).toBe(401);
    });

    test('when their owner is disabled', async () => {
      const { token } = await made();
      await app.request.put(`/users/${owner.id}`).set(app.people.ada.auth).send({ enabled: false });
      expect((await succeed(token)).status).toBe(401);
    });

    test('with more permissions than the owner has, for any input', async () => {
      const first = await made({ scope: 'READ' });
      const answer = await succeed(first.token).send({
        scope: 'ADMIN',
        spaceIds: null,
        expiresAt: after(1e9),
      });
      expect(answer.body).toMatchObject({ scope: 'READ', expiresAt: first.expiresAt });
      const { status } = await app.request.post('/spaces').set(bearer(answer.body.token)).send({ name: 'x' });
      expect(status).toBe(403);
    });

    test('from an address outside of their ranges', async () => {
      const { token } = await made({ allowedCidrs: ['10.0.0.0/8'] });
      expect((await succeed(token)).status).toBe(401);
    });
  });

  describe('are revoked with their family', () => {
    const others = async (family: readonly Shown[]) =>
      Promise.all(family.map(({ token }) => statusOf(token)));
    const family = async () => {
      const first = await made();
      const second = await successorOf(first.token);
      await statusOf(second.token);
      return [first, second, await successorOf(second.token)] as const;
    };

    test.each([0, 1, 2])('by their owner, from generation %i', async (generation) => {
      const tokens = await family();
      const stranger = await made();
      const { id } = tokens[generation] ?? stranger;
      await app.request.delete(`/api-tokens/${id}`).set(session.writing).expect(200);
      expect(await others(tokens)).toEqual([401, 401, 401]);
      expect(await statusOf(stranger.token)).toBe(200);
      const entry = await lastEntry('auth.token.revoke');
      expect(entry.details).toMatchObject({ tokenId: id });
      expect(entry.details.tokenIds.toSorted()).toEqual(tokens.map((token) => token.id).toSorted());
    });

    test('by one of them', async () => {
      const tokens = await family();
      await app.request.delete('/api-tokens/self').set(bearer(tokens[0].token)).expect(200);
      expect(await others(tokens)).toEqual([401, 401, 401]);
    });

    test('while a successor is being made', async () => {
      for (let round = 0; round < 5; round += 1) {
        const first = await made();
        const [next] = await Promise.all([
          succeed(first.token),
          app.request.delete(`/api-tokens/${first.id}`).set(session.writing).expect(200),
        ]);
        expect([201, 401]).toContain(next.status);
        if (next.status === 201) expect(await statusOf(next.body.token)).toBe(401);
      }
    });
  });

  describe('of any kind', () => {
    test.each(['READ', 'READ_WRITE', 'FULL_ACCESS', 'ADMIN'])('revoke themselves: %s', async (scope) => {
      const { token } = await made({ scope, renewable: false });
      const { status, body } = await app.request.delete('/api-tokens/self').set(bearer(token));
      expect({ status, body }).toEqual({ status: 200, body: { message: 'API token revoked' } });
      expect(await statusOf(token)).toBe(401);
      expect((await app.request.delete('/api-tokens/self').set(bearer(token))).status).toBe(401);
    });

    test('are listed and revoked by administrators', async () => {
      const mine = await made({ renewable: false });
      const tokens = `/users/${owner.id}/api-tokens`;
      const { body, text } = await app.request.get(tokens).set(app.people.ada.auth).expect(200);
      expect(body.map(({ id }: Shown) => id).toSorted()).toEqual(
        (await listed()).map(({ id }) => id).toSorted(),
      );
      expect(text).not.toContain(mine.token.slice(13));
      await app.request.delete(`${tokens}/${mine.id}`).set(app.people.ada.auth).expect(200);
      expect(await statusOf(mine.token)).toBe(401);
      expect(await statusOf(owner.token)).toBe(200);
      expect(await lastEntry('auth.token.revoke')).toMatchObject({
        username: 'ada',
        details: { tokenId: mine.id, userId: owner.id },
      });
    });

    test('are not found under another user', async () => {
      const { id, token } = await made();
      const path = `/users/${app.people.ben.id}/api-tokens/${id}`;
      expect((await app.request.delete(path).set(app.people.ada.auth)).status).toBe(404);
      expect(await statusOf(token)).toBe(200);
    });

    test('end with a reset of the password, if the administrator says so', async () => {
      const { token } = await made();
      const reset = (body: object) =>
        app.request.put(`/users/${owner.id}`).set(app.people.ada.auth).send(body).expect(200);
      await reset({ password: 'nine green bottles' });
      expect(await statusOf(token)).toBe(200);
      await reset({ password: 'ten green bottles', revokeTokens: true });
      expect([await statusOf(token), await statusOf(owner.token)]).toEqual([401, 401]);
      const { details } = await lastEntry('user.update');
      expect(details).toMatchObject({ password: { changed: true } });
      expect(details.revokedTokens).toHaveLength(2);
    });
  });
});

describeEachDialect('API tokens in open mode', (open) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp(open, { environment: { AUTH_MODE: 'open' } });
  });
  afterAll(() => app.close());

  test('need a token of the request to make a successor or revoke it', async () => {
    for (const request of [
      app.request.post('/api-tokens/self/successor'),
      app.request.delete('/api-tokens/self'),
    ]) {
      const { status, body } = await request;
      expect({ status, code: body.code }).toEqual({ status: 403, code: 'token_required' });
    }
    const token = await addToken(app, app.people.ben.id);
    const sent = app.request.delete('/api-tokens/self').set('Authorization', `Bearer ${token}`);
    expect((await sent).status).toBe(200);
  });

  test('are listed by the built-in administrator', async () => {
    const { status, body } = await app.request.get(`/users/${app.people.ben.id}/api-tokens`);
    expect({ status, count: body.length }).toEqual({ status: 200, count: 1 });
  });
});

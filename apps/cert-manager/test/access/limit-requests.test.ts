import { afterEach, describe, expect, test } from 'vitest';
import { startAppOnSqlite, type TestApp } from '../support/app.js';
import { grant } from '../support/factories.js';
import { addFqdn, addSpace } from '../support/inventory.js';
import type { Person } from '../support/people.js';

describe('requests', () => {
  let app: TestApp;
  afterEach(() => app.close());
  const start = async (environment: Readonly<Record<string, string>> = {}) => {
    app = await startAppOnSqlite({ environment });
  };
  const ask = (person: Person, path = '/spaces') => app.request.get(path).set(person.auth);

  test('are not counted unless the operator sets a limit', async () => {
    await start();
    for (let count = 0; count < 20; count += 1) await ask(app.people.ben).expect(200);
    const { headers } = await ask(app.people.ben).expect(200);
    expect(headers).not.toHaveProperty('ratelimit');
    expect(headers).not.toHaveProperty('ratelimit-policy');
  });

  describe('of one user', () => {
    const limited = () => start({ CERT_MANAGER_REQUESTS_PER_MINUTE: '4' });

    test('show how many are left, and are rejected when none are left', async () => {
      await limited();
      const { ben } = app.people;
      const left: string[] = [];
      for (let count = 0; count < 4; count += 1) {
        const { headers } = await ask(ben).expect(200);
        expect(headers['ratelimit-policy']).toBe('"principal";q=4;w=60');
        left.push(String(headers['ratelimit']));
      }
      expect(left).toEqual([3, 2, 1, 0].map((r) => `"principal";r=${r};t=${60 - 15 * r}`));
      const { body, headers } = await ask(ben).expect(429);
      expect(body).toMatchObject({ status: 429, code: 'rate_limited', error: 'Too many requests' });
      expect(headers).toMatchObject({
        'content-type': expect.stringContaining('application/problem+json'),
        'retry-after': '15',
        ratelimit: '"principal";r=0;t=60',
      });
    });

    test('are accepted again when the allowance has refilled', async () => {
      await limited();
      const { ben } = app.people;
      for (let count = 0; count < 4; count += 1) await ask(ben).expect(200);
      app.clock.advance(14_999);
      await ask(ben).expect(429);
      app.clock.advance(1);
      await ask(ben).expect(200);
      await ask(ben).expect(429);
      app.clock.advance(60_000);
      for (let count = 0; count < 4; count += 1) await ask(ben).expect(200);
    });

    test('do not count for other users', async () => {
      await limited();
      for (let count = 0; count < 5; count += 1) await ask(app.people.ben);
      await ask(app.people.cleo).expect(200);
    });

    test('count even if they are rejected for another reason', async () => {
      await limited();
      for (let count = 0; count < 4; count += 1) await ask(app.people.ben, '/users').expect(403);
      await ask(app.people.ben, '/users').expect(429);
    });

    test('do not count if they need no credential, such as health requests and challenges', async () => {
      await limited();
      for (let count = 0; count < 5; count += 1) await ask(app.people.ben);
      for (const path of ['/health', '/health/live', '/health/ready', '/openapi.json']) {
        for (let count = 0; count < 6; count += 1) await app.request.get(path).expect(200);
      }
      const token = '/.well-known/acme-challenge/abcdefghijklmnopqrstuv';
      for (let count = 0; count < 6; count += 1) await app.request.get(token).expect(404);
    });
  });

  describe('on one space', () => {
    test('are rejected for all users above the limit, but not on another space', async () => {
      await start({ CERT_MANAGER_SPACE_REQUESTS_PER_MINUTE: '3' });
      const { ada, ben } = app.people;
      const [space, other] = [await addSpace(app), await addSpace(app)];
      await grant(app, ben, 'READ', [space.id]);
      const list = (person: Person, { id }: { id: string } = space) => ask(person, `/spaces/${id}/fqdns`);
      const { headers } = await list(ada).expect(200);
      expect(headers['ratelimit-policy']).toBe('"space";q=3;w=60');
      await ask(ben, `/spaces/${space.id}/fqdns/count`).expect(200);
      await list(ben).expect(200);
      expect((await list(ada).expect(429)).headers['retry-after']).toBe('20');
      await list(ada, other).expect(200);
      await ask(ada).expect(200);
      app.clock.advance(20_000);
      await list(ada).expect(200);
    });

    test('do not count if the caller cannot read the space', async () => {
      await start({ CERT_MANAGER_SPACE_REQUESTS_PER_MINUTE: '2' });
      const space = await addSpace(app);
      for (let count = 0; count < 5; count += 1) {
        await ask(app.people.cleo, `/spaces/${space.id}/fqdns`).expect(404);
        await ask(app.people.cleo, `/spaces/${space.id}/fqdns/count`).expect(200);
      }
      await ask(app.people.ada, `/spaces/${space.id}/fqdns`).expect(200);
    });

    test('are counted for the user first', async () => {
      await start({
        CERT_MANAGER_REQUESTS_PER_MINUTE: '3',
        CERT_MANAGER_SPACE_REQUESTS_PER_MINUTE: '30',
      });
      const space = await addSpace(app);
      const { headers } = await ask(app.people.ada, `/spaces/${space.id}/fqdns`).expect(200);
      expect(headers['ratelimit-policy']).toBe('"principal";q=3;w=60, "space";q=30;w=60');
      expect(headers['ratelimit']).toBe('"principal";r=1;t=40, "space";r=29;t=2');
      await addFqdn(app, space.id);
      expect((await ask(app.people.ada, `/spaces/${space.id}/fqdns`).expect(429)).headers['ratelimit']).toBe(
        '"principal";r=0;t=60',
      );
    });
  });

  test('of the scheduler are not counted', async () => {
    await start({ CERT_MANAGER_REQUESTS_PER_MINUTE: '1', CERT_MANAGER_SPACE_REQUESTS_PER_MINUTE: '1' });
    for (let count = 0; count < 3; count += 1) expect(await app.renew()).toMatchObject({ isDone: true });
    await ask(app.people.ada).expect(200);
  });
});

test('every operation that needs a credential may be answered with 429', async () => {
  const app = await startAppOnSqlite();
  const { body } = await app.request.get('/openapi.json').expect(200);
  await app.close();
  const operations = Object.entries<Record<string, { security?: object; responses: object }>>(
    body.paths,
  ).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { security, responses }]) => ({
      name: `${method} ${path}`,
      isPublic: security !== undefined,
      has429: '429' in responses,
    })),
  );
  expect(operations.length).toBeGreaterThan(50);
  const lacking = operations.filter(({ isPublic, has429 }) => !isPublic && !has429);
  expect(lacking).toEqual([]);
});

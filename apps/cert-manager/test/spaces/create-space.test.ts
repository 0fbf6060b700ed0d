import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, startAppOn, type TestApp } from '../support/app.js';
import { grant, grantEverything } from '../support/factories.js';
import { addSpace, auditEntries } from '../support/inventory.js';
import { settlePerson } from '../support/people.js';

describeEachDialect('creating a space', (open) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp(open);
  });
  afterAll(() => app.close());

  const post = (body: unknown, type = 'application/json') =>
    app.request
      .post('/spaces')
      .set(app.people.ada.auth)
      .set('Content-Type', type)
      .send(typeof body === 'string' ? body : JSON.stringify(body));

  test('shows it with every documented field', async () => {
    const { body } = await post({ name: 'Shop', description: 'what sells' }).expect(201);
    expect(body).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/),
      name: 'Shop',
      description: 'what sells',
      createdAt: app.clock.now().toISOString(),
    });
    const { body: spaces } = await app.request.get('/spaces').set(app.people.ada.auth).expect(200);
    expect(spaces).toContainEqual(body);
  });

  test('treats an absent description as empty, and ignores unknown members', async () => {
    const { body } = await post({ name: 'Plain', id: 'x', createdAt: 'never', colour: 'red' }).expect(201);
    expect(body).toMatchObject({ name: 'Plain', description: '' });
    expect(body).not.toHaveProperty('colour');
  });

  test('accepts a name that already exists', async () => {
    const one = await addSpace(app, 'twin');
    const other = await addSpace(app, 'twin');
    expect(other.id).not.toBe(one.id);
  });

  test.each([
    ['blanks around it', '  Shop \t', 'Shop'],
    ['100 characters', 'n'.repeat(100), 'n'.repeat(100)],
    ['100 emoji', '🚀'.repeat(100), '🚀'.repeat(100)],
    ['a composed emoji', '👩‍💻 team', '👩‍💻 team'],
    ['a letter and its accent apart', 'Cafe\u0301', 'Café'],
    [
      'quotes and markup',
      `<b>"Shop" & 'Sons'</b>; drop table spaces`,
      `<b>"Shop" & 'Sons'</b>; drop table spaces`,
    ],
  ])('stores a name of %s', async (_situation, name, stored) => {
    const { body } = await post({ name }).expect(201);
    expect(body.name).toBe(stored);
  });

  test('stores line breaks and 1000 characters of a description', async () => {
    const description = `line\n\tline\r\n${'🚀'.repeat(988)}`;
    const { body } = await post({ name: 'Described', description }).expect(201);
    expect(body.description).toBe(description);
  });

  test.each<[string, unknown]>([
    ['no body', ''],
    ['an empty object', {}],
    ['an array', []],
    ['a text', '"name"'],
    ['null', 'null'],
    ['a number', '1'],
    ['broken JSON', '{"name":'],
    ['a name that is null', { name: null }],
    ['a name that is a number', { name: 5 }],
    ['a name that is an array', { name: ['x'] }],
    ['a name that is an object', { name: { toString: 'x' } }],
    ['an empty name', { name: '' }],
    ['a name of blanks', { name: ' \t ' }],
    ['a name of 101 characters', { name: 'n'.repeat(101) }],
    ['a name of 200,000 characters', { name: 'n'.repeat(200_000) }],
    ['a name with a line break', { name: 'a\nb' }],
    ['a name with NUL', { name: 'a\u0000b' }],
    ['a name that turns text around', { name: 'a\u202eb' }],
    ['half of a surrogate pair', '{"name":"\\ud800"}'],
    ['a description that is null', { name: 'x', description: null }],
    ['a description that is a number', { name: 'x', description: 1 }],
    ['a description of 1001 characters', { name: 'x', description: 'd'.repeat(1001) }],
    ['a description with NUL', { name: 'x', description: '\u0000' }],
    ['a body nested too deep', `{"name":"x","deep":${'['.repeat(30)}${']'.repeat(30)}}`],
  ])('refuses %s', async (_situation, body) => {
    const { body: problem, headers } = await post(body).expect(400);
    expect(headers['content-type']).toContain('application/problem+json');
    expect(problem).toMatchObject({ status: 400, code: expect.any(String), message: expect.any(String) });
    expect(problem.errors.length).toBeGreaterThan(0);
  });

  test('names the member that is missing', async () => {
    const { body } = await post({}).expect(400);
    expect(body.errors).toEqual([{ path: 'name', code: 'required', message: 'is required' }]);
  });

  test('refuses another content type', async () => {
    await post('name=x', 'application/x-www-form-urlencoded').expect(415);
    await post('{"name":"x"}', 'text/plain').expect(415);
  });

  test('refuses a body over the limit', async () => {
    await post({ name: 'x', description: 'd'.repeat(300_000) }).expect(413);
  });

  test('requires full access to all spaces', async () => {
    const { ben, cleo } = app.people;
    const space = await addSpace(app);
    await grant(app, ben, 'FULL_ACCESS', [space.id]);
    const dora = await settlePerson(app, { username: 'dora' });
    await grantEverything(app, dora);
    const as = (person: typeof ben) => app.request.post('/spaces').set(person.auth).send({ name: 'x' });
    await as(ben).expect(403);
    await as(cleo).expect(403);
    await as(dora).expect(201);
    await app.request.post('/spaces').send({ name: 'x' }).expect(401);
  });

  test('checks the permission before it validates the body', async () => {
    await app.request.post('/spaces').set(app.people.cleo.auth).send('{').expect(403);
  });

  test('leaves an audit entry', async () => {
    const space = await addSpace(app, 'audited');
    const entries = await auditEntries(app, 'space.create');
    expect(entries.find(({ resourceId }) => resourceId === space.id)).toMatchObject({
      resourceType: 'space',
      spaceId: space.id,
      userId: app.people.ada.id,
      username: 'ada',
      details: { outcome: 'success', after: { name: 'audited', description: '' } },
    });
  });

  describe('with an Idempotency-Key', () => {
    const send = (key: string, body: object = { name: 'once' }, at = app, person = app.people.ada) =>
      at.request.post('/spaces').set(person.auth).set('Idempotency-Key', key).send(body);
    const countOf = async (name: string): Promise<number> => {
      const { body } = await app.request.get('/spaces').set(app.people.ada.auth).expect(200);
      return body.filter((space: { name: string }) => space.name === name).length;
    };

    test('creates one space for two requests, with one audit entry', async () => {
      const before = (await auditEntries(app, 'space.create')).length;
      const first = await send('key-1', { name: 'once', description: 'x' }).expect(201);
      app.clock.advance(86_400_000);
      const second = await send('key-1', { description: 'x', name: ' once ' }).expect(201);
      expect(second.body).toEqual(first.body);
      expect(await countOf('once')).toBe(1);
      expect(await auditEntries(app, 'space.create')).toHaveLength(before + 1);
    });

    test('creates one space for twenty concurrent requests to two replicas', async () => {
      const other = await startAppOn(app.database, { beside: app });
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, turn) =>
          send('key-2', { name: 'at once' }, turn % 2 === 0 ? app : other),
        ),
      );
      await other.close();
      expect(new Set(answers.map(({ status, body }) => `${status} ${body.id}`)).size).toBe(1);
      expect(answers[0]?.status).toBe(201);
      expect(await countOf('at once')).toBe(1);
    });

    test('rejects another request with the same key', async () => {
      await send('key-3', { name: 'one' }).expect(201);
      const { status, body } = await send('key-3', { name: 'another' });
      expect({ status, code: body.code }).toEqual({ status: 400, code: 'idempotency_key_reused' });
      expect(await countOf('another')).toBe(0);
    });

    test('creates a separate space for each user', async () => {
      const grace = await settlePerson(app, { username: 'grace', isAdmin: true });
      const one = await send('key-4').expect(201);
      const other = await send('key-4', { name: 'once' }, app, grace).expect(201);
      expect(other.body.id).not.toBe(one.body.id);
    });

    test('creates another one after the first was deleted', async () => {
      const one = await send('key-5').expect(201);
      await app.request.delete(`/spaces/${one.body.id}`).set(app.people.ada.auth).expect(200);
      const other = await send('key-5').expect(201);
      expect(other.body.id).not.toBe(one.body.id);
    });

    test('checks the permission again', async () => {
      const heidi = await settlePerson(app, { username: 'heidi', isAdmin: true });
      await send('key-6', { name: 'once' }, app, heidi).expect(201);
      await app.request
        .put(`/users/${heidi.id}`)
        .set(app.people.ada.auth)
        .send({ isAdmin: false })
        .expect(200);
      await send('key-6', { name: 'once' }, app, heidi).expect(403);
    });

    test.each([
      ['a blank', 'a b'],
      ['201 characters', 'k'.repeat(201)],
      ['nothing', ''],
    ])('refuses a key of %s', async (_, key) => {
      const { status, body } = await send(key);
      expect({ status, code: body.code }).toEqual({ status: 400, code: 'invalid_idempotency_key' });
    });

    test('stores neither the space nor the key if the audit entry cannot be written', async () => {
      const { request, database } = app;
      // as if the process was killed before the commit: nothing of the request may stay
      await database.transaction((tx) => tx.query('alter table audit_logs rename to audit_logs_away'));
      const failed = await request
        .post('/spaces')
        .set(app.people.ada.auth)
        .set('Idempotency-Key', 'key-7')
        .send({ name: 'killed' });
      await database.transaction((tx) => tx.query('alter table audit_logs_away rename to audit_logs'));
      expect(failed.status).toBeGreaterThanOrEqual(500);
      expect(await countOf('killed')).toBe(0);
      await send('key-7', { name: 'killed' }).expect(201);
      expect(await countOf('killed')).toBe(1);
    });
  });
});

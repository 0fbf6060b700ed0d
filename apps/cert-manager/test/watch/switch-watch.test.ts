import type { Space } from '@certloop/contracts';
import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApp, type TestApp } from '../support/app.js';
import { grant, grantEverything } from '../support/factories.js';
import { addSpace, auditEntries, badIds, unknownId } from '../support/inventory.js';

describeEachDialect('switching the watch of a space', (open) => {
  let app: TestApp;
  let space: Space;
  beforeAll(async () => {
    app = await startApp(open);
    space = await addSpace(app);
  });
  afterAll(() => app.close());

  const put = (body: unknown, id = space.id, person = app.people.ada) =>
    app.request
      .put(`/spaces/${id}/watch-enabled`)
      .set(person.auth)
      .set('Content-Type', 'application/json')
      .send(typeof body === 'string' ? body : JSON.stringify(body));

  async function stored(id = space.id): Promise<Space | undefined> {
    const { body } = await app.request.get('/spaces').set(app.people.ada.auth).expect(200);
    return (body as Space[]).find((one) => one.id === id);
  }

  test('is on for a new space, and shown only if it is off', async () => {
    expect(await stored()).toEqual(space);
    expect(space).not.toHaveProperty('watchEnabled');
  });

  test('sets the given value, even if it is unchanged, and nothing else', async () => {
    for (const watchEnabled of [false, false, true, true, false, true]) {
      const { body } = await put({ watchEnabled }).expect(200);
      expect(body).toEqual({ message: expect.any(String) });
      expect(await stored()).toEqual(watchEnabled ? space : { ...space, watchEnabled });
    }
  });

  test.each([
    ['absent', {}, undefined],
    ['on', { watchEnabled: true }, undefined],
    ['off', { watchEnabled: false }, false],
  ])('can be set for a new space: %s', async (_, given, shown) => {
    const { body } = await app.request
      .post('/spaces')
      .set(app.people.ada.auth)
      .send({ name: 'new', ...given })
      .expect(201);
    expect(body.watchEnabled).toBe(shown);
    expect((await stored(body.id))?.watchEnabled).toBe(shown);
  });

  test.each([
    ['null', null],
    ['a text', 'true'],
    ['a number', 1],
  ])('is rejected for a new space as %s', async (_, watchEnabled) => {
    const sent = app.request.post('/spaces').set(app.people.ada.auth).send({ name: 'new', watchEnabled });
    const { body } = await sent.expect(400);
    expect(body.errors).toEqual([expect.objectContaining({ path: 'watchEnabled' })]);
  });

  test('writes an audit entry with the old and new values', async () => {
    await put({ watchEnabled: false }).expect(200);
    const entry = (await auditEntries(app, 'space.watch')).at(-1);
    expect(entry).toMatchObject({
      resourceType: 'space',
      resourceId: space.id,
      spaceId: space.id,
      details: { before: { watchEnabled: true }, after: { watchEnabled: false } },
    });
    await put({ watchEnabled: true }).expect(200);
  });

  test.each<[string, unknown]>([
    ['no body', ''],
    ['an empty object', {}],
    ['null', { watchEnabled: null }],
    ['a text', { watchEnabled: 'true' }],
    ['a number', { watchEnabled: 1 }],
    ['an array', [true]],
    ['a boolean alone', 'true'],
    ['broken JSON', '{"watchEnabled":tru'],
  ])('refuses %s', async (_situation, body) => {
    await put(body).expect(400);
    expect(await stored()).toEqual(space);
  });

  test('returns 404 for an unknown space', async () => {
    for (const id of [unknownId, ...badIds]) await put({ watchEnabled: false }, id).expect(404);
  });

  test('requires FULL_ACCESS on the space, and returns 404 for unreadable spaces', async () => {
    const { ben, cleo } = app.people;
    const on = { watchEnabled: true };
    await put(on, space.id, cleo).expect(404);
    await grant(app, ben, 'READ', [space.id]);
    await put(on, space.id, ben).expect(403);
    await grant(app, ben, 'READ_WRITE', [space.id]);
    await put(on, space.id, ben).expect(403);
    await grant(app, ben, 'FULL_ACCESS', [space.id]);
    await put(on, space.id, ben).expect(200);
    await grantEverything(app, cleo);
    await put(on, space.id, cleo).expect(200);
    await app.request.put(`/spaces/${space.id}/watch-enabled`).send(on).expect(401);
  });

  test('has no other method', async () => {
    const path = `/spaces/${space.id}/watch-enabled`;
    const { headers } = await app.request.get(path).set(app.people.ada.auth).expect(405);
    expect(headers['allow']).toBe('PUT');
  });
});

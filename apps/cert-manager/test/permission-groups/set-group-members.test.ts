import type { PermissionGroup } from '@certloop/contracts';
import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { makeGroup, malformedBodies, readGroup, sendJson } from '../support/access/groups.js';
import { startApp, type TestApp } from '../support/app.js';
import { auditEntries, badIds, unknownId } from '../support/inventory.js';

describeEachDialect('members of a permission group', (open) => {
  let app: TestApp;
  let group: PermissionGroup;
  beforeAll(async () => {
    app = await startApp(open);
  });
  beforeEach(async () => {
    group = await makeGroup(app, { userIds: [app.people.ben.id] });
  });
  afterAll(() => app.close());

  const path = (rest = '', id: string = group.id) => `/permission-groups/${id}/members${rest}`;
  const list = async () => (await app.request.get(path()).set(app.people.ada.auth).expect(200)).body;
  const add = (userId: string) => app.request.post(path(`/${userId}`)).set(app.people.ada.auth);
  const remove = (userId: string) => app.request.delete(path(`/${userId}`)).set(app.people.ada.auth);

  test('are listed', async () => {
    expect(await list()).toEqual({ userIds: [app.people.ben.id] });
  });

  test('are replaced by a list without its duplicates', async () => {
    const { ada, cleo } = app.people;
    const userIds = [cleo.id, ada.id].toSorted();
    const { body } = await sendJson(app, 'put', path(), {
      userIds: [...userIds, cleo.id.toUpperCase()],
    }).expect(200);
    expect(body).toEqual({ userIds });
    expect(await list()).toEqual({ userIds });
    expect((await readGroup(app, group)).userIds).toEqual(userIds);
    expect((await auditEntries(app, 'group.member.set')).at(-1)).toMatchObject({
      resourceId: group.id,
      details: { added: userIds, removed: [app.people.ben.id] },
    });
    expect((await sendJson(app, 'put', path(), { userIds: [] }).expect(200)).body).toEqual({ userIds: [] });
  });

  test('are added, once', async () => {
    const { cleo } = app.people;
    await add(cleo.id).expect(200);
    await add(cleo.id).expect(200);
    expect((await list()).userIds).toHaveLength(2);
    const entries = await auditEntries(app, 'group.member.add');
    expect(entries.slice(-2).map(({ details }) => details)).toMatchObject([
      { userId: cleo.id, isNew: true },
      { userId: cleo.id, isNew: false },
    ]);
  });

  test('are added by many at once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => add(app.people.cleo.id)).map(async (answer) => (await answer).status),
    );
    expect(answers).toEqual(Array.from({ length: 6 }, () => 200));
    expect((await list()).userIds).toHaveLength(2);
  });

  test('are removed, once', async () => {
    await remove(app.people.ben.id).expect(200);
    await remove(app.people.ben.id).expect(404);
    expect(await list()).toEqual({ userIds: [] });
    expect((await auditEntries(app, 'group.member.remove')).at(-1)).toMatchObject({
      resourceId: group.id,
      details: { userId: app.people.ben.id },
    });
  });

  test.each<[string, unknown]>([
    ...malformedBodies,
    ['no list', {}],
    ['a list that is null', { userIds: null }],
    ['one id', { userIds: unknownId }],
    ['an id that is not a UUID', { userIds: ['ben'] }],
    ['an id that no user has', { userIds: [unknownId] }],
  ])('are not replaced by %s', async (_, body) => {
    await sendJson(app, 'put', path(), body).expect(400);
    expect(await list()).toEqual({ userIds: [app.people.ben.id] });
  });

  test('return 404 for unknown groups and users', async () => {
    const { ada, ben } = app.people;
    for (const id of [unknownId, ...badIds]) {
      await app.request.get(path('', id)).set(ada.auth).expect(404);
      await sendJson(app, 'put', path('', id), { userIds: [ben.id] }).expect(404);
      await app.request
        .post(path(`/${ben.id}`, id))
        .set(ada.auth)
        .expect(404);
      await app.request
        .delete(path(`/${ben.id}`, id))
        .set(ada.auth)
        .expect(404);
      await add(id).expect(404);
      await remove(id).expect(404);
    }
  });

  test('are shown to and changed by administrators only', async () => {
    const { ben } = app.people;
    await app.request.get(path()).set(ben.auth).expect(403);
    await sendJson(app, 'put', path(), { userIds: [] }, ben).expect(403);
    await app.request
      .post(path(`/${ben.id}`))
      .set(ben.auth)
      .expect(403);
    await app.request
      .delete(path(`/${ben.id}`))
      .set(ben.auth)
      .expect(403);
    await app.request.get(path()).expect(401);
  });
});

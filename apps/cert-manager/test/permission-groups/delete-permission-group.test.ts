import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeGroup, readGroup } from '../support/access/groups.js';
import { startApp, type TestApp } from '../support/app.js';
import { addSpace, auditEntries, badIds, unknownId } from '../support/inventory.js';

describeEachDialect('deleting a permission group', (open) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp(open);
  });
  afterAll(() => app.close());

  const drop = (id: string, person = app.people.ada) =>
    app.request.delete(`/permission-groups/${id}`).set(person.auth);

  test('removes its permissions from its members, and no spaces or users', async () => {
    const { ben } = app.people;
    const space = await addSpace(app);
    const group = await makeGroup(app, { spaceIds: [space.id], userIds: [ben.id] });
    const list = () => app.request.get(`/spaces/${space.id}/fqdns`).set(ben.auth);
    await list().expect(200);
    expect((await drop(group.id).expect(200)).body).toEqual({ message: 'permission group deleted' });
    await list().expect(404);
    await app.request.get(`/spaces/${space.id}/fqdns`).set(app.people.ada.auth).expect(200);
    await drop(group.id).expect(404);
    expect((await auditEntries(app, 'group.delete')).at(-1)).toMatchObject({
      resourceId: group.id,
      details: { before: { name: 'group', spaceIds: [space.id], userIds: [ben.id] } },
    });
  });

  test('succeeds for one of two concurrent requests', async () => {
    const { id } = await makeGroup(app, {});
    const statuses = await Promise.all([drop(id), drop(id)].map(async (answer) => (await answer).status));
    expect(statuses.toSorted()).toEqual([200, 404]);
  });

  test('returns 404 for an unknown group', async () => {
    await drop(unknownId).expect(404);
    for (const id of badIds) await drop(id).expect(404);
  });

  test('is for administrators only', async () => {
    const group = await makeGroup(app, { permission: 'FULL_ACCESS', userIds: [app.people.cleo.id] });
    await drop(group.id, app.people.cleo).expect(403);
    await drop(unknownId, app.people.ben).expect(403);
    expect(await readGroup(app, group)).toEqual(group);
  });
});

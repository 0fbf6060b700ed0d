import type { PermissionGroup } from '@certloop/contracts';
import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeGroup } from '../support/access/groups.js';
import { startApp, type TestApp } from '../support/app.js';
import { addSpace, badIds, unknownId } from '../support/inventory.js';

describeEachDialect('reading permission groups', (open) => {
  let app: TestApp;
  let groups: PermissionGroup[];
  beforeAll(async () => {
    app = await startApp(open);
    const { ben, cleo } = app.people;
    const space = await addSpace(app);
    groups = [
      await makeGroup(app, { name: 'z', spaceIds: [space.id], userIds: [ben.id, cleo.id] }),
      await makeGroup(app, { name: 'a', permission: 'FULL_ACCESS', userIds: [ben.id] }),
      await makeGroup(app, { name: 'm' }),
    ];
  });
  afterAll(() => app.close());

  test('lists them oldest first, with their spaces and members', async () => {
    const { body } = await app.request.get('/permission-groups').set(app.people.ada.auth).expect(200);
    expect(body).toEqual(groups);
    expect(groups.map(({ name, userIds }) => [name, userIds?.length])).toEqual([
      ['z', 2],
      ['a', 1],
      ['m', 0],
    ]);
  });

  test('shows one by its id in any case', async () => {
    const [group] = groups;
    const read = (id = '') => app.request.get(`/permission-groups/${id}`).set(app.people.ada.auth);
    expect((await read(group?.id.toUpperCase()).expect(200)).body).toEqual(group);
    await read(unknownId).expect(404);
    for (const id of badIds) await read(id).expect(404);
  });

  test('is for administrators only, and hides from others what exists', async () => {
    for (const person of [app.people.ben, app.people.cleo]) {
      await app.request.get('/permission-groups').set(person.auth).expect(403);
      await app.request.get(`/permission-groups/${groups[0]?.id}`).set(person.auth).expect(403);
      await app.request.get(`/permission-groups/${unknownId}`).set(person.auth).expect(403);
    }
    await app.request.get('/permission-groups').expect(401);
  });

  test('shows a member their own groups without the other members', async () => {
    const { body } = await app.request.get('/user/permissions').set(app.people.cleo.auth).expect(200);
    const { userIds: _, ...shown } = groups[0] ?? { userIds: [] };
    expect(body.groups).toEqual([shown]);
  });
});

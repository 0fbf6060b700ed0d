import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApp, type TestApp } from '../support/app.js';
import { addGroup, addToken, grantEverything } from '../support/factories.js';
import { addSpace } from '../support/inventory.js';
import { settlePerson } from '../support/people.js';

describeEachDialect("showing one's permissions", (open) => {
  let app: TestApp;
  let spaces: readonly string[];
  const show = async (auth: object) =>
    (
      await app.request
        .get('/user/permissions')
        .set({ ...auth })
        .expect(200)
    ).body;

  beforeAll(async () => {
    app = await startApp(open);
    spaces = [(await addSpace(app)).id, (await addSpace(app)).id, (await addSpace(app)).id];
  });
  afterAll(() => app.close());

  test('of a user: lists each readable space, also with the actions that are not allowed', async () => {
    const [north = '', south = ''] = spaces;
    const { ben } = app.people;
    const [reading, writing] = [
      await addGroup(app, {
        name: 'readers',
        permission: 'READ',
        spaceIds: [north, south],
        userIds: [ben.id],
      }),
      await addGroup(app, { permission: 'READ_WRITE', spaceIds: [south], userIds: [ben.id] }),
    ];
    await addGroup(app, { permission: 'FULL_ACCESS', spaceIds: [north], userIds: [app.people.cleo.id] });
    const where = { [north]: false, [south]: true };
    const { groups, ...shown } = await show(ben.auth);
    expect(shown).toEqual({
      isAdmin: false,
      hasFullAccess: false,
      accessibleSpaces: [north, south],
      permissions: {
        canCreateSpace: false,
        canDeleteSpace: false,
        canCreateFqdn: where,
        canDeleteFqdn: { [north]: false, [south]: false },
        canUploadCSR: where,
        canSignCSR: where,
      },
    });
    expect(groups).toHaveLength(2);
    expect(groups).toContainEqual({
      id: reading.id,
      name: 'readers',
      description: '',
      permission: 'READ',
      spaceIds: [north, south].toSorted(),
      allSpaces: false,
      createdAt: '2026-03-01T12:00:00.000Z',
    });
    expect(groups).toContainEqual(expect.objectContaining({ id: writing.id }));
  });

  test('of a token for one space: names no other space, not even in the groups', async () => {
    const [, south = ''] = spaces;
    const token = await addToken(app, app.people.ben.id, { scope: 'READ', spaceIds: [south] });
    const shown = await show({ Authorization: `Bearer ${token}` });
    expect(shown.accessibleSpaces).toEqual([south]);
    expect(shown.permissions.canUploadCSR).toEqual({ [south]: false });
    expect(JSON.stringify(shown)).not.toContain(spaces[0]);
  });

  test('of an administrator: allows everything, and lists only their own groups', async () => {
    const shown = await show(app.people.ada.auth);
    expect(shown).toMatchObject({ isAdmin: true, hasFullAccess: true, accessibleSpaces: spaces, groups: [] });
    expect(shown.permissions.canDeleteFqdn).toEqual(Object.fromEntries(spaces.map((id) => [id, true])));
  });

  test('of a user with full access to all spaces: allows creating and deleting spaces', async () => {
    const fay = await settlePerson(app, { username: 'fay' });
    await grantEverything(app, fay);
    const shown = await show(fay.auth);
    expect(shown).toMatchObject({ isAdmin: false, hasFullAccess: true, accessibleSpaces: spaces });
    expect(shown.permissions).toMatchObject({ canCreateSpace: true, canDeleteSpace: true });
  });

  test('of a user without permissions: is empty, and is not an error', async () => {
    const gil = await settlePerson(app, { username: 'gil' });
    expect(await show(gil.auth)).toMatchObject({ accessibleSpaces: [], groups: [] });
  });

  test('do not name a deleted space', async () => {
    const { id } = await addSpace(app);
    const hal = await settlePerson(app, { username: 'hal' });
    await addGroup(app, { permission: 'FULL_ACCESS', spaceIds: [id], userIds: [hal.id] });
    await app.request.delete(`/spaces/${id}`).set(app.people.ada.auth).expect(200);
    const shown = await show(hal.auth);
    expect(shown).toMatchObject({ hasFullAccess: false, accessibleSpaces: [] });
    expect(shown.groups).toMatchObject([{ spaceIds: [], allSpaces: false }]);
  });
});

import type { PermissionGroup } from '@certloop/contracts';
import { describeEachDialect } from '@certloop/db/testing';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { changeGroup, makeGroup, malformedBodies, readGroup, sendJson } from '../support/access/groups.js';
import { startApp, type TestApp } from '../support/app.js';
import { addSpace, auditEntries, badIds, unknownId } from '../support/inventory.js';

describeEachDialect('changing a permission group', (open) => {
  let app: TestApp;
  let north: string;
  let south: string;
  beforeAll(async () => {
    app = await startApp(open);
    north = (await addSpace(app, 'north')).id;
    south = (await addSpace(app, 'south')).id;
  });
  afterAll(() => app.close());

  const put = (id: string, body: unknown) => sendJson(app, 'put', `/permission-groups/${id}`, body);

  test('changes the members that are sent, and no others', async () => {
    const group = await makeGroup(app, {
      description: 'old',
      spaceIds: [north],
      userIds: [app.people.ben.id],
    });
    expect(await changeGroup(app, group, {})).toEqual(group);
    expect(await changeGroup(app, group, { name: 'new' })).toEqual({ ...group, name: 'new' });
    const change = { description: '', permission: 'READ_WRITE', spaceIds: [north, south], userIds: [] };
    const changed = await changeGroup(app, group, change);
    expect(changed).toEqual({ ...group, name: 'new', ...change });
    expect(await readGroup(app, group)).toEqual(changed);
  });

  test('accepts its own response as input', async () => {
    const group = await makeGroup(app, { permission: 'FULL_ACCESS' });
    expect(await changeGroup(app, group, group)).toEqual(group);
  });

  test.each<[string, object, object, boolean]>([
    ['an empty list of spaces', { permission: 'FULL_ACCESS', spaceIds: ['north'] }, { spaceIds: [] }, false],
    ['FULL_ACCESS without spaces', { permission: 'READ' }, { permission: 'FULL_ACCESS' }, false],
    [
      'FULL_ACCESS and an empty list',
      { permission: 'READ' },
      { permission: 'FULL_ACCESS', spaceIds: [] },
      false,
    ],
    ['allSpaces', { permission: 'FULL_ACCESS', spaceIds: ['north'] }, { allSpaces: true }, true],
    ['a name, where all are reached', { permission: 'FULL_ACCESS' }, { name: 'n', spaceIds: [] }, true],
    ['one space, where all are reached', { permission: 'FULL_ACCESS' }, { spaceIds: ['north'] }, false],
  ])('%s: reaches all spaces or not', async (_, made, change, isGlobal) => {
    const named = (group: object) => JSON.parse(JSON.stringify(group).replaceAll('"north"', `"${north}"`));
    const group = await makeGroup(app, { ...named(made), userIds: [app.people.cleo.id] });
    expect((await changeGroup(app, group, named(change))).allSpaces).toBe(isGlobal);
    const { body } = await app.request.get('/user/permissions').set(app.people.cleo.auth);
    expect(body.hasFullAccess).toBe(isGlobal);
    await app.request.delete(`/permission-groups/${group.id}`).set(app.people.ada.auth).expect(200);
  });

  test('applies to the next request of a member', async () => {
    const { ben } = app.people;
    const group = await makeGroup(app, { spaceIds: [north], userIds: [ben.id] });
    const create = () => sendJson(app, 'post', `/spaces/${north}/fqdns`, { fqdn: 'b.example' }, ben);
    await create().expect(403);
    await changeGroup(app, group, { permission: 'READ_WRITE' });
    await create().expect(201);
    await changeGroup(app, group, { userIds: [] });
    await create().expect(404);
  });

  describe('refuses', () => {
    let group: PermissionGroup;
    beforeAll(async () => {
      group = await makeGroup(app, { spaceIds: [north] });
    });

    test.each<[string, unknown]>([
      ...malformedBodies,
      ['a name that is null', { name: null }],
      ['an empty name', { name: '' }],
      ['an unknown permission', { permission: 'NONE' }],
      ['spaces that are null', { spaceIds: null }],
      ['a space that is not there', { spaceIds: [unknownId] }],
      ['a user who is not there', { userIds: [unknownId] }],
      ['all spaces for READ', { allSpaces: true }],
      ['allSpaces that is null', { permission: 'FULL_ACCESS', allSpaces: null }],
    ])('%s, and changes nothing', async (_situation, body) => {
      await put(group.id, body).expect(400);
      expect(await readGroup(app, group)).toEqual(group);
    });

    test('an unknown group', async () => {
      await put(unknownId, { name: 'x' }).expect(404);
      for (const id of badIds) await put(id, { name: 'x' }).expect(404);
    });

    test('callers who are not administrators', async () => {
      const path = `/permission-groups/${group.id}`;
      await sendJson(app, 'put', path, { name: 'x' }, app.people.cleo).expect(403);
      await sendJson(app, 'put', `/permission-groups/${unknownId}`, '{', app.people.cleo).expect(403);
    });
  });

  test('writes an audit entry with the old and new values', async () => {
    const group = await makeGroup(app, { spaceIds: [north] });
    await changeGroup(app, group, { permission: 'FULL_ACCESS' });
    const entries = await auditEntries(app, 'group.update');
    expect(entries.at(-1)).toMatchObject({
      resourceId: group.id,
      details: {
        before: { permission: 'READ', spaceIds: [north] },
        after: { permission: 'FULL_ACCESS', spaceIds: [north], allSpaces: false },
      },
    });
  });

  test('applies both of two concurrent changes', async () => {
    const group = await makeGroup(app, {});
    await Promise.all([
      changeGroup(app, group, { name: 'renamed' }),
      changeGroup(app, group, { spaceIds: [south] }),
      changeGroup(app, group, { userIds: [app.people.ben.id] }),
    ]);
    expect(await readGroup(app, group)).toMatchObject({
      name: 'renamed',
      spaceIds: [south],
      userIds: [app.people.ben.id],
    });
  });

  const act = fc.oneof(
    fc.record({ delete: fc.nat(2) }),
    fc.record({ spaceIds: fc.subarray([0, 1, 2]) }),
    fc.record({ permission: fc.constantFrom('READ', 'FULL_ACCESS') }),
    fc.record({ allSpaces: fc.boolean() }),
  );

  test('neither deleted spaces nor omitted members make a group reach all spaces', async () => {
    const property = fc.asyncProperty(
      fc.subarray([0, 1, 2], { minLength: 1 }),
      fc.array(act, { maxLength: 6 }),
      async (first, acts) => {
        const ids = await Promise.all([0, 1, 2].map(async () => (await addSpace(app)).id));
        const idsAt = (places: number[]) => places.map((place) => ids[place] ?? unknownId);
        const group = await makeGroup(app, { permission: 'FULL_ACCESS', spaceIds: idsAt(first) });
        let mayBeGlobal = false;
        for (const one of acts) {
          if ('delete' in one) {
            await app.request.delete(`/spaces/${ids[one.delete]}`).set(app.people.ada.auth);
          } else {
            const change = 'spaceIds' in one ? { spaceIds: idsAt(one.spaceIds) } : one;
            const { status } = await put(group.id, change);
            if (status === 200 && 'allSpaces' in one) mayBeGlobal = one.allSpaces;
          }
          const { allSpaces } = await readGroup(app, group);
          expect(allSpaces === true && !mayBeGlobal).toBe(false);
        }
      },
    );
    await fc.assert(property, { numRuns: 25 });
  });
});

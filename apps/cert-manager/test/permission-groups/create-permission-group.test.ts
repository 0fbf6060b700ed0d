import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { malformedBodies, readGroup, sendJson } from '../support/access/groups.js';
import { startApp, type TestApp } from '../support/app.js';
import { addSpace, auditEntries, unknownId } from '../support/inventory.js';

describeEachDialect('creating a permission group', (open) => {
  let app: TestApp;
  let space: string;
  beforeAll(async () => {
    app = await startApp(open);
    space = (await addSpace(app)).id;
  });
  afterAll(() => app.close());

  const post = (body: unknown) => sendJson(app, 'post', '/permission-groups', body);

  test('returns every documented field, and stores the group', async () => {
    const { body } = await post({
      name: ' Shop ',
      description: 'who sells',
      permission: 'READ_WRITE',
      spaceIds: [space.toUpperCase(), space],
      userIds: [app.people.ben.id],
    }).expect(201);
    expect(body).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/),
      name: 'Shop',
      description: 'who sells',
      permission: 'READ_WRITE',
      spaceIds: [space],
      createdAt: app.clock.now().toISOString(),
      allSpaces: false,
      userIds: [app.people.ben.id],
    });
    expect(await readGroup(app, body)).toEqual(body);
  });

  test.each([
    ['READ', undefined, false],
    ['READ', [], false],
    ['READ_WRITE', [], false],
    ['FULL_ACCESS', undefined, true],
    ['FULL_ACCESS', [], true],
  ])('%s with the spaces %j reaches all of them: %s', async (permission, spaceIds, allSpaces) => {
    const { body } = await post({ name: 'reach', permission, spaceIds, userIds: [app.people.cleo.id] });
    expect(body).toMatchObject({ permission, spaceIds: [], allSpaces, description: '' });
    const { body: rights } = await app.request.get('/user/permissions').set(app.people.cleo.auth);
    expect(rights).toMatchObject({ hasFullAccess: allSpaces, accessibleSpaces: allSpaces ? [space] : [] });
    await app.request.delete(`/permission-groups/${body.id}`).set(app.people.ada.auth).expect(200);
  });

  test('accepts a name that already exists', async () => {
    await post({ name: 'twin', permission: 'READ' }).expect(201);
    await post({ name: 'twin', permission: 'READ' }).expect(201);
  });

  test.each([
    ['emoji', '🚀'.repeat(100), '🚀'.repeat(100)],
    ['a letter and its accent apart', 'Cafe\u0301', 'Café'],
    ['markup', `<b>"x"</b>'; drop table users`, `<b>"x"</b>'; drop table users`],
  ])('stores a name of %s', async (_, name, stored) => {
    expect((await post({ name, permission: 'READ' }).expect(201)).body.name).toBe(stored);
  });

  const valid = { name: 'x', permission: 'READ' };
  test.each<[string, unknown]>([
    ...malformedBodies,
    ['no name', { permission: 'READ' }],
    ['no permission', { name: 'x' }],
    ['a name that is null', { ...valid, name: null }],
    ['a name that is a number', { ...valid, name: 5 }],
    ['a name of blanks', { ...valid, name: '  ' }],
    ['a name of 101 characters', { ...valid, name: 'n'.repeat(101) }],
    ['a name with NUL', { ...valid, name: 'a\u0000' }],
    ['a name that turns text around', { ...valid, name: 'a\u202eb' }],
    ['half of a surrogate pair', '{"name":"\\ud800","permission":"READ"}'],
    ['a permission in small letters', { ...valid, permission: 'read' }],
    ['an unknown permission', { ...valid, permission: 'ADMIN' }],
    ['a permission that is null', { ...valid, permission: null }],
    ['a permission that is a list', { ...valid, permission: ['READ'] }],
    ['a description that is null', { ...valid, description: null }],
    ['a description of 1001 characters', { ...valid, description: 'd'.repeat(1001) }],
    ['spaces that are null', { ...valid, spaceIds: null }],
    ['spaces that are not a list', { ...valid, spaceIds: unknownId }],
    ['a space that is not a UUID', { ...valid, spaceIds: ['1'] }],
    ['a space that is null', { ...valid, spaceIds: [null] }],
    ['a space that is an object', { ...valid, spaceIds: [{ id: unknownId }] }],
    ['users that are not a list', { ...valid, userIds: {} }],
    ['allSpaces that is a text', { ...valid, permission: 'FULL_ACCESS', allSpaces: 'true' }],
    ['allSpaces for READ', { ...valid, allSpaces: true }],
  ])('refuses %s', async (_situation, body) => {
    const { body: problem } = await post(body).expect(400);
    expect(problem.errors.length).toBeGreaterThan(0);
  });

  test('rejects allSpaces together with a list of spaces', async () => {
    const body = { name: 'x', permission: 'FULL_ACCESS', allSpaces: true, spaceIds: [space] };
    expect((await post(body).expect(400)).body.errors).toMatchObject([{ path: 'allSpaces' }]);
  });

  test.each(['spaceIds', 'userIds'])('rejects unknown %s, and names them', async (member) => {
    const known = member === 'spaceIds' ? space : app.people.ben.id;
    const body = { name: 'x', permission: 'READ', [member]: [unknownId, known, unknownId] };
    expect((await post(body).expect(400)).body.errors).toMatchObject([
      { path: `${member}[0]`, code: 'unknown' },
      { path: `${member}[2]`, code: 'unknown' },
    ]);
  });

  test('accepts as many spaces as fit into a body, and rejects a larger body', async () => {
    const many = Array.from({ length: 6000 }, () => unknownId);
    const { body } = await post({ name: 'x', permission: 'READ', spaceIds: many }).expect(400);
    // a refusal names the first faults only
    expect(body.errors).toHaveLength(100);
    await post({ name: 'x', permission: 'READ', spaceIds: [...many, ...many] }).expect(413);
  });

  describe('as a user who is not an administrator', () => {
    test('is refused before the body is judged', async () => {
      for (const person of [app.people.ben, app.people.cleo]) {
        await sendJson(app, 'post', '/permission-groups', '{', person).expect(403);
      }
      await app.request.post('/permission-groups').send({}).expect(401);
    });
  });

  test('leaves an audit entry', async () => {
    const { body } = await post({ name: 'audited', permission: 'FULL_ACCESS' }).expect(201);
    const entries = await auditEntries(app, 'group.create');
    expect(entries.find(({ resourceId }) => resourceId === body.id)).toMatchObject({
      resourceType: 'permission-group',
      spaceId: null,
      username: 'ada',
      details: { after: { name: 'audited', permission: 'FULL_ACCESS', allSpaces: true, userIds: [] } },
    });
  });
});

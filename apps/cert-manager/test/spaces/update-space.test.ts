import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApp, type TestApp } from '../support/app.js';
import { grant } from '../support/factories.js';
import { addFqdn, addSpace, auditEntries } from '../support/inventory.js';

const counts = { total: 0, needsYou: 0, unfinished: 0, valid: 0, due: 0, failing: 0, expired: 0 };

describeEachDialect('one space', (open) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp(open);
  });
  afterAll(() => app.close());

  const show = (path: string, person = app.people.ada) => app.request.get(path).set(person.auth);
  const change = (id: string, body: object, person = app.people.ada) =>
    app.request.put(`/spaces/${id}`).set(person.auth).send(body);

  test('shows the permission level of the caller', async () => {
    const space = await addSpace(app, 'Shop');
    expect((await show(`/spaces/${space.id}`).expect(200)).body).toEqual({
      ...space,
      level: 'FULL_ACCESS',
      counts,
    });
    await show(`/spaces/${space.id}`, app.people.ben).expect(404);
    await grant(app, app.people.ben, 'READ_WRITE', [space.id]);
    const { body } = await show(`/spaces/${space.id}`, app.people.ben).expect(200);
    expect(body).toEqual({ ...space, level: 'READ_WRITE', counts });
  });

  test('is renamed, with an audit entry of the change; omitted members are unchanged', async () => {
    const space = await addSpace(app, 'Shop');
    const { body } = await change(space.id, { description: 'Names of the shop' }).expect(200);
    expect(body).toEqual({ ...space, description: 'Names of the shop', level: 'FULL_ACCESS', counts });
    const renamed = await change(space.id, { name: 'Shops' }).expect(200);
    expect(renamed.body).toMatchObject({ name: 'Shops', description: 'Names of the shop' });
    expect((await show(`/spaces/${space.id}`)).body).toEqual(renamed.body);
    expect((await auditEntries(app, 'space.update')).at(-1)).toMatchObject({
      resourceId: space.id,
      spaceId: space.id,
      details: {
        before: { name: 'Shop', description: 'Names of the shop' },
        after: { name: 'Shops', description: 'Names of the shop' },
      },
    });
  });

  test('writes no audit entry if nothing changes', async () => {
    const space = await addSpace(app, 'Shop');
    const before = (await auditEntries(app, 'space.update')).length;
    await change(space.id, {}).expect(200);
    await change(space.id, { name: 'Shop' }).expect(200);
    expect(await auditEntries(app, 'space.update')).toHaveLength(before);
  });

  test.each([
    ['an empty name', { name: '' }, 'name'],
    ['a name of two lines', { name: 'a\nb' }, 'name'],
    ['a long description', { description: 'x'.repeat(1001) }, 'description'],
    ['a name that is not text', { name: 7 }, 'name'],
  ])('refuses %s', async (_, body, path) => {
    const space = await addSpace(app, 'Shop');
    const answer = await change(space.id, body).expect(400);
    expect(answer.body.errors[0].path).toBe(path);
    expect((await show(`/spaces/${space.id}`)).body.name).toBe('Shop');
  });

  test('shows one FQDN with its space', async () => {
    const space = await addSpace(app, 'Shop');
    const fqdn = await addFqdn(app, space.id);
    const path = `/spaces/${space.id}/fqdns/${fqdn.id}`;
    const { body } = await show(path).expect(200);
    expect(body).toMatchObject({
      ...fqdn,
      spaceName: 'Shop',
      level: 'FULL_ACCESS',
      status: { state: 'unfinished' },
    });
    await show(`/spaces/${(await addSpace(app)).id}/fqdns/${fqdn.id}`).expect(404);
    await show(path, app.people.cleo).expect(404);
  });
});

import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { countCsrRows } from '../../src/csrs/csrs.repository.js';
import { countFqdnRows } from '../../src/fqdns/fqdns.repository.js';
import { listGroupsOf } from '../../src/permission-groups/permission-groups.repository.js';
import { startApp, type TestApp } from '../support/app.js';
import { grant, grantEverything } from '../support/factories.js';
import { addCsr, addFqdn, addSpace, auditEntries, badIds, unknownId } from '../support/inventory.js';
import { settlePerson } from '../support/people.js';

describeEachDialect('deleting a space', (open) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp(open);
  });
  afterAll(() => app.close());

  const remove = (id: string, query = '', person = app.people.ada) =>
    app.request.delete(`/spaces/${id}${query}`).set(person.auth);

  test('removes an empty one', async () => {
    const space = await addSpace(app);
    const { body } = await remove(space.id).expect(200);
    expect(body).toEqual({ message: expect.any(String) });
    await remove(space.id).expect(404);
    await app.request.get(`/spaces/${space.id}/fqdns`).set(app.people.ada.auth).expect(404);
  });

  test('accepts an id in capitals', async () => {
    const space = await addSpace(app);
    await remove(space.id.toUpperCase()).expect(200);
  });

  test.each(['', '?deleteFqdns=false', '?other=true'])('rejects a space with FQDNs (%s)', async (query) => {
    const space = await addSpace(app);
    await addFqdn(app, space.id);
    const { body } = await remove(space.id, query).expect(409);
    expect(body).toMatchObject({ status: 409, code: 'space_not_empty' });
    const { body: fqdns } = await app.request.get(`/spaces/${space.id}/fqdns`).set(app.people.ada.auth);
    expect(fqdns).toHaveLength(1);
  });

  test('deletes it with its contents, and nothing else', async () => {
    const [space, other] = [await addSpace(app), await addSpace(app)];
    await addCsr(app, await addFqdn(app, space.id));
    await addFqdn(app, space.id, 'b.example.com');
    await addCsr(app, await addFqdn(app, other.id));
    await remove(space.id, '?deleteFqdns=true').expect(200);
    const left = await app.database.read(async (tx) => ({
      fqdns: await countFqdnRows(tx, [space.id]),
      csrs: await countCsrRows(tx, [space.id]),
      otherFqdns: await countFqdnRows(tx, [other.id]),
      otherCsrs: await countCsrRows(tx, [other.id]),
    }));
    expect(left).toEqual({ fqdns: 0, csrs: 0, otherFqdns: 1, otherCsrs: 1 });
    const [entry] = (await auditEntries(app, 'space.delete')).filter((e) => e.resourceId === space.id);
    expect(entry?.details).toMatchObject({ before: { name: 'space' }, deletedFqdns: 2 });
  });

  test.each(['yes', '1', 'TRUE', 'True', '', 'true&deleteFqdns=true'])(
    'refuses deleteFqdns=%s',
    async (value) => {
      const space = await addSpace(app);
      await remove(space.id, `?deleteFqdns=${value}`).expect(400);
      await remove(space.id).expect(200);
    },
  );

  test('returns 404 for an unknown space', async () => {
    await remove(unknownId).expect(404);
    await remove(unknownId, '?deleteFqdns=true').expect(404);
    for (const id of badIds) await remove(id).expect(404);
  });

  test('requires full access, and returns 404 for unreadable spaces', async () => {
    const { ben, cleo } = app.people;
    const space = await addSpace(app);
    await grant(app, ben, 'FULL_ACCESS', [space.id]);
    await remove(space.id, '', ben).expect(403);
    await remove(space.id, '?deleteFqdns=maybe', ben).expect(403);
    await remove(space.id, '', cleo).expect(404);
    await remove(unknownId, '', cleo).expect(404);
    await app.request.delete(`/spaces/${space.id}`).expect(401);
    const dora = await settlePerson(app, { username: 'dora' });
    await grantEverything(app, dora);
    await remove(space.id, '', dora).expect(200);
  });

  test('removes it from permission groups', async () => {
    const space = await addSpace(app);
    const emil = await settlePerson(app, { username: 'emil' });
    await grant(app, emil, 'FULL_ACCESS', [space.id]);
    await remove(space.id).expect(200);
    const grants = await app.database.read((tx) => listGroupsOf(tx, emil.id));
    expect(grants).toMatchObject([{ allSpaces: false, spaceIds: [] }]);
    const { body } = await app.request.get('/spaces').set(emil.auth).expect(200);
    expect(body).toEqual([]);
  });

  test('concurrent with new FQDNs: each FQDN is rejected or keeps its space', async () => {
    for (let round = 0; round < 6; round += 1) {
      const space = await addSpace(app);
      const create = (fqdn: string) =>
        app.request.post(`/spaces/${space.id}/fqdns`).set(app.people.ada.auth).send({ fqdn });
      const [a, gone, b] = await Promise.all([
        create('a.example.com'),
        remove(space.id, round % 2 === 0 ? '?deleteFqdns=true' : ''),
        create('b.example.com'),
      ]);
      for (const { status } of [a, b]) expect([201, 404]).toContain(status);
      expect([200, 409]).toContain(gone.status);
      const held = await app.database.read((tx) => countFqdnRows(tx, [space.id]));
      const made = [a, b].filter(({ status }) => status === 201).length;
      expect(held).toBe(gone.status === 200 ? 0 : made);
      if (gone.status === 409) expect(made).toBeGreaterThan(0);
    }
  });
});

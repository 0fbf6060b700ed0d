import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { countCsrRows } from '../../src/csrs/csrs.repository.js';
import { countFqdnRows } from '../../src/fqdns/fqdns.repository.js';
import { startApp, type TestApp } from '../support/app.js';
import { addToken, grant, grantEverything } from '../support/factories.js';
import {
  addCsr,
  addFqdn,
  addSpace,
  auditEntries,
  badIds,
  csrSample,
  unknownId,
} from '../support/inventory.js';
import { settlePerson } from '../support/people.js';

describeEachDialect('deleting FQDNs', (open) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp(open);
  });
  afterAll(() => app.close());

  const remove = (path: string, person = app.people.ada) => app.request.delete(path).set(person.auth);
  const countsOf = (scope: 'all' | readonly string[]) =>
    app.database.read(async (tx) => ({
      fqdns: await countFqdnRows(tx, scope),
      csrs: await countCsrRows(tx, scope),
    }));

  describe('one', () => {
    test('deletes it with its CSRs, and nothing else', async () => {
      const { id: spaceId } = await addSpace(app);
      const fqdn = await addFqdn(app, spaceId);
      await addCsr(app, fqdn);
      await addCsr(app, await addFqdn(app, spaceId, '*.example.com'), csrSample('wildcard'));
      const { body } = await remove(`/spaces/${spaceId}/fqdns/${fqdn.id}`).expect(200);
      expect(body).toEqual({ message: expect.any(String) });
      expect(await countsOf([spaceId])).toEqual({ fqdns: 1, csrs: 1 });
      await remove(`/spaces/${spaceId}/fqdns/${fqdn.id}`).expect(404);
      const [entry] = (await auditEntries(app, 'fqdn.delete')).filter((e) => e.resourceId === fqdn.id);
      expect(entry?.details).toMatchObject({
        fqdn: fqdn.fqdn,
        fingerprints: { csrKeys: [expect.any(String)] },
      });
    });

    test('lets the name be added again', async () => {
      const { id: spaceId } = await addSpace(app);
      const fqdn = await addFqdn(app, spaceId);
      await remove(`/spaces/${spaceId}/fqdns/${fqdn.id}`).expect(200);
      await addFqdn(app, spaceId);
    });

    test('returns 404 for an unknown FQDN, and for one of another space', async () => {
      const [space, other] = [await addSpace(app), await addSpace(app)];
      const fqdn = await addFqdn(app, space.id);
      await remove(`/spaces/${other.id}/fqdns/${fqdn.id}`).expect(404);
      await remove(`/spaces/${unknownId}/fqdns/${fqdn.id}`).expect(404);
      await remove(`/spaces/${space.id}/fqdns/${unknownId}`).expect(404);
      for (const id of badIds) await remove(`/spaces/${space.id}/fqdns/${id}`).expect(404);
      expect(await countsOf([space.id])).toMatchObject({ fqdns: 1 });
    });

    test('happens once for two concurrent requests', async () => {
      const { id: spaceId } = await addSpace(app);
      const { id } = await addFqdn(app, spaceId);
      const answers = await Promise.all([1, 2, 3].map(() => remove(`/spaces/${spaceId}/fqdns/${id}`)));
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 404, 404]);
    });

    test('requires FULL_ACCESS on the space, and returns 404 for unreadable spaces', async () => {
      const { ben, cleo } = app.people;
      const [writable, full] = [await addSpace(app), await addSpace(app)];
      await grant(app, ben, 'READ_WRITE', [writable.id]);
      await grant(app, ben, 'FULL_ACCESS', [full.id]);
      const refused = await addFqdn(app, writable.id);
      const gone = await addFqdn(app, full.id);
      await remove(`/spaces/${writable.id}/fqdns/${refused.id}`, ben).expect(403);
      await remove(`/spaces/${writable.id}/fqdns/${refused.id}`, cleo).expect(404);
      await remove(`/spaces/${full.id}/fqdns/${gone.id}`, ben).expect(200);
      await app.request.delete(`/spaces/${writable.id}/fqdns/${refused.id}`).expect(401);
    });
  });

  describe('of a space', () => {
    test('deletes them all and counts them, but not their CSRs', async () => {
      const [space, other] = [await addSpace(app), await addSpace(app)];
      const fqdn = await addFqdn(app, space.id);
      await addCsr(app, fqdn);
      await addCsr(app, fqdn);
      await addFqdn(app, space.id, 'b.example');
      await addFqdn(app, other.id);
      const { body } = await remove(`/spaces/${space.id}/fqdns`).expect(200);
      expect(body).toEqual({ message: expect.any(String), deletedCount: 2 });
      expect(await countsOf([space.id])).toEqual({ fqdns: 0, csrs: 0 });
      expect(await countsOf([other.id])).toMatchObject({ fqdns: 1 });
      const [entry] = (await auditEntries(app, 'fqdn.deleteAll')).filter((e) => e.resourceId === space.id);
      expect(entry).toMatchObject({ spaceId: space.id, details: { deletedCount: 2 } });
    });

    test('deletes none in an empty space, nor for the id of an unreadable space', async () => {
      const { id } = await addSpace(app);
      await addFqdn(app, id);
      for (const path of [(await addSpace(app)).id, unknownId, ...badIds]) {
        const { body } = await remove(`/spaces/${path}/fqdns`).expect(200);
        expect(body).toMatchObject({ deletedCount: 0 });
      }
      const { body } = await remove(`/spaces/${id}/fqdns`, app.people.cleo).expect(200);
      expect(body).toMatchObject({ deletedCount: 0 });
      expect(await countsOf([id])).toMatchObject({ fqdns: 1 });
    });

    test('deletes none in an unknown space, also for a token that reads all of them', async () => {
      const token = await addToken(app, app.people.ada.id, { scope: 'READ' });
      const auth = { Authorization: `Bearer ${token}` };
      const { body } = await app.request.delete(`/spaces/${unknownId}/fqdns`).set(auth).expect(200);
      expect(body).toMatchObject({ deletedCount: 0 });
      const space = await addSpace(app);
      await app.request.delete(`/spaces/${space.id}/fqdns`).set(auth).expect(403);
    });

    test('requires FULL_ACCESS on the space', async () => {
      const { ben } = app.people;
      const [writable, full] = [await addSpace(app), await addSpace(app)];
      await grant(app, ben, 'READ_WRITE', [writable.id]);
      await grant(app, ben, 'FULL_ACCESS', [full.id]);
      await remove(`/spaces/${writable.id}/fqdns`, ben).expect(403);
      await remove(`/spaces/${full.id}/fqdns`, ben).expect(200);
      await app.request.delete(`/spaces/${full.id}/fqdns`).expect(401);
    });
  });

  describe.each([
    ['/fqdns', 'fqdn.deleteAll'],
    ['/csrs', 'csr.deleteAll'],
  ] as const)('of all spaces by %s', (path, action) => {
    test.each([
      '',
      '?confirm=',
      '?confirm=TRUE',
      '?confirm=1',
      '?confirm=yes',
      '?confirm=true&confirm=true',
      '?Confirm=true',
    ])('requires the confirmation true (%s)', async (query) => {
      const before = await countsOf('all');
      const { body } = await remove(`${path}${query}`).expect(400);
      expect(body.errors).toMatchObject([{ path: 'query.confirm' }]);
      expect(await countsOf('all')).toEqual(before);
    });

    test('requires full access to all spaces', async () => {
      const { ben, cleo } = app.people;
      await grant(app, ben, 'FULL_ACCESS', [(await addSpace(app)).id]);
      await remove(`${path}?confirm=true`, ben).expect(403);
      await remove(path, cleo).expect(403);
      await app.request.delete(`${path}?confirm=true`).expect(401);
      const dora = await settlePerson(app, { username: `dora${path.slice(1)}` });
      await grantEverything(app, dora);
      await remove(`${path}?confirm=true`, dora).expect(200);
    });

    test('deletes and counts them in every space', async () => {
      await remove('/fqdns?confirm=true').expect(200);
      const [space, other] = [await addSpace(app), await addSpace(app)];
      const fqdn = await addFqdn(app, space.id);
      await addCsr(app, fqdn);
      await addCsr(app, fqdn);
      await addCsr(app, await addFqdn(app, other.id));
      const isCsrs = path === '/csrs';
      const { body } = await remove(`${path}?confirm=true`).expect(200);
      expect(body).toEqual({ message: expect.any(String), deletedCount: isCsrs ? 3 : 2 });
      expect(await countsOf('all')).toEqual({ fqdns: isCsrs ? 2 : 0, csrs: 0 });
      const { body: again } = await remove(`${path}?confirm=true`).expect(200);
      expect(again).toMatchObject({ deletedCount: 0 });
      const entries = await auditEntries(app, action);
      expect(entries.at(-2)?.details).toMatchObject({ deletedCount: isCsrs ? 3 : 2 });
    });
  });
});

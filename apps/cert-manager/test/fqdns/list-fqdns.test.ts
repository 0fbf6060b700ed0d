import type { Fqdn } from '@certloop/contracts';
import { insertMany, newRowId } from '@certloop/db';
import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type FqdnRow, fqdns } from '../../src/fqdns/fqdns.repository.js';
import { startApp, type TestApp } from '../support/app.js';
import { grant } from '../support/factories.js';
import { addFqdn, addSpace, badIds, unknownId } from '../support/inventory.js';

describeEachDialect('FQDNs of a space', (open) => {
  let app: TestApp;
  let spaceId: string;
  let held: Fqdn[];
  beforeAll(async () => {
    app = await startApp(open);
    spaceId = (await addSpace(app)).id;
    held = [];
    for (const fqdn of ['b.example', 'c.example', 'a.example']) held.push(await addFqdn(app, spaceId, fqdn));
    app.clock.advance(1000);
    held.push(await addFqdn(app, spaceId, '*.example.com'));
    await addFqdn(app, (await addSpace(app, 'other')).id, 'elsewhere.example');
    await grant(app, app.people.ben, 'READ', [spaceId]);
  });
  afterAll(() => app.close());

  const get = (path: string, person = app.people.ada) => app.request.get(path).set(person.auth);

  describe('listed', () => {
    test('are sorted oldest first, also with equal times', async () => {
      const { body } = await get(`/spaces/${spaceId}/fqdns`).expect(200);
      expect(body).toEqual(held);
    });

    test('are shown to anyone who may read the space', async () => {
      const { body } = await get(`/spaces/${spaceId}/fqdns`, app.people.ben).expect(200);
      expect(body).toEqual(held);
      await get(`/spaces/${spaceId}/fqdns`, app.people.cleo).expect(404);
      await app.request.get(`/spaces/${spaceId}/fqdns`).expect(401);
    });

    test('are an empty list in an empty space', async () => {
      const { id } = await addSpace(app, 'empty');
      const { body } = await get(`/spaces/${id}/fqdns`).expect(200);
      expect(body).toEqual([]);
    });

    test('return 404 in an unknown space', async () => {
      await get(`/spaces/${unknownId}/fqdns`).expect(404);
      for (const id of badIds) await get(`/spaces/${id}/fqdns`).expect(404);
    });

    test('are returned for an id in capitals and with a trailing slash', async () => {
      const { body } = await get(`/spaces/${spaceId.toUpperCase()}/fqdns/`).expect(200);
      expect(body).toEqual(held);
    });

    test('are returned completely, by one query', async () => {
      const { id } = await addSpace(app, 'large');
      const createdAt = app.clock.now();
      const rows = Array.from(
        { length: 2500 },
        (_, index): FqdnRow => ({
          id: newRowId(createdAt),
          spaceId: id,
          fqdn: `h${index}.example`,
          description: '',
          providerId: null,
          renewalEnabled: index % 2 === 0,
          renewAfterPermille: null,
          owner: null,
          tags: null,
          expiryAcceptedUntil: null,
          createdAt,
        }),
      );
      await app.database.transaction((tx) => insertMany(tx, fqdns, rows));
      const { body } = await get(`/spaces/${id}/fqdns`).expect(200);
      expect((body as Fqdn[]).map(({ fqdn }) => fqdn)).toEqual(rows.map(({ fqdn }) => fqdn));
      const { body: count } = await get(`/spaces/${id}/fqdns/count`).expect(200);
      expect(count).toEqual({ count: 2500 });
    });

    test('reject PUT, and the response names the allowed methods', async () => {
      const { headers } = await app.request
        .put(`/spaces/${spaceId}/fqdns`)
        .set(app.people.ada.auth)
        .expect(405);
      expect(headers['allow']).toBe('GET, HEAD, POST, DELETE');
    });
  });

  describe('counted', () => {
    test('are as many as are listed', async () => {
      const { body } = await get(`/spaces/${spaceId}/fqdns/count`).expect(200);
      expect(body).toEqual({ count: 4 });
      const { body: seen } = await get(`/spaces/${spaceId.toUpperCase()}/fqdns/count`, app.people.ben);
      expect(seen).toEqual({ count: 4 });
    });

    test('are 0 for an id of no readable space', async () => {
      for (const id of [unknownId, ...badIds]) {
        const { body } = await get(`/spaces/${id}/fqdns/count`).expect(200);
        expect(body).toEqual({ count: 0 });
      }
      const { body } = await get(`/spaces/${spaceId}/fqdns/count`, app.people.cleo).expect(200);
      expect(body).toEqual({ count: 0 });
    });

    test('are shown only to signed-in callers', async () => {
      await app.request.get(`/spaces/${spaceId}/fqdns/count`).expect(401);
    });
  });
});

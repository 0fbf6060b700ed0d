import type { Fqdn } from '@certloop/contracts';
import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApp, type TestApp } from '../support/app.js';
import { grant } from '../support/factories.js';
import { addFqdn, addSpace, auditEntries, badIds, pathOf, unknownId } from '../support/inventory.js';

describeEachDialect('switching automatic renewal', (open) => {
  let app: TestApp;
  let fqdn: Fqdn;
  beforeAll(async () => {
    app = await startApp(open);
    fqdn = await addFqdn(app, (await addSpace(app)).id);
  });
  afterAll(() => app.close());

  const put = (body: unknown, path = pathOf(fqdn, 'renewal-enabled'), person = app.people.ada) =>
    app.request
      .put(path)
      .set(person.auth)
      .set('Content-Type', 'application/json')
      .send(typeof body === 'string' ? body : JSON.stringify(body));

  async function stored(): Promise<Fqdn> {
    const { body } = await app.request.get(`/spaces/${fqdn.spaceId}/fqdns`).set(app.people.ada.auth);
    return (body as Fqdn[])[0] as Fqdn;
  }

  test('sets the given value, even if it is unchanged, and nothing else', async () => {
    for (const renewalEnabled of [true, true, false, false, true]) {
      const { body } = await put({ renewalEnabled }).expect(200);
      expect(body).toEqual({ message: expect.any(String) });
      expect(await stored()).toEqual({ ...fqdn, renewalEnabled });
    }
  });

  test('writes an audit entry with the old and new values', async () => {
    await put({ renewalEnabled: false }).expect(200);
    await put({ renewalEnabled: true }).expect(200);
    const entry = (await auditEntries(app, 'fqdn.renewal')).at(-1);
    expect(entry).toMatchObject({
      resourceId: fqdn.id,
      spaceId: fqdn.spaceId,
      details: {
        fqdn: fqdn.fqdn,
        before: { renewalEnabled: false },
        after: { renewalEnabled: true },
      },
    });
  });

  test.each<[string, unknown]>([
    ['no body', ''],
    ['an empty object', {}],
    ['null', { renewalEnabled: null }],
    ['a text', { renewalEnabled: 'true' }],
    ['a number', { renewalEnabled: 1 }],
    ['an array', [true]],
    ['a boolean alone', 'true'],
    ['broken JSON', '{"renewalEnabled":tru'],
  ])('refuses %s', async (_situation, body) => {
    const before = await stored();
    await put(body).expect(400);
    expect(await stored()).toEqual(before);
  });

  test('returns 404 for an unknown FQDN, and for one of another space', async () => {
    const other = await addSpace(app);
    const on = { renewalEnabled: true };
    await put(on, pathOf({ spaceId: other.id, id: fqdn.id }, 'renewal-enabled')).expect(404);
    await put(on, pathOf({ spaceId: fqdn.spaceId, id: unknownId }, 'renewal-enabled')).expect(404);
    await put(on, pathOf({ spaceId: unknownId, id: fqdn.id }, 'renewal-enabled')).expect(404);
    for (const id of badIds) {
      await put(on, pathOf({ spaceId: fqdn.spaceId, id }, 'renewal-enabled')).expect(404);
    }
  });

  test('requires READ_WRITE on the space, and returns 404 for unreadable spaces', async () => {
    const { ben, cleo } = app.people;
    const path = pathOf(fqdn, 'renewal-enabled');
    await put({ renewalEnabled: true }, path, cleo).expect(404);
    await grant(app, ben, 'READ', [fqdn.spaceId]);
    await put({ renewalEnabled: true }, path, ben).expect(403);
    await grant(app, ben, 'READ_WRITE', [fqdn.spaceId]);
    await put({ renewalEnabled: true }, path, ben).expect(200);
    await app.request.put(path).send({ renewalEnabled: true }).expect(401);
  });

  test('has no other method', async () => {
    const { headers } = await app.request
      .get(pathOf(fqdn, 'renewal-enabled'))
      .set(app.people.ada.auth)
      .expect(405);
    expect(headers['allow']).toBe('PUT');
  });
});

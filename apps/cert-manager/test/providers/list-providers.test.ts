import type { Provider } from '@certloop/contracts';
import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type TestApp } from '../support/app.js';
import { auditEntries, badIds, unknownId } from '../support/inventory.js';
import { enable, providerOf } from '../support/signing.js';

describeEachDialect('providers', (open) => {
  let app: TestApp;

  beforeAll(async () => {
    app = await startApp(open, { environment: { DUMMY_CA_URL: 'http://127.0.0.1:3002' } });
  });
  afterAll(() => app.close());

  test('are two after the first start: one configured by the environment, one not configured', async () => {
    const { body } = await app.request.get('/providers').set(app.people.ada.auth).expect(200);
    const id = expect.stringMatching(/^[0-9a-f-]{36}$/);
    expect(body).toEqual([
      {
        id,
        kind: 'dummy-ca',
        name: 'dummy-ca',
        displayName: 'Dummy certificate authority',
        description: 'Signs CSRs at once, for tests and for closed networks.',
        enabled: true,
        config: {
          baseUrl: 'http://127.0.0.1:3002',
          validityDays: 365,
          timeoutMs: 10_000,
          maxConcurrency: 4,
          allowPrivateNetwork: false,
        },
      },
      {
        id,
        kind: 'acme',
        name: 'acme',
        displayName: 'ACME',
        description: 'Obtains certificates from an ACME certificate authority (RFC 8555).',
        enabled: false,
        config: {},
      },
    ]);
  });

  test('show their configuration only to administrators', async () => {
    const dummyCa = await providerOf(app, 'dummy-ca');
    const { body: list } = await app.request.get('/providers').set(app.people.cleo.auth).expect(200);
    expect((list as Provider[]).map(({ config }) => config)).toEqual([{}, {}]);
    const { body: one } = await app.request
      .get(`/providers/${dummyCa.id}`)
      .set(app.people.cleo.auth)
      .expect(200);
    expect(one).toEqual({ ...dummyCa, config: {} });
  });

  test('can be read one by one', async () => {
    const dummyCa = await providerOf(app, 'dummy-ca');
    const path = `/providers/${dummyCa.id.toUpperCase()}`;
    const { body } = await app.request.get(path).set(app.people.ada.auth).expect(200);
    expect(body).toEqual(dummyCa);
  });

  test.each([unknownId, ...badIds])('return 404 for the id %s', async (id) => {
    await app.request.get(`/providers/${id}`).set(app.people.ada.auth).expect(404);
  });

  test('are shown to no one who has not signed in', async () => {
    await app.request.get('/providers').expect(401);
    await app.request.get(`/providers/${unknownId}`).expect(401);
  });

  describe('the switch', () => {
    test('turns a provider off and on, with an audit entry for each change', async () => {
      const dummyCa = await providerOf(app, 'dummy-ca');
      const { body: off } = await enable(app, dummyCa, false).expect(200);
      expect(off).toEqual({ message: 'provider dummy-ca is disabled' });
      expect((await providerOf(app, 'dummy-ca')).enabled).toBe(false);
      const { body: on } = await enable(app, dummyCa).expect(200);
      expect(on).toEqual({ message: 'provider dummy-ca is enabled' });
      expect((await providerOf(app, 'dummy-ca')).enabled).toBe(true);
      const entries = await auditEntries(app, 'provider.enable');
      expect(
        entries.map(({ resourceId, details }) => [resourceId, details['before'], details['after']]),
      ).toEqual([
        [dummyCa.id, { enabled: true }, { enabled: false }],
        [dummyCa.id, { enabled: false }, { enabled: true }],
      ]);
    });

    test('turns on an unconfigured provider, and names the missing settings', async () => {
      const { body } = await enable(app, await providerOf(app, 'acme')).expect(200);
      expect(body).toEqual({
        message: 'provider acme is enabled, but signs nothing yet: directoryUrl is missing',
      });
    });

    test.each([
      ['nothing', {}],
      ['null', { enabled: null }],
      ['a text', { enabled: 'true' }],
      ['a number', { enabled: 1 }],
    ])('refuses %s', async (_, body) => {
      const { id } = await providerOf(app, 'dummy-ca');
      await app.request.put(`/providers/${id}/enabled`).set(app.people.ada.auth).send(body).expect(400);
    });

    test('rejects callers without the permission, and returns 404 for an unknown provider', async () => {
      const { id } = await providerOf(app, 'dummy-ca');
      const path = `/providers/${id}/enabled`;
      await app.request.put(path).set(app.people.ben.auth).send({ enabled: false }).expect(403);
      await app.request.put(path).send({ enabled: false }).expect(401);
      await enable(app, { id: unknownId }).expect(404);
    });
  });
});

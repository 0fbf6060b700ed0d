import type { AcmeClient } from '@certloop/contracts';
import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApp, type TestApp } from '../support/app.js';
import { addAcmeClient, withKeys } from '../support/front/acme-clients.js';
import { addServerAccount, addServerOrder, failedOrder } from '../support/front/front-rows.js';
import { addFqdn, addSpace } from '../support/inventory.js';

describeEachDialect('who uses an ACME client', (open) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp(open, { environment: withKeys });
  });
  afterAll(() => app.close());

  const read = async (path: string) =>
    (await app.request.get(path).set(app.people.ada.auth).expect(200)).body as AcmeClient;
  const pathOfClient = ({ spaceId, id }: AcmeClient) => `/spaces/${spaceId}/acme-clients/${id}`;

  test('is shown by its accounts, those seen last first, its FQDNs by name, and its last order', async () => {
    const { id: spaceId } = await addSpace(app);
    const client = await addAcmeClient(app, spaceId);
    const of = { clientId: client.id, spaceId };
    const first = await addServerAccount(app, { ...of, contacts: ['mailto:ops@example.com'] });
    app.clock.advance(60_000);
    const second = await addServerAccount(app, { ...of, userAgent: 'lego/4.35', ipAddress: '10.0.0.8' });
    const [b, a] = [
      await addFqdn(app, spaceId, 'b.example.com'),
      await addFqdn(app, spaceId, 'a.example.com'),
    ];
    for (const { id: fqdnId, fqdn } of [b, a, b]) await addServerOrder(app, second, { fqdnId, fqdn });
    // of an FQDN that was deleted since
    await addServerOrder(app, first, { fqdn: 'gone.example.com' });
    app.clock.advance(1000);
    await addServerOrder(app, first, { ...failedOrder, fqdn: 'a.example.com', fqdnId: a.id });

    const shown = await read(pathOfClient(client));
    expect(shown.state).toBe('failing');
    expect(shown.use).toEqual({
      accountCount: 2,
      accounts: [
        {
          status: 'valid',
          thumbprint: second.thumbprint,
          contacts: [],
          createdAt: second.createdAt.toISOString(),
          lastSeenAt: second.seenAt.toISOString(),
          userAgent: 'lego/4.35',
          ipAddress: '10.0.0.8',
        },
        expect.objectContaining({ thumbprint: first.thumbprint, contacts: ['mailto:ops@example.com'] }),
      ],
      lastSeenAt: second.seenAt.toISOString(),
      fqdnCount: 2,
      fqdns: [
        { id: a.id, fqdn: 'a.example.com' },
        { id: b.id, fqdn: 'b.example.com' },
      ],
      lastOrder: {
        names: ['a.example.com'],
        state: 'invalid',
        createdAt: app.clock.now().toISOString(),
        problem: 'CAA forbids it',
      },
    });
    await addServerOrder(app, second, {
      fqdn: b.fqdn,
      fqdnId: b.id,
      createdAt: new Date(app.clock.now().getTime() + 1),
    });
    expect((await read(pathOfClient(client))).state).toBe('active');
  });

  test('is shown for each client of a list, at most ten accounts and FQDNs of each', async () => {
    const { id: spaceId } = await addSpace(app);
    const [unused, busy, other] = [
      await addAcmeClient(app, spaceId),
      await addAcmeClient(app, spaceId),
      await addAcmeClient(app, spaceId),
    ];
    for (let count = 0; count < 12; count += 1) {
      app.clock.advance(1000);
      const account = await addServerAccount(app, {
        clientId: busy.id,
        spaceId,
        ipAddress: `10.0.0.${count}`,
      });
      const { id: fqdnId, fqdn } = await addFqdn(app, spaceId, `host-${10 + count}.example.com`);
      await addServerOrder(app, account, { fqdnId, fqdn });
    }
    await addServerAccount(app, { clientId: other.id, spaceId, status: 'deactivated' });
    const { body } = await app.request
      .get(`/spaces/${spaceId}/acme-clients`)
      .set(app.people.ada.auth)
      .expect(200);
    const byId = new Map((body as AcmeClient[]).map((each) => [each.id, each]));
    expect(byId.get(unused.id)?.use).toBeUndefined();
    const use = byId.get(busy.id)?.use;
    expect([use?.accountCount, use?.fqdnCount]).toEqual([12, 12]);
    expect(use?.accounts.map(({ ipAddress }) => ipAddress)).toEqual(
      Array.from({ length: 10 }, (_, n) => `10.0.0.${11 - n}`),
    );
    expect(use?.fqdns.map(({ fqdn }) => fqdn)).toEqual(
      Array.from({ length: 10 }, (_, n) => `host-${10 + n}.example.com`),
    );
    expect(byId.get(other.id)).toMatchObject({
      state: 'active',
      use: { accountCount: 1, accounts: [{ status: 'deactivated' }], fqdnCount: 0, fqdns: [] },
    });
    expect((await read(pathOfClient(busy))).use?.accounts).toHaveLength(12);
  });
});

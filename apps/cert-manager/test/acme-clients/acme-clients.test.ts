import { randomUUID } from 'node:crypto';
import type { AcmeClient, NewAcmeClient } from '@certloop/contracts';
import { describeEachDialect } from '@certloop/db/testing';
import { openSecret, parseKeyRing } from '@certloop/server';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AcmeClientRow } from '../../src/acme-clients/acme-client.js';
import { acmeClientCaller } from '../../src/acme-clients/acme-client-caller.js';
import { acmeClients, findAcmeClientByKid } from '../../src/acme-clients/acme-clients.repository.js';
import { openHmacKey, rotateClientKeys } from '../../src/acme-clients/client-key.service.js';
import { rotateKeys } from '../../src/providers/secrets/rotate-keys.service.js';
import { startApp, startAppOn, type TestApp } from '../support/app.js';
import { addAcmeClient, withKeys } from '../support/front/acme-clients.js';
import { addSpace, auditEntries, unknownId } from '../support/inventory.js';
import { createProvider } from '../support/signing.js';

describeEachDialect('ACME clients of a space', (open) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp(open, {
      environment: { ...withKeys, CERT_MANAGER_PUBLIC_URL: 'https://certs.example.org' },
    });
  });
  afterAll(() => app.close());

  const post = (path: string, body: object) => app.request.post(path).set(app.people.ada.auth).send(body);
  const put = (path: string, body: object) => app.request.put(path).set(app.people.ada.auth).send(body);
  const get = (path: string) => app.request.get(path).set(app.people.ada.auth);
  const pathOfClient = ({ spaceId, id }: Pick<AcmeClient, 'spaceId' | 'id'>) =>
    `/spaces/${spaceId}/acme-clients/${id}`;
  const rowOf = async (kid: string) => app.database.read((tx) => findAcmeClientByKid(tx, kid));
  test('are created with a key that is shown once and stored encrypted', async () => {
    const { id: spaceId } = await addSpace(app);
    const body = { name: 'web-7', names: { names: ['WWW.Example.com.'], suffixes: ['example.org'] } };
    const { body: made } = await post(`/spaces/${spaceId}/acme-clients`, body).expect(201);
    expect(made).toMatchObject({
      spaceId,
      name: 'web-7',
      directoryUrl: 'https://certs.example.org/acme/directory',
      state: 'unused',
      names: { names: ['www.example.com'], suffixes: ['example.org'], wildcards: false, cidrs: [] },
      providerId: null,
      createFqdns: true,
      mayTakeOver: false,
      allowedCidrs: [],
      expiresAt: null,
      maxOrdersPerDay: 300,
      maxAccounts: 100,
      createdBy: { userId: app.people.ada.id, username: 'ada' },
      warnings: [],
    });
    expect(Buffer.from(made.hmacKey, 'base64url')).toHaveLength(32);
    expect([made.kid, made.hmacKey]).toEqual([
      expect.stringMatching(/^[A-Za-z0-9][\w-]*$/),
      expect.stringMatching(/^[A-Za-z0-9]/),
    ]);
    const row = (await rowOf(made.kid)) as AcmeClientRow;
    expect(row.hmacKeySealed).toMatch(/^v1\.one\./);
    const ring = app.config.encryptionKeys;
    expect(ring && openHmacKey(ring, row).toString('base64url')).toBe(made.hmacKey);
    const { body: shown } = await get(pathOfClient(made)).expect(200);
    const { hmacKey: _, warnings: _none, ...rest } = made as NewAcmeClient;
    expect(shown).toEqual(rest);
    const entries = await auditEntries(app, 'acme_client.create');
    expect(entries.at(-1)).toMatchObject({
      resourceType: 'acme-client',
      resourceId: made.id,
      spaceId,
      details: { name: 'web-7', kid: made.kid },
    });
    const everything = JSON.stringify([entries, app.logged()]);
    expect(everything).not.toContain(made.hmacKey);
    expect(everything).not.toContain(row.hmacKeySealed);
  });

  test('are listed oldest first, by pages', async () => {
    const { id: spaceId } = await addSpace(app);
    const made: string[] = [];
    for (let count = 0; count < 3; count += 1) {
      made.push((await addAcmeClient(app, spaceId)).id);
      app.clock.advance(1000);
    }
    const path = `/spaces/${spaceId}/acme-clients`;
    const { body: all } = await get(path).expect(200);
    expect((all as AcmeClient[]).map(({ id }) => id)).toEqual(made);
    const first = await get(`${path}?limit=2`).expect(200);
    expect(first.headers['x-total-count']).toBe('3');
    const next = /<([^>]+)>/.exec(first.headers['link'] ?? '')?.[1] ?? '';
    const { body: rest } = await get(next).expect(200);
    expect([...first.body, ...rest].map(({ id }: AcmeClient) => id)).toEqual(made);
  });

  test('a client that is created without CERT_MANAGER_PUBLIC_URL comes with a warning', async () => {
    const { id: spaceId } = await addSpace(app);
    const other = await startAppOn(app.database, { environment: withKeys, beside: app });
    const { warnings, directoryUrl } = await addAcmeClient({ ...other, people: app.people }, spaceId);
    expect(warnings.map(({ code }) => code)).toContain('public_url_missing');
    expect(directoryUrl).toMatch(/^http:\/\/.*\/acme\/directory$/);
    await other.close();
  });

  test('are changed member by member, at once, and with an audit entry', async () => {
    const { id: spaceId } = await addSpace(app);
    const client = await addAcmeClient(app, spaceId);
    app.clock.advance(60_000);
    const change = {
      name: 'renamed',
      names: { names: ['www.example.com'] },
      createFqdns: false,
      mayTakeOver: true,
      allowedCidrs: ['10.0.0.0/8', '::ffff:10.0.0.0/104', '2001:db8::/32'],
      expiresAt: '2027-01-01T00:00:00Z',
      maxOrdersPerDay: 5,
      maxAccounts: 6,
    };
    const { body } = await put(pathOfClient(client), change).expect(200);
    expect(body).toMatchObject({
      ...change,
      names: { names: ['www.example.com'], suffixes: [], wildcards: false, cidrs: [] },
      allowedCidrs: ['10.0.0.0/8', '2001:db8::/32'],
      expiresAt: '2027-01-01T00:00:00.000Z',
      kid: client.kid,
      keyChangedAt: client.keyChangedAt,
      changedAt: app.clock.now().toISOString(),
    });
    const { body: second } = await put(pathOfClient(client), { expiresAt: null }).expect(200);
    expect(second).toEqual({ ...body, expiresAt: null });
    const [entry] = (await auditEntries(app, 'acme_client.change')).slice(-2);
    expect(entry?.details).toMatchObject({
      before: { name: client.name, mayTakeOver: false },
      after: { name: 'renamed', mayTakeOver: true, names: { names: ['www.example.com'] } },
    });
    const passed = new Date(app.clock.now().getTime() - 1000).toISOString();
    await put(pathOfClient(client), { expiresAt: passed }).expect(400);
  });

  test('show that they have expired', async () => {
    const { id: spaceId } = await addSpace(app);
    const expiresAt = new Date(app.clock.now().getTime() + 1000).toISOString();
    const client = await addAcmeClient(app, spaceId, { expiresAt });
    expect(client.state).toBe('unused');
    app.clock.advance(1000);
    expect((await get(pathOfClient(client))).body.state).toBe('expired');
  });

  test('get a new key, by which the former one ends', async () => {
    const { id: spaceId } = await addSpace(app);
    const client = await addAcmeClient(app, spaceId);
    app.clock.advance(1000);
    const { body } = await post(`${pathOfClient(client)}/key`, {}).expect(200);
    expect(body).toMatchObject({ id: client.id, keyChangedAt: app.clock.now().toISOString() });
    expect([body.kid, body.hmacKey]).not.toContain(client.kid);
    expect(body.hmacKey).not.toBe(client.hmacKey);
    expect(await rowOf(client.kid)).toBeUndefined();
    expect((await rowOf(body.kid))?.id).toBe(client.id);
    const [entry] = (await auditEntries(app, 'acme_client.rekey')).slice(-1);
    expect(entry?.details).toMatchObject({ before: { kid: client.kid }, after: { kid: body.kid } });
    expect(JSON.stringify(entry)).not.toContain(body.hmacKey);
  });

  test('are deleted, also with their space', async () => {
    const { id: spaceId } = await addSpace(app);
    const client = await addAcmeClient(app, spaceId);
    await app.request.delete(pathOfClient(client)).set(app.people.ada.auth).expect(200);
    expect((await get(pathOfClient(client))).body.code).toBe('acme_client_not_found');
    expect(await rowOf(client.kid)).toBeUndefined();
    expect(await auditEntries(app, 'acme_client.delete')).not.toEqual([]);
    const other = await addAcmeClient(app, spaceId);
    await app.request.delete(`/spaces/${spaceId}`).set(app.people.ada.auth).expect(200);
    expect(await rowOf(other.kid)).toBeUndefined();
  });

  test('keep their provider from being deleted', async () => {
    const { id: spaceId } = await addSpace(app);
    const provider = await createProvider(app, {
      kind: 'dummy-ca',
      name: `used-${randomUUID().slice(0, 8)}`,
      config: { baseUrl: 'http://8.8.8.8:3002' },
    });
    const client = await addAcmeClient(app, spaceId, { providerId: provider.id });
    const remove = () => app.request.delete(`/providers/${provider.id}`).set(app.people.ada.auth);
    const { body } = await remove().expect(409);
    expect(body.message).toContain(`1 ACME client that names it (${client.name})`);
    await put(pathOfClient(client), { providerId: null }).expect(200);
    await remove().expect(200);
  });

  test('have keys that are encrypted again with the first of new encryption keys', async () => {
    const { id: spaceId } = await addSpace(app);
    const client = await addAcmeClient(app, spaceId);
    const fresh = `two:${Buffer.alloc(32, 2).toString('base64')}`;
    const ring = parseKeyRing(`${fresh}\n${withKeys.ENCRYPTION_KEYS}`, 'cert-manager');
    const rotated = await rotateKeys({ db: app.database, clock: app.clock }, ring, rotateClientKeys);
    expect(rotated).toBeGreaterThan(0);
    const rows = await app.database.read((tx) => tx.find(acmeClients));
    expect(rows.filter(({ hmacKeySealed }) => !hmacKeySealed.startsWith('v1.two.'))).toEqual([]);
    const row = (await rowOf(client.kid)) as AcmeClientRow;
    const alone = parseKeyRing(fresh, 'cert-manager');
    expect(openHmacKey(alone, row).toString('base64url')).toBe(client.hmacKey);
    // bound to its row: in another one it does not open
    const place = { table: 'acme_clients', column: 'hmac_key_sealed', rowId: unknownId };
    expect(() => openSecret(alone, place, row.hmacKeySealed)).toThrow();
  });

  test('are callers without any right at the API', async () => {
    const { id: spaceId } = await addSpace(app);
    const row = (await rowOf((await addAcmeClient(app, spaceId, { name: 'web-9' })).kid)) as AcmeClientRow;
    const origin = { requestId: 'r', ipAddress: '10.0.0.7', userAgent: 'certbot 2.1' };
    const caller = acmeClientCaller(row, origin);
    expect(caller).toMatchObject({ kind: 'acmeClient', userId: row.id, username: 'acme:web-9', ...origin });
    expect([caller.isAdmin, caller.hasFullAccess, caller.everywhere, caller.spaceLevels.size]).toEqual([
      false,
      false,
      undefined,
      0,
    ]);
  });
});

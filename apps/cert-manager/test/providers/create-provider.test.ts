import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { describeEachDialect } from '@certloop/db/testing';
import { parseKeyRing } from '@certloop/server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { rotateClientKeys } from '../../src/acme-clients/client-key.service.js';
import { providers } from '../../src/providers/providers.repository.js';
import { rotateKeys } from '../../src/providers/secrets/rotate-keys.service.js';
import { startScriptedAcme } from '../support/acme/scripted-acme.js';
import { startApp, startAppOn, type TestApp } from '../support/app.js';
import { type FakeCa, startFakeCa } from '../support/cas/fake-ca.js';
import { addCsr, addSpace, auditEntries, pathOf } from '../support/inventory.js';
import { certificatesOf } from '../support/renewals.js';
import { configure, createProvider, fqdnWithCsr, newCsr, providerOf } from '../support/signing.js';
import { listening, textOf } from '../support/small-server.js';

const line = (id: string, octet: number) => `${id}:${Buffer.alloc(32, octet).toString('base64')}`;
const metricsToken = 'a-token-of-sixteen-letters';
const environment = { ENCRYPTION_KEYS: line('old', 1), METRICS_TOKEN: metricsToken };
const hmacKey = randomBytes(32).toString('base64url');
const acmeConfig = {
  directoryUrl: 'https://8.8.8.8/dir',
  termsOfServiceAgreed: true,
  eab: { kid: 'kid-1', hmacKey },
};
// public and literal: nothing is resolved, and no test calls it
const elsewhere = { baseUrl: 'http://8.8.8.8:3002' };

describeEachDialect('creating a provider', (open) => {
  let app: TestApp;
  let ca: FakeCa;
  beforeAll(async () => {
    app = await startApp(open, { environment, orders: { pause: async () => undefined } });
    ca = await startFakeCa(app.clock);
  });
  afterAll(async () => {
    await app.close();
    await ca.close();
  });

  const create = (body: object) => app.request.post('/providers').set(app.people.ada.auth).send(body);
  const own = () => ({ baseUrl: ca.url, allowPrivateNetwork: true });

  test('returns the provider as in the list, configured and enabled', async () => {
    const { body } = await create({ kind: 'dummy-ca', name: 'staging', config: elsewhere }).expect(201);
    expect(body).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      kind: 'dummy-ca',
      name: 'staging',
      displayName: 'staging',
      description: 'Signs CSRs at once, for tests and for closed networks.',
      enabled: true,
      config: {
        ...elsewhere,
        validityDays: 365,
        timeoutMs: 10_000,
        maxConcurrency: 4,
        allowPrivateNetwork: false,
      },
    });
    const list = await app.request.get('/providers').set(app.people.ada.auth).expect(200);
    expect(list.body.map(({ kind, name }: { kind: string; name: string }) => [kind, name])).toEqual([
      ['dummy-ca', 'dummy-ca'],
      ['acme', 'acme'],
      ['dummy-ca', 'staging'],
    ]);
    expect(await providerOf(app, 'staging')).toEqual(body);
  });

  test('writes an audit entry, shows its secrets as masks and stores them encrypted', async () => {
    const displayName = 'Public CA';
    const created = await createProvider(app, {
      kind: 'acme',
      name: 'public',
      displayName,
      config: acmeConfig,
    });
    const eab = { kid: 'kid-1', hmacKey: '********' };
    expect(created).toMatchObject({ displayName, config: { eab } });
    const logged = { kid: 'kid-1', hmacKey: { changed: true } };
    const [entry] = (await auditEntries(app, 'provider.create')).filter(
      ({ resourceId }) => resourceId === created.id,
    );
    expect(entry).toMatchObject({
      resourceType: 'provider',
      userId: app.people.ada.id,
      details: { provider: 'public', after: { kind: 'acme', displayName, config: { eab: logged } } },
    });
    const row = await app.database.read((tx) => tx.findOneByOrFail(providers, { id: created.id }));
    expect(row.secrets).toEqual({ 'eab.hmacKey': expect.stringMatching(/^v1\.old\./) });
    for (const place of [row, entry, app.logged(), created]) {
      expect(JSON.stringify(place)).not.toContain(hmacKey);
    }
  });

  test.each([
    ['a name that a built-in provider has', { name: 'acme' }, 'name', 'name_taken'],
    ['no name', { name: undefined }, 'name', undefined],
    ['an empty name', { name: '' }, 'name', undefined],
    ['a name in upper case', { name: 'Staging' }, 'name', undefined],
    ['a name with a blank', { name: 'my ca' }, 'name', undefined],
    ['a name that ends with a hyphen', { name: 'ca-' }, 'name', undefined],
    ['a name of 33 characters', { name: 'a'.repeat(33) }, 'name', undefined],
    ['a kind that does not exist', { kind: 'vault' }, 'kind', undefined],
    ['no configuration', { config: undefined }, 'config', undefined],
    ['a configuration that lacks a key', { config: {} }, 'config.baseUrl', undefined],
    ['an unknown key', { config: { ...elsewhere, baseurl: 'x' } }, 'config.baseurl', undefined],
    [
      'a masked secret',
      { kind: 'acme', config: { ...acmeConfig, eab: { kid: 'k', hmacKey: '********' } } },
      'config.eab.hmacKey',
      'secret_refused',
    ],
  ])('refuses %s and names the field', async (_, change, path, code) => {
    const before = await app.database.read((tx) => tx.count(providers));
    const { body } = await create({ kind: 'dummy-ca', name: 'new', config: elsewhere, ...change }).expect(
      400,
    );
    expect(body.errors).toEqual([{ path, code: code ?? expect.any(String), message: expect.any(String) }]);
    expect(await app.database.read((tx) => tx.count(providers))).toBe(before);
  });

  test('explains which names are valid, and which provider has a name that exists', async () => {
    const { body: wrong } = await create({ kind: 'acme', name: 'No!', config: acmeConfig }).expect(400);
    expect(wrong.detail).toBe(
      'name: must be 1 to 32 lower-case letters, digits and hyphens, and begin and end with a letter or a digit',
    );
    const { body: taken } = await create({ kind: 'dummy-ca', name: 'dummy-ca', config: elsewhere }).expect(
      400,
    );
    expect(taken.detail).toBe(
      'name: another provider is named dummy-ca; to change it, PUT /providers/{id}/config with its id of GET /providers, or choose another name',
    );
  });

  test('refuses a private address and names the setting that allows it', async () => {
    const { body } = await create({ kind: 'dummy-ca', name: 'inside', config: { baseUrl: ca.url } }).expect(
      400,
    );
    expect(body).toMatchObject({ code: 'target_refused', errors: [{ path: 'config.baseUrl' }] });
    expect(body.detail).toMatch(/set config\.allowPrivateNetwork to true if it is in a network of yours$/);
    const metadata = { baseUrl: 'http://169.254.169.254' };
    const { body: never } = await create({ kind: 'dummy-ca', name: 'inside', config: metadata }).expect(400);
    expect(never.detail).not.toMatch(/allowPrivateNetwork/);
  });

  test('refuses a repeated request without a change, as a script that runs again sends it', async () => {
    const body = { kind: 'dummy-ca', name: 'scripted', config: elsewhere };
    const { body: created } = await create(body).expect(201);
    const changed = { ...body, config: { ...elsewhere, validityDays: 7 } };
    const { body: refused } = await create(changed).expect(400);
    expect(refused).toMatchObject({ code: 'name_taken', errors: [{ path: 'name' }] });
    expect(await providerOf(app, 'scripted')).toEqual(created);
    const entries = await auditEntries(app, 'provider.create');
    expect(entries.filter(({ resourceId }) => resourceId === created.id)).toHaveLength(1);
    await configure(app, created, changed.config).expect(200);
    expect(await providerOf(app, 'scripted')).toMatchObject({ config: { validityDays: 7 } });
  });

  test('creates one of two concurrent providers with the same name', async () => {
    const body = { kind: 'dummy-ca', name: 'twice', config: elsewhere };
    const answers = await Promise.all([1, 2, 3, 4].map(() => create(body)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 400, 400, 400]);
  });

  test('makes it usable in another process at once, and configuring it there changes both', async () => {
    const other = await startAppOn(app.database, { environment, beside: app });
    const { fqdn } = await fqdnWithCsr(app, 'both.example.org');
    const sign = (at: TestApp, providerId: string) =>
      at.request.post(pathOf(fqdn, 'csr/sign')).set(app.people.ada.auth).send({ providerId });
    const { id } = await createProvider(app, { kind: 'dummy-ca', name: 'shared', config: own() });
    expect((await sign(other, id).expect(200)).body).toMatchObject({ success: true });
    await configure(other, { id }, { ...own(), validityDays: 7 }).expect(200);
    expect((await sign(app, id).expect(200)).body).toMatchObject({ success: true });
    expect(ca.validityDays.at(-1)).toBe(7);
    await app.request.delete('/fqdns?confirm=true').set(app.people.ada.auth).expect(200);
    await other.close();
  });

  describe('in addition to another of its kind', () => {
    test('signs with a second CA: an FQDN has certificates of both, each with its provider', async () => {
      const production = await startFakeCa(app.clock);
      const stage = await createProvider(app, { kind: 'dummy-ca', name: 'stage', config: own() });
      const config = { baseUrl: production.url, allowPrivateNetwork: true };
      const live = await createProvider(app, { kind: 'dummy-ca', name: 'live', config });
      const { fqdn } = await fqdnWithCsr(app, 'two.example.org');
      for (const { id: providerId, name } of [stage, live]) {
        const { body } = await app.request
          .post(pathOf(fqdn, 'csr/sign'))
          .set(app.people.ada.auth)
          .send({ providerId })
          .expect(200);
        expect(body).toMatchObject({ success: true, message: expect.stringMatching(`^signed by ${name}, `) });
      }
      expect(production.ids).toHaveLength(1);
      expect(await certificatesOf(app, fqdn)).toHaveLength(2);
      const signed = await auditEntries(app, 'csr.sign');
      expect(signed.slice(-2).map(({ details }) => details['provider'])).toEqual(['stage', 'live']);
      const { text } = await app.request
        .get('/metrics')
        .set('Authorization', `Bearer ${metricsToken}`)
        .expect(200);
      for (const name of ['stage', 'live']) {
        expect(text).toContain(`provider="${name}",purpose="issuance",outcome="issued"} 1`);
      }
      await production.close();
    });

    test('is called for FQDNs that name it, and no other provider is', async () => {
      const { id: spaceId } = await addSpace(app);
      const { id: providerId } = await providerOf(app, 'public');
      const { body: fqdn } = await app.request
        .post(`/spaces/${spaceId}/fqdns`)
        .set(app.people.ada.auth)
        .send({ fqdn: 'named.example.org', providerId })
        .expect(201);
      await addCsr(app, fqdn, await newCsr('named.example.org'));
      const { body } = await app.request
        .get(pathOf(fqdn, 'challenge-setup'))
        .set(app.people.ada.auth)
        .expect(200);
      expect(body.provider).toEqual({ id: providerId, name: 'public' });
      const dummy = await app.request
        .post(`/spaces/${spaceId}/fqdns`)
        .set(app.people.ada.auth)
        .send({ fqdn: 'direct.example.org', providerId: (await providerOf(app, 'stage')).id })
        .expect(201);
      await addCsr(app, dummy.body, await newCsr('direct.example.org'));
      const refused = await app.request
        .post(pathOf(dummy.body, 'request-certificate'))
        .set(app.people.ada.auth)
        .expect(400);
      expect(refused.body).toMatchObject({
        code: 'provider_not_acme',
        detail: expect.stringMatching(/stage, of the kind dummy-ca; .*csr\/sign/),
      });
    });
  });

  test('publishes records of one name one after the other with others, as backends may rewrite a whole set', async () => {
    const acme = await startScriptedAcme(() => app.clock);
    let underWay = 0;
    let maxAtOnce = 0;
    const calls: string[] = [];
    const server = createServer(async (request, response) => {
      underWay += 1;
      maxAtOnce = Math.max(maxAtOnce, underWay);
      calls.push(request.url ?? '');
      await textOf(request);
      await new Promise((resolve) => setTimeout(resolve, 20));
      underWay -= 1;
      response.end();
    });
    const hook = await listening(server);
    // no request reaches the address of the resolver
    const propagation = { resolvers: ['127.0.0.1:1'], timeoutS: 1, intervalS: 1 };
    const dns = { kind: 'webhook', url: hook.url, alias: 'proofs.example.org', propagation };
    const config = {
      directoryUrl: acme.directoryUrl,
      termsOfServiceAgreed: true,
      allowPrivateNetwork: true,
      challenge: { type: 'dns-01', dns },
    };
    const sign = async (name: string) => {
      const { id: providerId } = await createProvider(app, { kind: 'acme', name, config });
      const { fqdn } = await fqdnWithCsr(app, `${name}.example.org`);
      const path = pathOf(fqdn, 'csr/sign');
      return app.request.post(path).set(app.people.ada.auth).send({ providerId }).expect(200);
    };
    const answers = await Promise.all(['dns-one', 'dns-two', 'dns-three'].map(sign));
    expect(answers.map(({ body }) => body)).toMatchObject([
      { success: true },
      { success: true },
      { success: true },
    ]);
    expect(calls.filter((path) => path === '/present')).toHaveLength(3);
    expect(maxAtOnce).toBe(1);
    await hook.close();
    await acme.close();
  });

  test('lets new encryption keys reach its secrets', async () => {
    const ring = parseKeyRing([line('new', 2), line('old', 1)].join('\n'), 'cert-manager');
    await createProvider(app, { kind: 'acme', name: 'rotated', config: acmeConfig });
    expect(
      await rotateKeys({ db: app.database, clock: app.clock }, ring, rotateClientKeys),
    ).toBeGreaterThanOrEqual(2);
    const rows = await app.database.read((tx) => tx.find(providers));
    const sealed = rows.flatMap(({ secrets }) => Object.values(secrets));
    expect(sealed.length).toBeGreaterThanOrEqual(2);
    for (const secret of sealed) expect(secret).toMatch(/^v1\.new\./);
  });
});

import { randomUUID } from 'node:crypto';
import type { AcmeClient, AllowedNames } from '@certloop/contracts';
import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type TestApp } from '../support/app.js';
import { addAcmeClient, withKeys } from '../support/front/acme-clients.js';
import { addSpace, unknownId } from '../support/inventory.js';
import { configure, createProvider, providerOf } from '../support/signing.js';

const noLists: AllowedNames = {
  names: [],
  suffixes: [],
  wildcards: false,
  cidrs: [],
  beyondFqdn: true,
};

describeEachDialect('ACME clients that are refused', (open) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp(open, { environment: withKeys });
  });
  afterAll(() => app.close());

  const post = (path: string, body: object) => app.request.post(path).set(app.people.ada.auth).send(body);
  const put = (path: string, body: object) => app.request.put(path).set(app.people.ada.auth).send(body);
  const get = (path: string) => app.request.get(path).set(app.people.ada.auth);
  const pathOfClient = ({ spaceId, id }: Pick<AcmeClient, 'spaceId' | 'id'>) =>
    `/spaces/${spaceId}/acme-clients/${id}`;
  const setPolicy = (spaceId: string, allowedNames: Partial<AllowedNames>) =>
    put(`/spaces/${spaceId}/issuance-policy`, {
      allowedNames: { ...noLists, ...allowedNames },
      confirmed: true,
    }).expect(200);

  describe('are refused', () => {
    const names = { suffixes: ['example.com'] };
    test.each<[string, object, string, string | RegExp]>([
      ['without names', {}, 'names_required', /^names: is required, as the issuance policy of the space/],
      ['with names null', { names: null }, 'names_required', /^names: is required/],
      ['with empty names', { names: { wildcards: true } }, 'names_required', /^names: allows no name/],
      ['with a name that is none', { names: { names: ['a b'] } }, 'invalid_names', /^names\.names\[0\]: /],
      ['with a suffix of dots', { names: { suffixes: ['*.a.test'] } }, 'invalid_names', /write a\.test/],
      ['with a wildcard', { names: { names: ['*.a.test'] } }, 'invalid_names', /wildcards is false/],
      ['with a range that is none', { names: { cidrs: ['10.0.0.1'] } }, 'invalid_names', /10\.0\.0\.1\/32/],
      ['with a member that is not known', { names: { name: ['a.test'] } }, 'invalid_input', /name/],
      [
        'with an address for a range',
        { names, allowedCidrs: ['10.0.0.7/8'] },
        'invalid_range',
        /10\.0\.0\.0\/8/,
      ],
      [
        'with an end that has passed',
        { names, expiresAt: '2026-02-01T00:00:00Z' },
        'invalid_input',
        /future/,
      ],
      ['with an unknown provider', { names, providerId: unknownId }, 'unknown_provider', /no provider/],
      ['with no order a day', { names, maxOrdersPerDay: 0 }, 'invalid_input', /maxOrdersPerDay/],
      ['with no account', { names, maxAccounts: 0 }, 'invalid_input', /maxAccounts/],
    ])('%s', async (_, body, code, message) => {
      const { id: spaceId } = await addSpace(app);
      const answer = await post(`/spaces/${spaceId}/acme-clients`, { name: 'x', ...body });
      expect({ status: answer.status, ...answer.body }).toMatchObject({
        status: 400,
        code,
        message: expect.stringMatching(message),
      });
      expect((await get(`/spaces/${spaceId}/acme-clients`)).body).toEqual([]);
    });

    test('with a name that another client of the space has', async () => {
      const { id: spaceId } = await addSpace(app);
      const { name } = await addAcmeClient(app, spaceId);
      const other = await addAcmeClient(app, spaceId);
      const { body } = await post(`/spaces/${spaceId}/acme-clients`, { name, names }).expect(409);
      expect(body).toMatchObject({ code: 'acme_client_exists', errors: [{ path: 'name' }] });
      await put(pathOfClient(other), { name }).expect(409);
      await addAcmeClient(app, (await addSpace(app)).id, { name });
    });

    test('with a provider whose proofs people publish', async () => {
      const { id: spaceId } = await addSpace(app);
      const config = {
        directoryUrl: 'https://acme.example.org/directory',
        termsOfServiceAgreed: true,
        challenge: { type: 'manual' },
      };
      const { id: providerId, name } = await createProvider(app, {
        kind: 'acme',
        name: `hand-${randomUUID().slice(0, 8)}`,
        config,
      });
      const answer = await post(`/spaces/${spaceId}/acme-clients`, { name: 'x', names, providerId });
      expect({ status: answer.status, ...answer.body }).toMatchObject({
        status: 400,
        code: 'provider_manual',
        message: expect.stringContaining(name),
      });
      // where it is the one that is used without another, people are warned
      const acme = await providerOf(app, 'acme');
      await configure(app, acme, config).expect(200);
      const { warnings } = await addAcmeClient(app, spaceId);
      expect(warnings).toContainEqual({
        code: 'provider_manual',
        message: expect.stringContaining('the provider acme'),
      });
    });

    test('with a provider that the policy does not allow', async () => {
      const { id: spaceId } = await addSpace(app);
      const [dummy, acme] = [await providerOf(app, 'dummy-ca'), await providerOf(app, 'acme')];
      await put(`/spaces/${spaceId}/issuance-policy`, { providerIds: [acme.id] }).expect(200);
      const { body } = await post(`/spaces/${spaceId}/acme-clients`, {
        name: 'x',
        names,
        providerId: dummy.id,
      }).expect(400);
      expect(body.code).toBe('provider_not_allowed');
    });

    test('without ENCRYPTION_KEYS, by which their keys would be stored', async () => {
      const bare = await startApp(open);
      const { id: spaceId } = await addSpace(bare);
      const ask = bare.request.post(`/spaces/${spaceId}/acme-clients`).set(bare.people.ada.auth);
      const { status, body } = await ask.send({ name: 'bare', names });
      expect({ status, code: body.code }).toEqual({ status: 400, code: 'encryption_keys_missing' });
      expect(body.message).toMatch(/^ACME clients need ENCRYPTION_KEYS/);
      await bare.close();
    });
  });

  describe('in a space whose policy limits names', () => {
    const policy = {
      names: ['only.test'],
      suffixes: ['example.com'],
      wildcards: true,
      cidrs: ['10.0.0.0/8'],
    };
    test('need no names of their own', async () => {
      const { id: spaceId } = await addSpace(app);
      await setPolicy(spaceId, policy);
      expect((await addAcmeClient(app, spaceId, { names: null })).names).toBeNull();
    });

    test.each<[string, object, string[]]>([
      [
        'may have less',
        { names: ['only.test', 'a.b.example.com'], suffixes: ['b.example.com'], cidrs: ['10.1.0.0/16'] },
        [],
      ],
      ['may not have other names', { names: ['only.test', 'other.test'] }, ['names.names[1]']],
      [
        'may not have a suffix for a name',
        { suffixes: ['only.test', 'test'] },
        ['names.suffixes[0]', 'names.suffixes[1]'],
      ],
      [
        'may not have larger ranges',
        { cidrs: ['8.0.0.0/5', '11.0.0.0/8', '::/0'] },
        ['names.cidrs[0]', 'names.cidrs[1]', 'names.cidrs[2]'],
      ],
    ])('%s', async (_, sent, paths) => {
      const { id: spaceId } = await addSpace(app);
      await setPolicy(spaceId, policy);
      const { status, body } = await post(`/spaces/${spaceId}/acme-clients`, { name: 'x', names: sent });
      if (paths.length === 0) return expect(status).toBe(201);
      expect({ status, code: body.code }).toEqual({ status: 400, code: 'wider_than_policy' });
      expect(body.errors.map(({ path }: { path: string }) => path)).toEqual(paths);
    });

    test('may not have wildcards where the policy has none', async () => {
      const { id: spaceId } = await addSpace(app);
      await setPolicy(spaceId, { ...policy, wildcards: false });
      const names = { suffixes: ['example.com'], wildcards: true };
      const { body } = await post(`/spaces/${spaceId}/acme-clients`, { name: 'x', names }).expect(400);
      expect(body).toMatchObject({ code: 'wider_than_policy', errors: [{ path: 'names.wildcards' }] });
    });

    test('may be changed although the policy has become narrower, but not to more', async () => {
      const { id: spaceId } = await addSpace(app);
      await setPolicy(spaceId, policy);
      const client = await addAcmeClient(app, spaceId, {
        names: { suffixes: ['example.com'], wildcards: true },
      });
      await setPolicy(spaceId, { suffixes: ['b.example.com'] });
      const lists = { suffixes: ['example.com'], wildcards: true };
      await put(pathOfClient(client), { names: lists, maxAccounts: 7 }).expect(200);
      await put(pathOfClient(client), { names: { ...lists, names: ['c.example.com'] } }).expect(400);
      await put(pathOfClient(client), { names: { ...lists, names: ['c.b.example.com'] } }).expect(200);
    });
  });
});

import { randomUUID } from 'node:crypto';
import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readCertManagerConfig } from '../../src/config.js';
import { startAppOn, type TestApp } from '../support/app.js';
import { grant } from '../support/factories.js';
import { addCsr, addFqdn, addSpace, csrUpload, pathOf } from '../support/inventory.js';
import { createProvider, newCsr, providerOf, startAppWithCa } from '../support/signing.js';

const names = { names: [], suffixes: ['example.org'], wildcards: false, cidrs: [], beyondFqdn: false };
const setting = JSON.stringify({ allowedNames: names });

describeEachDialect('the policy of spaces without one of their own', (open) => {
  let app: TestApp;
  let close: () => Promise<void>;
  let providerId: string;
  beforeAll(async () => {
    ({ app, close } = await startAppWithCa(open, { ISSUANCE_POLICY_DEFAULT: setting }));
    providerId = (await providerOf(app, 'dummy-ca')).id;
  });
  afterAll(() => close());

  const policyOf = async (id: string) =>
    (await app.request.get(`/spaces/${id}/issuance-policy`).set(app.people.ada.auth).expect(200)).body;
  const put = (id: string, body: object) =>
    app.request.put(`/spaces/${id}/issuance-policy`).set(app.people.ada.auth).send(body);
  const create = (id: string, fqdn: string) =>
    app.request.post(`/spaces/${id}/fqdns`).set(app.people.ada.auth).send({ fqdn });

  test('limits names at each step, and is shown as the default one', async () => {
    const { id } = await addSpace(app);
    expect(await policyOf(id)).toEqual({ allowedNames: names, providerIds: null, isDefault: true });
    expect((await create(id, 'www.elsewhere.test').expect(400)).body.code).toBe('name_not_allowed');
    const fqdn = await addFqdn(app, id, 'www.example.org');
    const { body } = await csrUpload(app, fqdn, await newCsr('www.example.org', 'a.test')).expect(400);
    expect(body.code).toBe('name_not_allowed');
    await addCsr(app, fqdn, await newCsr('www.example.org'));
    const sign = () =>
      app.request.post(pathOf(fqdn, 'csr/sign')).set(app.people.ada.auth).send({ providerId });
    await sign().expect(200);
  });

  test('gives way to a policy of the space, and is back when that is removed', async () => {
    const { id } = await addSpace(app);
    const own = { ...names, suffixes: ['own.test'] };
    const { body } = await put(id, { ...(await policyOf(id)), allowedNames: own }).expect(200);
    expect(body).toMatchObject({ allowedNames: own, saved: true });
    expect(await policyOf(id)).toEqual({ allowedNames: own, providerIds: null });
    await create(id, 'www.own.test').expect(201);
    expect((await put(id, {}).expect(409)).body.code).toBe('policy_not_confirmed');
    await put(id, { confirmed: true }).expect(200);
    expect(await policyOf(id)).toMatchObject({ isDefault: true });
    expect((await create(id, 'other.own.test').expect(400)).body.code).toBe('name_not_allowed');
  });

  test('entitles no space to a name that another one holds', async () => {
    const issue = async (id: string) => {
      const fqdn = await addFqdn(app, id, 'held.example.org');
      await addCsr(app, fqdn, await newCsr('held.example.org'));
      await app.request
        .post(pathOf(fqdn, 'csr/sign'))
        .set(app.people.ada.auth)
        .send({ providerId })
        .expect(200);
    };
    await issue((await addSpace(app)).id);
    const { id } = await addSpace(app);
    const { ben } = app.people;
    await grant(app, ben, 'READ_WRITE', [id]);
    const fqdn = await addFqdn(app, id, 'held.example.org');
    await csrUpload(app, fqdn, await newCsr('held.example.org'), ben).expect(400);
    await put(id, { allowedNames: names }).expect(200);
    await csrUpload(app, fqdn, await newCsr('held.example.org'), ben).expect(201);
  });

  test('is that of the process that started last, and none without the setting', async () => {
    const { id } = await addSpace(app);
    const beside = await startAppOn(app.database, { beside: app });
    expect(await policyOf(id)).toEqual({ allowedNames: null, providerIds: null });
    await create(id, 'www.anything.test').expect(201);
    await beside.close();
    const environment = { ISSUANCE_POLICY_DEFAULT: setting };
    const again = await startAppOn(app.database, { beside: app, environment });
    expect(again.logged()).toContainEqual(expect.objectContaining({ event: 'policy.default_changed' }));
    expect(await policyOf(id)).toMatchObject({ isDefault: true });
    await again.close();
  });

  test('is stored by processes that start at once', async () => {
    const { id } = await addSpace(app);
    const start = (environment: Readonly<Record<string, string>>) =>
      startAppOn(app.database, { beside: app, environment });
    for (const environment of [{}, { ISSUANCE_POLICY_DEFAULT: setting }]) {
      const started = await Promise.all(Array.from({ length: 5 }, () => start(environment)));
      for (const each of started) await each.close();
    }
    expect(await policyOf(id)).toMatchObject({ allowedNames: names, isDefault: true });
  });

  test('stops the start if it names an unknown provider', async () => {
    const ISSUANCE_POLICY_DEFAULT = JSON.stringify({ providerIds: [randomUUID()] });
    await expect(
      startAppOn(app.database, { beside: app, environment: { ISSUANCE_POLICY_DEFAULT } }),
    ).rejects.toThrow(/ISSUANCE_POLICY_DEFAULT: providerIds: .* names no provider/);
  });

  test('stops the deletion of a provider that it names', async () => {
    const config = { baseUrl: 'https://8.8.8.8' };
    const further = await createProvider(app, { kind: 'dummy-ca', name: 'further', config });
    const ISSUANCE_POLICY_DEFAULT = JSON.stringify({ providerIds: [further.id] });
    await (await startAppOn(app.database, { beside: app, environment: { ISSUANCE_POLICY_DEFAULT } })).close();
    const remove = () => app.request.delete(`/providers/${further.id}`).set(app.people.ada.auth);
    const { body } = await remove().expect(409);
    expect(body).toMatchObject({
      code: 'provider_in_use',
      detail: expect.stringContaining('1 issuance policy (ISSUANCE_POLICY_DEFAULT)'),
    });
    const environment = { ISSUANCE_POLICY_DEFAULT: setting };
    await (await startAppOn(app.database, { beside: app, environment })).close();
    await remove().expect(200);
  });

  test('lists to administrators the names that several spaces were issued certificates for', async () => {
    const spaces = [
      await addSpace(app, 'first'),
      await addSpace(app, 'second'),
      await addSpace(app, 'third'),
    ];
    const fqdns = [];
    for (const { id } of spaces) {
      const fqdn = await addFqdn(app, id, 'shared.example.org');
      await addCsr(app, fqdn, await newCsr('shared.example.org'));
      fqdns.push(fqdn);
    }
    for (const fqdn of fqdns.slice(0, 2)) {
      await app.request
        .post(pathOf(fqdn, 'csr/sign'))
        .set(app.people.ada.auth)
        .send({ providerId })
        .expect(200);
    }
    const { body } = await app.request.get('/shared-names').set(app.people.ada.auth).expect(200);
    expect(body.hasMore).toBe(false);
    expect(body.items.find(({ name }: { name: string }) => name === 'shared.example.org')).toEqual({
      name: 'shared.example.org',
      holder: {
        spaceId: spaces[0]?.id,
        spaceName: 'first',
        fqdnId: fqdns[0]?.id,
        since: app.clock.now().toISOString(),
      },
      others: [{ spaceId: spaces[1]?.id, spaceName: 'second', fqdnId: fqdns[1]?.id }],
    });
    await app.request.get('/shared-names').set(app.people.ben.auth).expect(403);
  });
});

describe('ISSUANCE_POLICY_DEFAULT', () => {
  test.each([
    ['no JSON', '{"allowedNames"', /must be a policy as JSON/],
    ['no object', '[]', /expected object/],
    ['a misspelt member', '{"allowedName":null}', /allowedName/],
    ['an incomplete member', '{"allowedNames":{"names":[]}}', /allowedNames\.suffixes/],
    [
      'a name that is not a host name',
      JSON.stringify({ allowedNames: { ...names, names: ['a b'] } }),
      /allowedNames\.names\[0\]/,
    ],
  ])('is refused at the start if it is %s', (_, text, message) => {
    const read = () => readCertManagerConfig({ ISSUANCE_POLICY_DEFAULT: text });
    expect(read).toThrow(message);
    expect(read).toThrow(/ISSUANCE_POLICY_DEFAULT/);
  });

  test('is stored in its normal form; without limits it is none', () => {
    const read = (policy: object) =>
      readCertManagerConfig({ ISSUANCE_POLICY_DEFAULT: JSON.stringify(policy) }).issuancePolicyDefault;
    expect(read({ allowedNames: { ...names, suffixes: ['Example.ORG.'] } })).toEqual({
      allowedNames: names,
      providerIds: null,
    });
    expect(read({})).toBeUndefined();
  });
});

import type { AllowedNames, Fqdn, IssuancePolicyChange, Space } from '@certloop/contracts';
import { buildCsr, generateKeyPair } from '@certloop/crypto';
import { executeSql } from '@certloop/db';
import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { startAppOn, type TestApp } from '../support/app.js';
import { grant, grantEverything } from '../support/factories.js';
import type { FakeCa } from '../support/fake-ca.js';
import {
  addCsr,
  addFqdn,
  addSpace,
  auditEntries,
  badIds,
  csrUpload,
  pathOf,
  unknownId,
} from '../support/inventory.js';
import { createProvider, fqdnWithCsr, newCsr, providerOf, startAppWithCa } from '../support/signing.js';

// much else may run on the same machine
jest.setTimeout(60_000);

const nothing: AllowedNames = { names: [], suffixes: [], wildcards: false, cidrs: [], beyondFqdn: false };
const example: AllowedNames = { ...nothing, suffixes: ['example.org'] };
const open = { allowedNames: null, providerIds: null };

describeEachDialect('the issuance policy of a space', (openDatabase) => {
  let app: TestApp;
  let ca: FakeCa;
  let close: () => Promise<void>;
  let dummyCa: string;
  let acme: string;
  beforeAll(async () => {
    ({ app, ca, close } = await startAppWithCa(openDatabase));
    dummyCa = (await providerOf(app, 'dummy-ca')).id;
    acme = (await providerOf(app, 'acme')).id;
  });
  afterAll(() => close());

  const path = (id: string) => `/spaces/${id}/issuance-policy`;
  const get = (id: string, person = app.people.ada) => app.request.get(path(id)).set(person.auth);
  const put = (id: string, body: object, query = '', person = app.people.ada) =>
    app.request
      .put(`${path(id)}${query}`)
      .set(person.auth)
      .send(body);
  const sign = (fqdn: Fqdn, providerId = dummyCa, by = app) =>
    by.request.post(pathOf(fqdn, 'csr/sign')).set(app.people.ada.auth).send({ providerId });
  const create = (spaceId: string, body: object) =>
    app.request.post(`/spaces/${spaceId}/fqdns`).set(app.people.ada.auth).send(body);
  const asked = () => ca.paths.length;

  async function spaceWith(
    allowedNames: AllowedNames | null,
    providerIds: string[] | null = null,
  ): Promise<Space> {
    const space = await addSpace(app);
    await put(space.id, { allowedNames, providerIds }).expect(200);
    return space;
  }

  describe('as it is set', () => {
    test('is without limits at first, and leaves the space as it shows', async () => {
      const space = await addSpace(app);
      expect((await get(space.id).expect(200)).body).toEqual(open);
      await put(space.id, { allowedNames: example }).expect(200);
      const { body: spaces } = await app.request.get('/spaces').set(app.people.ada.auth).expect(200);
      expect(spaces).toContainEqual(space);
    });

    test('is shown in its normal form, and lifted by null or absence', async () => {
      const { id } = await addSpace(app);
      const allowedNames = {
        ...nothing,
        names: ['WWW.Shop.test.'],
        suffixes: ['MÜNCHEN.example'],
        cidrs: ['2001:DB8::/32'],
      };
      const { body } = await put(id, { allowedNames, providerIds: [dummyCa.toUpperCase(), dummyCa] }).expect(
        200,
      );
      const normal = {
        allowedNames: {
          ...nothing,
          names: ['www.shop.test'],
          suffixes: ['xn--mnchen-3ya.example'],
          cidrs: ['2001:db8::/32'],
        },
        providerIds: [dummyCa],
      };
      expect(body).toEqual({ ...normal, saved: true, newlyRefused: { count: 0, items: [] } });
      expect((await get(id).expect(200)).body).toEqual(normal);
      await put(id, { providerIds: null }).expect(200);
      expect((await get(id).expect(200)).body).toEqual(open);
    });

    test('leaves an audit entry of before and after', async () => {
      const { id } = await spaceWith(example);
      await put(id, { allowedNames: null, providerIds: [acme] }).expect(200);
      expect((await auditEntries(app, 'space.policy')).at(-1)).toMatchObject({
        resourceType: 'space',
        resourceId: id,
        spaceId: id,
        details: {
          before: { allowedNames: example, providerIds: null },
          after: { allowedNames: null, providerIds: [acme] },
          newlyRefused: 0,
        },
      });
    });

    test('goes with its space', async () => {
      const { id } = await spaceWith(example);
      await app.request.delete(`/spaces/${id}`).set(app.people.ada.auth).expect(200);
      await get(id).expect(404);
    });

    test.each<[situation: string, body: object, path: string, message: RegExp]>([
      ['a member that is spelt wrongly', { allowedName: example }, 'allowedName', /not known|unknown/],
      [
        'one that is spelt wrongly within',
        { allowedNames: { ...example, suffix: [] } },
        'allowedNames.suffix',
        /not known|unknown/,
      ],
      [
        'a member that lacks',
        { allowedNames: { ...example, cidrs: undefined } },
        'allowedNames.cidrs',
        /required/,
      ],
      [
        'a list that is a text',
        { allowedNames: { ...example, names: 'a.test' } },
        'allowedNames.names',
        /array|list/,
      ],
      [
        'a switch that is a text',
        { allowedNames: { ...example, wildcards: 'true' } },
        'allowedNames.wildcards',
        /boolean/,
      ],
      [
        'a name that is none',
        { allowedNames: { ...example, names: ['a.test', '10.0.0.1'] } },
        'allowedNames.names[1]',
        /belong into cidrs/,
      ],
      [
        'a suffix with a dot',
        { allowedNames: { ...example, suffixes: ['.a.test'] } },
        'allowedNames.suffixes[0]',
        /write a\.test/,
      ],
      [
        'an address without prefix',
        { allowedNames: { ...example, cidrs: ['10.0.0.1'] } },
        'allowedNames.cidrs[0]',
        /write 10\.0\.0\.1\/32/,
      ],
      [
        'too many names',
        { allowedNames: { ...example, names: Array.from({ length: 1001 }, () => 'a.test') } },
        'allowedNames.names',
        /at most 1000/,
      ],
      [
        'too many suffixes',
        { allowedNames: { ...example, suffixes: Array.from({ length: 201 }, () => 'a.test') } },
        'allowedNames.suffixes',
        /at most 200/,
      ],
      [
        'too many ranges',
        { allowedNames: { ...example, cidrs: Array.from({ length: 201 }, () => '::/0') } },
        'allowedNames.cidrs',
        /at most 200/,
      ],
      [
        'too many providers',
        { providerIds: Array.from({ length: 101 }, () => unknownId) },
        'providerIds',
        /at most 100/,
      ],
      ['an unknown provider', { providerIds: [unknownId] }, 'providerIds[0]', /GET \/providers/],
      ['an id that is none', { providerIds: ['acme'] }, 'providerIds[0]', /uuid/],
    ])('is refused with %s', async (_, body, field, message) => {
      const { id } = await spaceWith(example);
      const answer = await put(id, body).expect(400);
      expect(answer.body.errors).toEqual([
        expect.objectContaining({ path: field, message: expect.stringMatching(message) }),
      ]);
      expect((await get(id)).body.allowedNames).toEqual(example);
    });

    test('is set by administrators, seen by who may read, and hidden from others', async () => {
      const space = await addSpace(app);
      const { ben, cleo } = app.people;
      await get(space.id, ben).expect(404);
      await put(space.id, open, '', ben).expect(404);
      await grant(app, ben, 'READ', [space.id]);
      await get(space.id, ben).expect(200);
      await put(space.id, open, '?dryRun=true', ben).expect(403);
      await grant(app, ben, 'FULL_ACCESS', [space.id]);
      await grantEverything(app, cleo);
      for (const person of [ben, cleo]) await put(space.id, open, '', person).expect(403);
      await app.request.get(path(space.id)).expect(401);
      for (const id of [unknownId, ...badIds]) {
        await get(id).expect(404);
        await put(id, open).expect(404);
      }
    });
  });

  describe('on names', () => {
    test('is judged when an FQDN is added, for all who add one, in that space alone', async () => {
      const space = await spaceWith(example);
      await create(space.id, { fqdn: 'WWW.example.org.' }).expect(201);
      const { body } = await create(space.id, { fqdn: 'vault.corp.test' }).expect(400);
      expect(body).toMatchObject({
        code: 'name_not_allowed',
        detail:
          'the issuance policy of the space: vault.corp.test is not allowed: it is not among allowedNames.names and not at or below a suffix of allowedNames.suffixes (example.org). Use an allowed name, or ask an administrator to change the policy',
        errors: [
          { path: 'fqdn', code: 'name_not_allowed', message: expect.stringContaining('vault.corp.test') },
        ],
      });
      const refusals = async () =>
        (await auditEntries(app, 'fqdn.create')).filter(({ outcome }) => outcome === 'failure');
      const [entry, ...others] = await refusals();
      expect(others).toEqual([]);
      expect(entry).toMatchObject({
        resourceType: 'fqdn',
        spaceId: space.id,
        details: { fqdn: 'vault.corp.test', code: 'name_not_allowed', reason: body.detail },
      });
      await create(space.id, { fqdn: '*.example.org' }).expect(400);
      // what is no name, or there already, is none of the policy's
      await create(space.id, { fqdn: 'no name' }).expect(400);
      await create(space.id, { fqdn: 'www.example.org' }).expect(409);
      expect(await refusals()).toHaveLength(2);
      await addFqdn(app, (await addSpace(app)).id, 'vault.corp.test');
    });

    test('is judged when a CSR is uploaded, whose common name counts as well', async () => {
      const space = await spaceWith(example);
      const fqdn = await addFqdn(app, space.id, 'www.example.org');
      const { body } = await csrUpload(app, fqdn, await newCsr('www.example.org', 'login.bank.test')).expect(
        400,
      );
      expect(body).toMatchObject({ code: 'name_not_allowed', errors: [{ path: 'csr.dnsNames[1]' }] });
      const { privateKey } = await generateKeyPair('P-256');
      const subject = { commonName: 'vault.corp.test' };
      const { pem } = await buildCsr({ privateKey, dnsNames: ['www.example.org'], subject });
      const { body: named } = await csrUpload(app, fqdn, pem).expect(400);
      expect(named).toMatchObject({ code: 'name_not_allowed', errors: [{ path: 'csr.subject' }] });
      expect((await auditEntries(app, 'csr.reject')).at(-1)).toMatchObject({
        outcome: 'failure',
        details: { code: 'name_not_allowed', reason: expect.stringContaining('vault.corp.test') },
      });
      const { body: csrs } = await app.request.get(pathOf(fqdn, 'csr')).set(app.people.ada.auth).expect(200);
      expect(csrs).toEqual([]);
      await addCsr(app, fqdn, await newCsr('www.example.org'));
    });

    test('is judged when a CSR is signed, before the CA is asked', async () => {
      const { fqdn, space } = await fqdnWithCsr(app, 'www.shop.test');
      await sign(fqdn).expect(200);
      await put(space.id, { allowedNames: example, confirmed: true }).expect(200);
      const before = asked();
      const { body } = await sign(fqdn).expect(400);
      expect(body).toMatchObject({ code: 'name_not_allowed', title: 'Name not allowed in this space' });
      expect(asked()).toBe(before);
      expect((await auditEntries(app, 'csr.sign')).at(-1)).toMatchObject({
        outcome: 'failure',
        details: { fqdn: 'www.shop.test', code: 'name_not_allowed' },
      });
      await put(space.id, open).expect(200);
      expect((await sign(fqdn).expect(200)).body.success).toBe(true);
    });

    test('is judged by the CSR itself where its stored description lacks names', async () => {
      const { fqdn, space } = await fqdnWithCsr(app, 'www.example.org');
      await addCsr(app, fqdn, await newCsr('www.example.org', 'login.bank.test'));
      // as versions before stored it
      await app.database.transaction((tx) =>
        executeSql(
          tx,
          `update csrs set description = '{"dnsNames":["www.example.org"]}' where fqdn_id = $1`,
          [fqdn.id],
        ),
      );
      await put(space.id, { allowedNames: example, confirmed: true }).expect(200);
      expect((await sign(fqdn).expect(400)).body.errors).toEqual([
        expect.objectContaining({
          path: 'csr.dnsNames[1]',
          message: expect.stringContaining('login.bank.test'),
        }),
      ]);
    });

    test('bounds what a refusal says of a CSR with very many names', async () => {
      const space = await spaceWith(example);
      const fqdn = await addFqdn(app, space.id, 'www.example.org');
      const names = Array.from({ length: 300 }, (_, index) => `n${index}.bank.test`);
      const { body } = await csrUpload(app, fqdn, await newCsr('www.example.org', ...names)).expect(400);
      expect(body.errors).toHaveLength(100);
      expect(body.detail).toContain('and 99 more');
    });
  });

  describe('on providers', () => {
    test('is judged for the provider of an FQDN and of a signature', async () => {
      const space = await spaceWith(null, [acme]);
      const { body } = await create(space.id, { fqdn: 'a.test', providerId: dummyCa }).expect(400);
      expect(body).toMatchObject({
        code: 'provider_not_allowed',
        detail:
          'the issuance policy of the space: the provider dummy-ca is not among providerIds. Choose an allowed provider, or ask an administrator to change the policy',
        errors: [{ path: 'providerId' }],
      });
      await create(space.id, { fqdn: 'b.test', providerId: acme }).expect(201);
      const fqdn = await addFqdn(app, space.id, 'c.test');
      await addCsr(app, fqdn, await newCsr('c.test'));
      const before = asked();
      expect((await sign(fqdn).expect(400)).body.code).toBe('provider_not_allowed');
      expect(asked()).toBe(before);
    });

    test('keeps a provider that it names from being deleted', async () => {
      const config = { baseUrl: ca.url, validityDays: 30 };
      const { id } = await createProvider(app, { kind: 'dummy-ca', name: 'named-by-a-policy', config });
      const remove = () => app.request.delete(`/providers/${id}`).set(app.people.ada.auth);
      const space = await spaceWith(null, [acme, id]);
      const { body } = await remove().expect(409);
      expect(body).toMatchObject({
        code: 'provider_in_use',
        detail: expect.stringMatching(/1 issuance policy \(space\); take the provider out of the policies/),
      });
      await put(space.id, { providerIds: [acme] }).expect(200);
      await remove().expect(200);
    });
  });

  describe('when it is tightened', () => {
    test('lists what would be refused, and changes nothing without confirmation', async () => {
      const { fqdn: other, space } = await fqdnWithCsr(app, 'www.shop.test');
      const own = await addFqdn(app, space.id, 'own.example.org');
      const beside = await addFqdn(app, space.id, 'beside.example.org');
      await addCsr(app, beside, await newCsr('beside.example.org', 'login.bank.test'));
      const named = (await create(space.id, { fqdn: 'named.example.org', providerId: acme }).expect(201))
        .body;
      const wanted = { allowedNames: example, providerIds: [dummyCa] };
      const before = await auditEntries(app, 'space.policy');

      const { body } = await put(space.id, wanted, '?dryRun=true').expect(200);
      const { newlyRefused, ...policy } = body as IssuancePolicyChange;
      expect(policy).toEqual({ ...wanted, saved: false });
      expect(newlyRefused).toEqual({
        count: 3,
        items: [
          {
            fqdnId: beside.id,
            fqdn: 'beside.example.org',
            subject: 'csr',
            name: 'login.bank.test',
            code: 'name_not_allowed',
            message: expect.any(String),
          },
          {
            fqdnId: named.id,
            fqdn: 'named.example.org',
            subject: 'provider',
            name: 'acme',
            code: 'provider_not_allowed',
            message: expect.any(String),
          },
          {
            fqdnId: other.id,
            fqdn: 'www.shop.test',
            subject: 'fqdn',
            name: 'www.shop.test',
            code: 'name_not_allowed',
            message: expect.any(String),
          },
        ],
      });

      const refused = await put(space.id, wanted).expect(409);
      expect(refused.body).toMatchObject({ code: 'policy_not_confirmed' });
      expect(refused.body.detail).toMatch(/^3 FQDNs .*confirmed: true.*dryRun=true/);
      expect(refused.body.errors.map((one: { path: string }) => one.path)).toEqual(
        newlyRefused.items.map(({ fqdn }) => fqdn),
      );
      expect((await get(space.id).expect(200)).body).toEqual(open);
      expect(await auditEntries(app, 'space.policy')).toEqual(before);

      await put(space.id, { ...wanted, confirmed: true }).expect(200);
      expect((await get(space.id).expect(200)).body).toEqual(wanted);
      // they are refused already
      const again = await put(space.id, { ...wanted, allowedNames: { ...example, wildcards: true } }).expect(
        200,
      );
      expect(again.body.newlyRefused).toEqual({ count: 0, items: [] });
      expect((await sign(own).expect(404)).body.code).toBe('csr_not_found');
    });

    test('counts the provider of the certificate in use, whom the renewal asks', async () => {
      const { fqdn, space } = await fqdnWithCsr(app, 'www.shop.test');
      await sign(fqdn).expect(200);
      const { body } = await put(space.id, { providerIds: [acme] }, '?dryRun=true').expect(200);
      expect(body.newlyRefused).toMatchObject({
        count: 1,
        items: [{ subject: 'provider', name: 'dummy-ca' }],
      });
    });

    test('lists the first 100 of many and counts all', async () => {
      const { id } = await addSpace(app);
      await app.database.transaction(async (tx) => {
        for (let index = 0; index < 250; index += 1) {
          await executeSql(
            tx,
            `insert into fqdns (id, space_id, fqdn, description, renewal_enabled, created_at)
             values ($1, $2, $3, '', false, $4)`,
            [crypto.randomUUID(), id, `h${String(index).padStart(3, '0')}.shop.test`, app.clock.now()],
          );
        }
      });
      const { body } = await put(id, { allowedNames: example }, '?dryRun=true').expect(200);
      expect(body.newlyRefused.count).toBe(250);
      expect(body.newlyRefused.items.map((one: { fqdn: string }) => one.fqdn)).toEqual(
        Array.from({ length: 100 }, (_, index) => `h${String(index).padStart(3, '0')}.shop.test`),
      );
    });

    test('stores what a CA was asked for before, and asks for nothing after', async () => {
      const { fqdn, space } = await fqdnWithCsr(app, 'www.shop.test');
      ca.answer('when let go');
      const before = asked();
      const signed = sign(fqdn).then((reply) => reply);
      while (asked() === before) await new Promise((resolve) => setImmediate(resolve));
      await put(space.id, { allowedNames: example, confirmed: true }).expect(200);
      ca.answer('normally');
      const { body } = await ca.letGoUntil(signed);
      expect(body.success).toBe(true);
      const { body: stored } = await app.request.get(pathOf(fqdn, 'certificates')).set(app.people.ada.auth);
      expect(stored).toHaveLength(1);
      const after = asked();
      await sign(fqdn).expect(400);
      expect(asked()).toBe(after);
    });

    test('is one of two at once: the other is refused because it changed', async () => {
      const { id } = await addSpace(app);
      const wanted = [example, { ...example, suffixes: ['example.com'] }];
      const answers = await Promise.all(wanted.map((allowedNames) => put(id, { allowedNames })));
      const statuses = answers.map(({ status }) => status);
      expect(statuses).toContain(200);
      for (const { status, body } of answers)
        if (status !== 200) expect([status, body.code]).toEqual([409, 'policy_changed']);
      const last = (await auditEntries(app, 'space.policy')).at(-1);
      expect(last?.details['after']).toEqual((await get(id)).body);
    });

    test('never lets an FQDN or CSR in that it refuses, whichever is first', async () => {
      for (let round = 0; round < 5; round += 1) {
        const { id } = await addSpace(app);
        const fqdn = await addFqdn(app, id, 'www.example.org');
        const pem = await newCsr('www.example.org', 'login.bank.test');
        const [policy, added, uploaded] = await Promise.all([
          put(id, { allowedNames: example }),
          create(id, { fqdn: 'late.shop.test' }),
          csrUpload(app, fqdn, pem),
        ]);
        // 409: they were there when the policy was judged
        if (policy.status === 409) continue;
        expect(policy.status).toBe(200);
        expect([201, 400]).toContain(added.status);
        expect([201, 400]).toContain(uploaded.status);
        await create(id, { fqdn: 'later.shop.test' }).expect(400);
        if (uploaded.status === 201) await sign(fqdn).expect(400);
      }
    });

    test('counts at once in every other process', async () => {
      const { fqdn, space } = await fqdnWithCsr(app, 'www.shop.test');
      const other = await startAppOn(app.database, { environment: { DUMMY_CA_URL: ca.url }, beside: app });
      try {
        for (let round = 0; round < 5; round += 1) {
          await put(space.id, { allowedNames: example, confirmed: true }).expect(200);
          await sign(fqdn, dummyCa, other).expect(400);
          await put(space.id, { allowedNames: { ...example, names: ['www.shop.test'] } }).expect(200);
          await sign(fqdn, dummyCa, other).expect(200);
        }
      } finally {
        await other.close();
      }
    });
  });
});

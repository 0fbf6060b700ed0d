import { buildCsr, generateKeyPair } from '@certloop/crypto';
import { executeSql } from '@certloop/db';
import { describe, expect, test } from 'vitest';
import { addCsr, addFqdn, addSpace, auditEntries, csrUpload, pathOf } from '../support/inventory.js';
import { createProvider, fqdnWithCsr, newCsr } from '../support/signing.js';
import { describePolicies, example, unlimited } from './issuance-policy/policy-place.js';
import { describeSetting } from './issuance-policy/setting-tests.js';
import { describeTightening } from './issuance-policy/tightening-tests.js';

describePolicies('the issuance policy of a space', (place) => {
  describeSetting(place);

  describe('on names', () => {
    test('is checked when an FQDN is added, for every caller, in that space only', async () => {
      const space = await place.spaceWith(example);
      await place.create(space.id, { fqdn: 'WWW.example.org.' }).expect(201);
      const { body } = await place.create(space.id, { fqdn: 'vault.corp.test' }).expect(400);
      expect(body).toMatchObject({
        code: 'name_not_allowed',
        detail:
          'the issuance policy of the space: vault.corp.test is not allowed: it is not among allowedNames.names and not at or below a suffix of allowedNames.suffixes (example.org). Use an allowed name, or ask an administrator to change the policy',
        errors: [
          { path: 'fqdn', code: 'name_not_allowed', message: expect.stringContaining('vault.corp.test') },
        ],
      });
      const refusals = async () =>
        (await auditEntries(place.app, 'fqdn.create')).filter(({ outcome }) => outcome === 'failure');
      const [entry, ...others] = await refusals();
      expect(others).toEqual([]);
      expect(entry).toMatchObject({
        resourceType: 'fqdn',
        spaceId: space.id,
        details: { fqdn: 'vault.corp.test', code: 'name_not_allowed', reason: body.detail },
      });
      await place.create(space.id, { fqdn: '*.example.org' }).expect(400);
      // what is not a name, or there already, is none of the policy's
      await place.create(space.id, { fqdn: 'no name' }).expect(400);
      await place.create(space.id, { fqdn: 'www.example.org' }).expect(409);
      expect(await refusals()).toHaveLength(2);
      await addFqdn(place.app, (await addSpace(place.app)).id, 'vault.corp.test');
    });

    test('is checked when a CSR is uploaded, including its common name', async () => {
      const space = await place.spaceWith(example);
      const fqdn = await addFqdn(place.app, space.id, 'www.example.org');
      const { body } = await csrUpload(
        place.app,
        fqdn,
        await newCsr('www.example.org', 'login.bank.test'),
      ).expect(400);
      expect(body).toMatchObject({ code: 'name_not_allowed', errors: [{ path: 'csr.dnsNames[1]' }] });
      const { privateKey } = await generateKeyPair('P-256');
      const subject = { commonName: 'vault.corp.test' };
      const { pem } = await buildCsr({ privateKey, dnsNames: ['www.example.org'], subject });
      const { body: named } = await csrUpload(place.app, fqdn, pem).expect(400);
      expect(named).toMatchObject({ code: 'name_not_allowed', errors: [{ path: 'csr.subject' }] });
      expect((await auditEntries(place.app, 'csr.reject')).at(-1)).toMatchObject({
        outcome: 'failure',
        details: { code: 'name_not_allowed', reason: expect.stringContaining('vault.corp.test') },
      });
      const { body: csrs } = await place.app.request
        .get(pathOf(fqdn, 'csr'))
        .set(place.app.people.ada.auth)
        .expect(200);
      expect(csrs).toEqual([]);
      await addCsr(place.app, fqdn, await newCsr('www.example.org'));
    });

    test('is checked when a CSR is signed, before the CA is called', async () => {
      const { fqdn, space } = await fqdnWithCsr(place.app, 'www.shop.test');
      await place.sign(fqdn).expect(200);
      await place.put(space.id, { allowedNames: example, confirmed: true }).expect(200);
      const before = place.asked();
      const { body } = await place.sign(fqdn).expect(400);
      expect(body).toMatchObject({ code: 'name_not_allowed', title: 'Name not allowed in this space' });
      expect(place.asked()).toBe(before);
      expect((await auditEntries(place.app, 'csr.sign')).at(-1)).toMatchObject({
        outcome: 'failure',
        details: { fqdn: 'www.shop.test', code: 'name_not_allowed' },
      });
      await place.put(space.id, unlimited).expect(200);
      expect((await place.sign(fqdn).expect(200)).body.success).toBe(true);
    });

    test('is checked against the CSR if its stored description lacks names', async () => {
      const { fqdn, space } = await fqdnWithCsr(place.app, 'www.example.org');
      await addCsr(place.app, fqdn, await newCsr('www.example.org', 'login.bank.test'));
      // as versions before stored it
      await place.app.database.transaction((tx) =>
        executeSql(
          tx,
          `update csrs set description = '{"dnsNames":["www.example.org"]}' where fqdn_id = $1`,
          [fqdn.id],
        ),
      );
      await place.put(space.id, { allowedNames: example, confirmed: true }).expect(200);
      expect((await place.sign(fqdn).expect(400)).body.errors).toEqual([
        expect.objectContaining({
          path: 'csr.dnsNames[1]',
          message: expect.stringContaining('login.bank.test'),
        }),
      ]);
    });

    test('limits the length of the error about a CSR with very many names', async () => {
      const space = await place.spaceWith(example);
      const fqdn = await addFqdn(place.app, space.id, 'www.example.org');
      const names = Array.from({ length: 300 }, (_, index) => `n${index}.bank.test`);
      const { body } = await csrUpload(place.app, fqdn, await newCsr('www.example.org', ...names)).expect(
        400,
      );
      expect(body.errors).toHaveLength(100);
      expect(body.detail).toContain('and 99 more');
    });
  });

  describe('on providers', () => {
    test('is checked for the provider of an FQDN and of a signing request', async () => {
      const space = await place.spaceWith(null, [place.acme]);
      const { body } = await place
        .create(space.id, { fqdn: 'a.test', providerId: place.dummyCa })
        .expect(400);
      expect(body).toMatchObject({
        code: 'provider_not_allowed',
        detail:
          'the issuance policy of the space: the provider dummy-ca is not among providerIds. Choose an allowed provider, or ask an administrator to change the policy',
        errors: [{ path: 'providerId' }],
      });
      await place.create(space.id, { fqdn: 'b.test', providerId: place.acme }).expect(201);
      const fqdn = await addFqdn(place.app, space.id, 'c.test');
      await addCsr(place.app, fqdn, await newCsr('c.test'));
      const before = place.asked();
      expect((await place.sign(fqdn).expect(400)).body.code).toBe('provider_not_allowed');
      expect(place.asked()).toBe(before);
    });

    test('prevents the deletion of a provider that it names', async () => {
      const config = { baseUrl: place.ca.url, validityDays: 30 };
      const { id } = await createProvider(place.app, { kind: 'dummy-ca', name: 'named-by-a-policy', config });
      const remove = () => place.app.request.delete(`/providers/${id}`).set(place.app.people.ada.auth);
      const space = await place.spaceWith(null, [place.acme, id]);
      const { body } = await remove().expect(409);
      expect(body).toMatchObject({
        code: 'provider_in_use',
        detail: expect.stringMatching(/1 issuance policy \(space\); take the provider out of the policies/),
      });
      await place.put(space.id, { providerIds: [place.acme] }).expect(200);
      await remove().expect(200);
    });
  });

  describeTightening(place);
});

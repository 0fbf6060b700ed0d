import type { IssuancePolicyChange } from '@certloop/contracts';
import { executeSql } from '@certloop/db';
import { describe, expect, test } from 'vitest';
import { startAppOn } from '../../support/app.js';
import { addCsr, addFqdn, addSpace, auditEntries, csrUpload, pathOf } from '../../support/inventory.js';
import { fqdnWithCsr, newCsr } from '../../support/signing.js';
import { example, type PolicyPlace, unlimited } from './policy-place.js';

/** Tests of a policy that refuses what is there already, or what comes at the same time. */
export function describeTightening(place: PolicyPlace): void {
  describe('when it is tightened', () => {
    test('lists what it would forbid, and changes nothing without confirmation', async () => {
      const { fqdn: other, space } = await fqdnWithCsr(place.app, 'www.shop.test');
      const own = await addFqdn(place.app, space.id, 'own.example.org');
      const beside = await addFqdn(place.app, space.id, 'beside.example.org');
      await addCsr(place.app, beside, await newCsr('beside.example.org', 'login.bank.test'));
      const named = (
        await place.create(space.id, { fqdn: 'named.example.org', providerId: place.acme }).expect(201)
      ).body;
      const wanted = { allowedNames: example, providerIds: [place.dummyCa] };
      const before = await auditEntries(place.app, 'space.policy');

      const { body } = await place.put(space.id, wanted, '?dryRun=true').expect(200);
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

      const refused = await place.put(space.id, wanted).expect(409);
      expect(refused.body).toMatchObject({ code: 'policy_not_confirmed' });
      expect(refused.body.detail).toMatch(/^3 FQDNs .*confirmed: true.*dryRun=true/);
      expect(refused.body.errors.map((one: { path: string }) => one.path)).toEqual(
        newlyRefused.items.map(({ fqdn }) => fqdn),
      );
      expect((await place.get(space.id).expect(200)).body).toEqual(unlimited);
      expect(await auditEntries(place.app, 'space.policy')).toEqual(before);

      await place.put(space.id, { ...wanted, confirmed: true }).expect(200);
      expect((await place.get(space.id).expect(200)).body).toEqual(wanted);
      // they are refused already
      const again = await place
        .put(space.id, { ...wanted, allowedNames: { ...example, wildcards: true } })
        .expect(200);
      expect(again.body.newlyRefused).toEqual({ count: 0, items: [] });
      expect((await place.sign(own).expect(404)).body.code).toBe('csr_not_found');
    });

    test('counts the provider of the certificate in use, which the renewal calls', async () => {
      const { fqdn, space } = await fqdnWithCsr(place.app, 'www.shop.test');
      await place.sign(fqdn).expect(200);
      const { body } = await place.put(space.id, { providerIds: [place.acme] }, '?dryRun=true').expect(200);
      expect(body.newlyRefused).toMatchObject({
        count: 1,
        items: [{ subject: 'provider', name: 'dummy-ca' }],
      });
    });

    test('lists the first 100 of many and counts all', async () => {
      const { id } = await addSpace(place.app);
      await place.app.database.transaction(async (tx) => {
        for (let index = 0; index < 250; index += 1) {
          await executeSql(
            tx,
            `insert into fqdns (id, space_id, fqdn, description, renewal_enabled, created_at)
             values ($1, $2, $3, '', false, $4)`,
            [crypto.randomUUID(), id, `h${String(index).padStart(3, '0')}.shop.test`, place.app.clock.now()],
          );
        }
      });
      const { body } = await place.put(id, { allowedNames: example }, '?dryRun=true').expect(200);
      expect(body.newlyRefused.count).toBe(250);
      expect(body.newlyRefused.items.map((one: { fqdn: string }) => one.fqdn)).toEqual(
        Array.from({ length: 100 }, (_, index) => `h${String(index).padStart(3, '0')}.shop.test`),
      );
    });

    test('stores certificates requested before, and requests none afterwards', async () => {
      const { fqdn, space } = await fqdnWithCsr(place.app, 'www.shop.test');
      place.ca.answer('when let go');
      const before = place.asked();
      const signed = place.sign(fqdn).then((reply) => reply);
      while (place.asked() === before) await new Promise((resolve) => setImmediate(resolve));
      await place.put(space.id, { allowedNames: example, confirmed: true }).expect(200);
      place.ca.answer('normally');
      const { body } = await place.ca.letGoUntil(signed);
      expect(body.success).toBe(true);
      const { body: stored } = await place.app.request
        .get(pathOf(fqdn, 'certificates'))
        .set(place.app.people.ada.auth);
      expect(stored).toHaveLength(1);
      const after = place.asked();
      await place.sign(fqdn).expect(400);
      expect(place.asked()).toBe(after);
    });

    test('succeeds for one of two concurrent changes: the other returns a conflict', async () => {
      const { id } = await addSpace(place.app);
      const wanted = [example, { ...example, suffixes: ['example.com'] }];
      const answers = await Promise.all(wanted.map((allowedNames) => place.put(id, { allowedNames })));
      const statuses = answers.map(({ status }) => status);
      expect(statuses).toContain(200);
      for (const { status, body } of answers)
        if (status !== 200) expect([status, body.code]).toEqual([409, 'policy_changed']);
      const last = (await auditEntries(place.app, 'space.policy')).at(-1);
      expect(last?.details['after']).toEqual((await place.get(id)).body);
    });

    test('never accepts a forbidden FQDN or CSR, in either order', async () => {
      for (let round = 0; round < 5; round += 1) {
        const { id } = await addSpace(place.app);
        const fqdn = await addFqdn(place.app, id, 'www.example.org');
        const pem = await newCsr('www.example.org', 'login.bank.test');
        const [policy, added, uploaded] = await Promise.all([
          place.put(id, { allowedNames: example }),
          place.create(id, { fqdn: 'late.shop.test' }),
          csrUpload(place.app, fqdn, pem),
        ]);
        // 409: they were there when the policy was judged
        if (policy.status === 409) continue;
        expect(policy.status).toBe(200);
        expect([201, 400]).toContain(added.status);
        expect([201, 400]).toContain(uploaded.status);
        await place.create(id, { fqdn: 'later.shop.test' }).expect(400);
        if (uploaded.status === 201) await place.sign(fqdn).expect(400);
      }
    });

    test('applies at once in every other process', async () => {
      const { fqdn, space } = await fqdnWithCsr(place.app, 'www.shop.test');
      const other = await startAppOn(place.app.database, {
        environment: { DUMMY_CA_URL: place.ca.url },
        beside: place.app,
      });
      try {
        for (let round = 0; round < 5; round += 1) {
          await place.put(space.id, { allowedNames: example, confirmed: true }).expect(200);
          await place.sign(fqdn, place.dummyCa, other).expect(400);
          await place.put(space.id, { allowedNames: { ...example, names: ['www.shop.test'] } }).expect(200);
          await place.sign(fqdn, place.dummyCa, other).expect(200);
        }
      } finally {
        await other.close();
      }
    });
  });
}

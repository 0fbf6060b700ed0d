import { describe, expect, test } from 'vitest';
import { grant, grantEverything } from '../../support/factories.js';
import { addFqdn, auditEntries } from '../../support/inventory.js';
import { settlePerson } from '../../support/people.js';
import { providerOf } from '../../support/signing.js';
import type { HoldersPlace } from './holders-place.js';

/** Who may have a name that another space holds. */
export function testRefusedNames(place: HoldersPlace): void {
  const refused = (body: unknown, path: string, ...secrets: string[]) => {
    expect(body).toMatchObject({
      code: 'name_not_allowed',
      title: 'Name not allowed in this space',
      errors: expect.arrayContaining([expect.objectContaining({ path, code: 'name_not_allowed' })]),
    });
    for (const secret of secrets) expect(JSON.stringify(body)).not.toContain(secret);
  };

  describe('with READ_WRITE on its own space', () => {
    test('refuses to store a CSR for it, and says neither who holds it nor where', async () => {
      const { held, other, writer } = await place.newDomain();
      const fqdn = await addFqdn(place.app, other, held.fqdn);
      const { status, body } = await place.upload(fqdn, writer);
      expect(status).toBe(400);
      refused(body, 'fqdn', held.id, held.spaceId, 'holding');
      expect(body.detail).toBe(
        `the issuance policy of the space: ${held.fqdn} is not allowed: it is reserved by an earlier certificate, and the space has no policy that allows it by name, and 2 more. Use an allowed name, or ask an administrator to change the policy`,
      );
      expect((await auditEntries(place.app, 'csr.reject')).at(-1)).toMatchObject({
        spaceId: other,
        outcome: 'failure',
        details: { fqdn: held.fqdn, code: 'name_not_allowed' },
      });
    });

    test('refuses to have a CSR signed that an administrator has uploaded, before the CA is asked', async () => {
      const { held, other, writer } = await place.newDomain();
      const fqdn = await addFqdn(place.app, other, held.fqdn);
      expect((await place.upload(fqdn, place.app.people.ada)).status).toBe(201);
      const { asks } = place.acme;
      const asked = { direct: place.renewing.ca.paths.length, acme: asks.length };
      const acme = await providerOf(place.app, 'acme');
      refused((await place.sign(fqdn, writer).expect(400)).body, 'fqdn', held.spaceId);
      refused((await place.sign(fqdn, writer, acme.id).expect(400)).body, 'fqdn', held.spaceId);
      refused((await place.request(fqdn, writer).expect(400)).body, 'fqdn', held.spaceId);
      expect({ direct: place.renewing.ca.paths.length, acme: asks.length }).toEqual(asked);
      const [signed, ordered] = (await auditEntries(place.app, 'csr.sign')).slice(-2);
      for (const entry of [signed, ordered, (await auditEntries(place.app, 'certificate.fail')).at(-1)]) {
        expect(entry).toMatchObject({
          spaceId: other,
          outcome: 'failure',
          details: { fqdn: held.fqdn, code: 'name_not_allowed' },
        });
      }
    });

    test('refuses to import a certificate for it', async () => {
      const { held, other, writer } = await place.newDomain();
      const fqdn = await addFqdn(place.app, other, held.fqdn);
      const { status, body } = await place.importTo(fqdn, writer);
      expect(status).toBe(400);
      refused(body, 'fqdn', held.spaceId);
      expect((await place.importTo(fqdn, place.app.people.ada)).status).toBe(201);
    });

    test.each<[situation: string, own: string, name: string, path: string]>([
      ['a further DNS name', 'own.example', 'www.DOMAIN', 'csr.dnsNames[1]'],
      ['one in capitals', 'own.example', 'WWW.DOMAIN', 'csr.dnsNames[1]'],
      ['one below it', 'own.example', 'a.b.www.DOMAIN', 'csr.dnsNames[1]'],
      ['a wildcard that stands for it', 'own.example', '*.DOMAIN', 'csr.dnsNames[1]'],
    ])('refuses %s', async (_, own, name, path) => {
      const { domain, other, writer } = await place.newDomain();
      const fqdn = await addFqdn(place.app, other, own);
      const { status, body } = await place.upload(fqdn, writer, own, name.replace('DOMAIN', domain));
      expect(status).toBe(400);
      refused(body, path);
    });

    test('allows the domain above it, names beside it, and the names of its own space', async () => {
      const { domain, other, writer } = await place.newDomain();
      for (const name of [domain, `mail.${domain}`, `my-www.${domain}`]) {
        const fqdn = await addFqdn(place.app, other, name);
        expect((await place.upload(fqdn, writer)).status).toBe(201);
        await place.sign(fqdn, writer).expect(200);
        await place.sign(fqdn, writer).expect(200);
      }
    });

    test('holds a single label, but no names below it', async () => {
      const { other, writer } = await place.newDomain();
      const { other: next, writer: another } = await place.newDomain();
      const label = `label${other.slice(-6)}`;
      await place.issue(other, label);
      expect((await place.upload(await addFqdn(place.app, other, `a.${label}`), writer)).status).toBe(201);
      expect((await place.upload(await addFqdn(place.app, next, `b.${label}`), another)).status).toBe(201);
      const same = await addFqdn(place.app, next, label);
      expect((await place.upload(same, another)).status).toBe(400);
    });
  });

  describe('is allowed', () => {
    test('with a policy of the space that allows the name, which limits names', async () => {
      const { domain, held, other, writer } = await place.newDomain();
      const fqdn = await addFqdn(place.app, other, held.fqdn);
      const providerIds = [place.renewing.providerId];
      await place.allow(other, null, { providerIds });
      expect((await place.upload(fqdn, writer)).status).toBe(400);
      await place.allow(other, { suffixes: ['elsewhere.test'] });
      expect((await place.upload(fqdn, writer)).status).toBe(400);
      await place.allow(other, { suffixes: [domain] });
      expect((await place.upload(fqdn, writer)).status).toBe(201);
      await place.allow(other, { names: [held.fqdn] });
      await place.sign(fqdn, writer).expect(200);
      expect((await place.importTo(fqdn, writer)).status).toBe(201);
      await place.allow(other, null);
      await place.sign(fqdn, writer).expect(400);
    });

    test('for those who can read the space that holds it, and for administrators', async () => {
      const { held, other, writer } = await place.newDomain();
      const fqdn = await addFqdn(place.app, other, held.fqdn);
      const keeper = await settlePerson(place.app, { username: `keeper.${held.id.slice(-8)}` });
      await grantEverything(place.app, keeper);
      for (const person of [keeper, place.app.people.ada]) {
        expect((await place.upload(fqdn, person)).status).toBe(201);
        await place.sign(fqdn, person).expect(200);
      }
      expect((await place.upload(fqdn, writer)).status).toBe(400);
      await grant(place.app, writer, 'READ', [held.spaceId]);
      expect((await place.upload(fqdn, writer)).status).toBe(201);
      await place.sign(fqdn, writer).expect(200);
    });
  });
}

import type { Fqdn } from '@certloop/contracts';
import { describe, expect, test } from 'vitest';
import { addFqdn, addSpace, auditEntries, pathOf, unknownId } from '../../support/inventory.js';
import type { Person } from '../../support/people.js';
import { certificatesOf, issuedFqdn } from '../../support/renewals.js';
import { createProvider, fqdnWithCsr } from '../../support/signing.js';
import type { FqdnStatesPlace } from './fqdn-states-place.js';

/** Tests of changes of an FQDN. */
export function describeChanged(place: FqdnStatesPlace): void {
  const { held, get, list } = place;

  describe('changed', () => {
    const put = ({ spaceId, id }: Fqdn, body: object, person: Person = place.app.people.ada) =>
      place.app.request.put(`/spaces/${spaceId}/fqdns/${id}`).set(person.auth).send(body);

    test('has the new description and provider; omitted members are unchanged', async () => {
      const { fqdn } = await fqdnWithCsr(place.app, 'changed.example.org');
      const { id: providerId } = await createProvider(place.app, {
        kind: 'dummy-ca',
        name: 'second',
        config: { baseUrl: place.ca.url },
      });
      const first = await put(fqdn, { description: 'the shop', providerId }).expect(200);
      expect(first.body).toMatchObject({
        id: fqdn.id,
        description: 'the shop',
        providerId,
        level: 'FULL_ACCESS',
      });
      const second = await put(fqdn, { providerId: null }).expect(200);
      expect(second.body).toMatchObject({ description: 'the shop' });
      expect(second.body).not.toHaveProperty('providerId');
      await put(fqdn, {}).expect(200);
      const entries = (await auditEntries(place.app, 'fqdn.update')).filter(
        ({ resourceId }) => resourceId === fqdn.id,
      );
      expect(entries.map(({ details }) => details)).toMatchObject([
        { before: { description: '', providerId: null }, after: { description: 'the shop', providerId } },
        { before: { providerId }, after: { description: 'the shop', providerId: null } },
      ]);
    });

    test('renews an imported certificate by the new provider', async () => {
      const fqdn = await issuedFqdn(place, 'imported.example.org');
      const pem = (await certificatesOf(place.app, fqdn)).at(-1)?.pem;
      const { id: spaceId } = await addSpace(place.app);
      const other = await addFqdn(place.app, spaceId, 'imported.example.org');
      await place.app.request
        .post(pathOf(other, 'certificates/import'))
        .set(place.app.people.ada.auth)
        .send({ pem })
        .expect(201);
      const csr = (await get(pathOf(fqdn, 'csr')).expect(200)).body[0].csrPem as string;
      await place.app.request
        .post(pathOf(other, 'csr'))
        .set(place.app.people.ada.auth)
        .field('spaceId', spaceId)
        .field('fqdn', other.fqdn)
        .attach('csr', Buffer.from(csr), 'request.pem')
        .expect(201);
      const on = place.app.request.put(pathOf(other, 'renewal-enabled')).set(place.app.people.ada.auth);
      await on.send({ renewalEnabled: true }).expect(200);
      expect(await list({ spaceId, renewal: 'on' })).toHaveLength(1);
      const named = await put(other, { providerId: place.providerId }).expect(200);
      expect(named.body.status).toMatchObject({ outlook: 'scheduled', renewAt: expect.any(String) });
      const none = await put(other, { providerId: null }).expect(200);
      expect(none.body.status).toMatchObject({ outlook: 'no_provider' });
      expect(none.body.status).not.toHaveProperty('renewAt');
    });

    test('rejects an unknown provider, a forbidden one, and a description that is too long', async () => {
      const fqdn = held.unfinished;
      const unknown = await put(fqdn, { providerId: unknownId }).expect(400);
      expect(unknown.body).toMatchObject({ code: 'unknown_provider', errors: [{ path: 'providerId' }] });
      await put(fqdn, { providerId: 'x' }).expect(400);
      await put(fqdn, { description: 'x'.repeat(1001) }).expect(400);
      await place.app.request
        .put(`/spaces/${fqdn.spaceId}/issuance-policy`)
        .set(place.app.people.ada.auth)
        .send({ providerIds: [] })
        .expect(200);
      const forbidden = await put(fqdn, { providerId: place.providerId }).expect(400);
      expect(forbidden.body).toMatchObject({ code: 'provider_not_allowed' });
    });

    test('rejects readers and other users, and returns 404 for an unknown FQDN', async () => {
      const { ben, cleo } = place.app.people;
      await put(held.valid, { description: 'mine' }, ben).expect(403);
      await put(held.valid, { description: 'mine' }, cleo).expect(404);
      await put({ ...held.valid, id: unknownId }, { description: 'mine' }).expect(404);
      await put({ ...held.valid, spaceId: held.due.spaceId }, { description: 'mine' }).expect(404);
    });
  });
}

import type { Fqdn } from '@certloop/contracts';
import { describe, expect, test } from 'vitest';
import { grant } from '../../support/factories.js';
import { addFqdn, addSpace, badIds, unknownId } from '../../support/inventory.js';
import { addJob } from '../../support/issuance.js';
import { enable, fqdnWithCsr, providerOf } from '../../support/signing.js';
import type { RequestPlace } from './request-place.js';

/** Tests of requests that the service itself refuses. */
export function describeRefusedRequests(place: RequestPlace): void {
  describe('is refused', () => {
    test('to a caller with READ, and hidden from a caller without permissions', async () => {
      const { fqdn } = await fqdnWithCsr(place.app);
      await place.request(fqdn, {}, place.app.people.ben).expect(404);
      await grant(place.app, place.app.people.cleo, 'READ', [fqdn.spaceId]);
      await place.request(fqdn, {}, place.app.people.cleo).expect(403);
      const { job } = await addJob(place.app);
      await place.app.request.get(`/issuance-jobs/${job.id}`).set(place.app.people.ben.auth).expect(404);
      await grant(place.app, place.app.people.ben, 'READ', [job.spaceId]);
      await place.app.request.get(`/issuance-jobs/${job.id}`).set(place.app.people.ben.auth).expect(200);
      await place.app.request
        .post(`/issuance-jobs/${job.id}/continue`)
        .set(place.app.people.ben.auth)
        .expect(403);
    });

    test('without a CSR, for an unknown FQDN, and for an invalid body', async () => {
      const { id } = await addSpace(place.app);
      const fqdn = await addFqdn(place.app, id, 'bare.example.org');
      await place.request(fqdn).expect(404);
      await place.request({ ...fqdn, id: unknownId }).expect(404);
      await place.request(fqdn, { confirmed: 'yes' }).expect(400);
      await place.request(fqdn, {}, place.app.people.ada, 'wait=121').expect(400);
      for (const bad of badIds)
        await place.app.request.get(`/issuance-jobs/${bad}`).set(place.app.people.ada.auth).expect(404);
    });

    test('while the ACME provider is disabled, or the FQDN has another one', async () => {
      const acme = await providerOf(place.app, 'acme');
      const { fqdn, space } = await fqdnWithCsr(place.app);
      await enable(place.app, acme, false).expect(200);
      expect((await place.request(fqdn).expect(400)).body.code).toBe('provider_disabled');
      await enable(place.app, acme).expect(200);
      const { id: providerId } = await providerOf(place.app, 'dummy-ca');
      const other = await place.app.request
        .post(`/spaces/${space.id}/fqdns`)
        .set(place.app.people.ada.auth)
        .send({ fqdn: 'other.example.org', providerId })
        .expect(201);
      await place.request(other.body as Fqdn).expect(404);
    });
  });
}

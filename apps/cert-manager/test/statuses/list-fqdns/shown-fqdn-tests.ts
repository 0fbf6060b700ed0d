import type { Fqdn, OwnFqdn } from '@certloop/contracts';
import { describe, expect, test } from 'vitest';
import type { Person } from '../../support/people.js';
import { certificatesOf, openEntryOf } from '../../support/renewals.js';
import type { FqdnStatesPlace } from './fqdn-states-place.js';

/** Tests of one FQDN with its status. */
export function describeShown(place: FqdnStatesPlace): void {
  const { held, get, list } = place;

  describe('shown', () => {
    const show = async ({ spaceId, id }: Fqdn, person?: Person) => {
      const { body } = await get(`/spaces/${spaceId}/fqdns/${id}`, person).expect(200);
      return body as OwnFqdn;
    };

    test('has its certificate, its CSR and the time of its renewal', async () => {
      const newest = (await certificatesOf(place.app, held.valid)).at(-1);
      const { scheduledAt } = await openEntryOf(place.app, held.valid);
      expect(await show(held.valid)).toMatchObject({
        id: held.valid.id,
        spaceName: 'space',
        level: 'FULL_ACCESS',
        status: {
          state: 'valid',
          reason: `Renews on ${scheduledAt}.`,
          outlook: 'scheduled',
          renewAt: scheduledAt,
          certificate: {
            id: newest?.id,
            expiresAt: newest?.expiresAt,
            issuer: newest?.issuer,
            keyAlgorithm: 'ECDSA',
          },
          csr: { id: expect.any(String), findings: expect.any(Array) },
        },
      });
      expect((await show(held.valid, place.app.people.ben)).level).toBe('READ');
    });

    test('has the failure and the next attempt', async () => {
      const { status } = await show(held.failing);
      expect(status).toMatchObject({
        outlook: expect.stringMatching(/^(retrying|due)$/),
        lastFailure: { message: expect.stringContaining('this CSR is not liked') },
      });
      expect(status.reason).toMatch(/^The last renewal failed: .* The next try is at /);
    });

    test('says what is missing if there is no certificate', async () => {
      expect((await show(held.unfinished)).status).toEqual({
        state: 'unfinished',
        reason: 'There is no certificate yet. Upload a CSR.',
        outlook: 'no_certificate',
        renewedBy: 'none',
      });
    });

    test('is the same in a list', async () => {
      const shown = await show(held.failing);
      expect(await list({ state: 'failing', include: 'status' })).toEqual([shown]);
    });
  });
}

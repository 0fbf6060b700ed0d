import type { Certificate, Fqdn } from '@certloop/contracts';
import type { OpenTestDatabase } from '@certloop/db/testing';
import { afterEach, expect } from 'vitest';
import { pendingRevocations } from '../../../src/revocations/pending-revocations.repository.js';
import type { TestApp } from '../../support/app.js';
import { auditEntries, pathOf } from '../../support/inventory.js';
import {
  certificatesOf,
  clearInventory,
  issuedFqdn,
  issueForDays,
  useRenewing,
} from '../../support/renewals.js';
import { enable } from '../../support/signing.js';

export const minute = 60_000;

/** A service with its CA, whose certificates a test revokes; restored after each test. */
export function useRevoking(open: OpenTestDatabase) {
  const place = useRenewing(open);
  const pending = () => place.app.database.read((tx) => tx.find(pendingRevocations));
  afterEach(async () => {
    place.ca.answer('normally');
    place.ca.revocations.answer('normally');
    await issueForDays(place, 30);
    await enable(place.app, { id: place.providerId }).expect(200);
    await clearInventory(place.app);
    expect(await pending()).toEqual([]);
  });
  const newestOf = async (fqdn: Fqdn): Promise<Certificate> => {
    const newest = (await certificatesOf(place.app, fqdn)).at(-1);
    if (newest === undefined) throw new Error('there is no certificate');
    return newest;
  };
  return {
    place,
    /** The revocations that are under way. */
    pending,
    /** The audit entries of revocations. */
    entries: () => auditEntries(place.app, 'certificate.revoke'),
    newestOf,
    /** An FQDN with a certificate. */
    signed: async () => {
      const fqdn = await issuedFqdn(place);
      return { fqdn, certificate: await newestOf(fqdn) };
    },
    revoke: (
      fqdn: Fqdn,
      { id }: Pick<Certificate, 'id'>,
      reason: string | undefined = 'superseded',
      { request }: Pick<TestApp, 'request'> = place.app,
    ) =>
      request
        .post(pathOf(fqdn, `certificates/${id}/revoke`))
        .set(place.app.people.ada.auth)
        .send({ reason }),
  };
}

export type RevocationPlace = ReturnType<typeof useRevoking>;

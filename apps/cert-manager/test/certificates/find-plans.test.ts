import { executeSql } from '@certloop/db';
import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type CertificateFilter,
  readFoundPage,
} from '../../src/certificates/found-certificates.repository.js';
import { unknownId } from '../support/inventory.js';
import { plansOf, seedUnrenewed } from '../support/large-place.js';
import { issuedFqdn, type RenewalPlace, startRenewing } from '../support/renewals.js';

const serialNumber = '0a1b2c';
const sha256 = 'ab'.repeat(32);
const byNumber = 'ix_certificates_serial_number_created_at_id';
const byDigests = ['ix_certificates_leaf_sha256', 'ix_certificates_spki_sha256'];

describeEachDialect('the search for certificates among many', (open) => {
  let place: RenewalPlace;
  let spaceId: string;
  beforeAll(async () => {
    place = await startRenewing(open);
    const { database } = place.app;
    const fqdn = await issuedFqdn(place);
    spaceId = fqdn.spaceId;
    await seedUnrenewed(database, fqdn.id, 5_000);
    await database.transaction(async (tx) => {
      const text = `update certificates set serial_number = cast(id as text), leaf_sha256 = cast(id as text),
        spki_sha256 = cast(id as text)`;
      await executeSql(tx, text);
      await executeSql(tx, 'analyze');
    });
  });
  afterAll(() => place.close());

  test.each<[what: string, filter: Omit<CertificateFilter, 'scope'>, indexes: readonly string[]]>([
    ['serial number', { serialNumber }, [byNumber]],
    ['fingerprint', { sha256 }, byDigests],
  ])('by %s reads its indexes alone', async (_, filter, indexes) => {
    for (const scope of ['all', [spaceId]] as const) {
      const plans = await plansOf(place.app.database, (tx) =>
        readFoundPage(tx, { ...filter, scope }, { limit: 100, cursor: { at: new Date(), id: unknownId } }),
      );
      // the page, and the count of all
      expect(plans).toHaveLength(2);
      for (const plan of plans) {
        for (const index of indexes) expect(plan).toContain(index);
        expect(plan).not.toMatch(/Seq Scan on certificates|SCAN certificates/);
      }
    }
  });

  test('by both reads an index', async () => {
    const plans = await plansOf(place.app.database, (tx) =>
      readFoundPage(tx, { serialNumber, sha256, scope: 'all' }, { limit: 100 }),
    );
    expect(plans.length).toBeGreaterThan(0);
    for (const plan of plans) {
      expect([byNumber, ...byDigests].some((index) => plan.includes(index))).toBe(true);
      expect(plan).not.toMatch(/Seq Scan on certificates|SCAN certificates/);
    }
  });
});

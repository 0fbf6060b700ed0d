import { openDatabase } from '@certloop/db';
import {
  createTestDatabase,
  hasPgBouncer,
  type OpenTestDatabase,
  startPgBouncer,
  testDialects,
} from '@certloop/db/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { auditEntries } from '../support/inventory.js';
import {
  addTestRenewal,
  certificatesOf,
  entriesOf,
  type RenewalPlace,
  renewedFqdn,
  startRenewing,
} from '../support/renewals.js';

const onPgBouncer = testDialects().includes('postgres') && hasPgBouncer() ? describe : describe.skip;

onPgBouncer('a manager behind PgBouncer in transaction mode', () => {
  const cleanups: (() => Promise<unknown>)[] = [];
  let place: RenewalPlace;

  beforeAll(async () => {
    const openBehind: OpenTestDatabase = async (schema) => {
      const made = await createTestDatabase('postgres', schema);
      const bouncer = await startPgBouncer(made.url, 'transaction');
      const database = await openDatabase({ url: bouncer.url, schema });
      cleanups.push(made.drop, bouncer.close, () => database.close());
      return { ...made, database };
    };
    place = await startRenewing(openBehind);
    cleanups.push(place.close);
  });
  afterAll(async () => {
    for (const cleanup of cleanups.reverse()) await cleanup();
  });

  test('signs and renews for several callers at once', async () => {
    const { app } = place;
    const names = Array.from({ length: 8 }, (_, n) => `host${n}.example.org`);
    const fqdns = await Promise.all(names.map((name) => renewedFqdn(place, name)));
    await Promise.all(fqdns.map((fqdn) => addTestRenewal(app, fqdn)));
    await app.renew();
    for (const fqdn of fqdns) {
      expect(await certificatesOf(app, fqdn)).toHaveLength(2);
      const tested = (await entriesOf(app, fqdn)).filter(({ isTest }) => isTest);
      expect(tested).toMatchObject([{ status: 'completed' }]);
    }
    expect(await auditEntries(app, 'csr.sign')).toHaveLength(8);
    await app.request.get('/health/ready').expect(200);
  });
});

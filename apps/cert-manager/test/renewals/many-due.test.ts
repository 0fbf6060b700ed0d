import { calibratedMs, until } from '@certloop/contracts/testing';
import { executeSql } from '@certloop/db';
import { describeEachDialect } from '@certloop/db/testing';
import { watchStretches } from '@certloop/server/testing';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { sweepRenewals } from '../../src/renewals/queue/sweep-renewals.service.js';
import { renewalQueue } from '../../src/renewals/renewals.repository.js';
import { seedLargePlace } from '../support/large-place.js';
import { moveToRenewal, renewedFqdn, type SuitePlace, startRenewing } from '../support/renewals.js';

const count = 10_000;
const day = 86_400_000;

describeEachDialect('renewals of 10,000 certificates', (open) => {
  let place: SuitePlace;
  beforeAll(async () => {
    // a run begins what it can in this time, the next one continues
    place = await startRenewing(open, { renewals: { budgetMs: 1_000 } });
    // what runs for the first time is compiled first
    await moveToRenewal(place.app, await renewedFqdn(place));
    await place.app.renew();
    const fqdn = await renewedFqdn(place);
    await seedLargePlace(place.app.database, { fqdnId: fqdn.id, count, own: 1, entries: 0 });
    await moveToRenewal(place.app, fqdn);
  });
  afterAll(() => place.close());

  const countEntries = (status: 'processing' | 'completed') =>
    place.app.database.read((tx) => tx.count(renewalQueue, { where: { status } }));

  async function stretchOf(work: () => Promise<unknown>): Promise<number> {
    // the next commit checkpoints what was seeded
    await place.app.database.transaction((tx) => executeSql(tx, 'update fqdns set fqdn = fqdn where 1 = 0'));
    const stretches = watchStretches();
    await work();
    return (await stretches.stop()) ?? 0;
  }

  test('that become due together begin with turns for everything else in between', async () => {
    const before = await countEntries('completed');
    const maxMs = await stretchOf(() => place.app.renew());
    expect(await countEntries('completed')).toBeGreaterThan(before);
    expect(maxMs).toBeLessThan(calibratedMs(50));
  });

  test('are swept after 90 days with turns for everything else in between', async () => {
    // those that the last run began end after it
    await until(async () => (await countEntries('processing')) === 0);
    const finish = `update renewal_queue set status = 'completed', finished_at = scheduled_at where status = 'pending'`;
    expect(await place.app.database.transaction((tx) => executeSql(tx, finish))).toBeGreaterThan(count / 2);
    // replaced certificates need no new renewal
    await place.app.database.transaction((tx) => executeSql(tx, 'update fqdns set renewal_enabled = false'));
    place.app.clock.advance(180 * day);
    const { database: db, clock } = place.app;
    const logger = { info: () => undefined } as never;
    const maxMs = await stretchOf(() =>
      sweepRenewals({ db, clock, logger, refreshStates: async () => undefined }),
    );
    expect(await countEntries('completed')).toBe(0);
    expect(maxMs).toBeLessThan(calibratedMs(50));
  });
});

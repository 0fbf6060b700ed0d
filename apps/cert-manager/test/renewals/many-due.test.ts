import { randomUUID } from 'node:crypto';
import { until } from '@certloop/contracts/testing';
import { executeSql, insertMany, type TableOf } from '@certloop/db';
import { describeEachDialect } from '@certloop/db/testing';
import { createLogger } from '@certloop/server';
import { stretchExcess } from '@certloop/server/testing';
import type { FindOptionsWhere } from 'typeorm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createEmit } from '../../src/changes/reactions.service.js';
import { sweepRenewals } from '../../src/renewals/queue/sweep-renewals.service.js';
import { renewalQueue } from '../../src/renewals/renewals.repository.js';
import { listWrongSizes } from '../../src/spaces/space-sizes.repository.js';
import { spaces } from '../../src/spaces/spaces.repository.js';
import { fqdnStatuses } from '../../src/statuses/statuses.repository.js';
import { sweepWatch } from '../../src/watch/sweep-watch.service.js';
import { watchedFqdns } from '../../src/watch/watched-fqdns.repository.js';
import { seedLargePlace } from '../support/large-place.js';
import { moveToRenewal, renewedFqdn, type SuitePlace, startRenewing } from '../support/renewals.js';

const count = 10_000;
// enough for many claims in several runs
const renewedAtLeast = 200;
const unplanned = 200;
const minute = 60_000;
const day = 1440 * minute;
const logger = createLogger({
  service: 'cert-manager',
  level: 'info',
  destination: { write: () => undefined },
});

describeEachDialect('10,000 certificates', (open) => {
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

  const run = (text: string) => place.app.database.transaction((tx) => executeSql(tx, text));
  const countRows = <Row extends object>(table: TableOf<Row>, where: FindOptionsWhere<Row> = {}) =>
    place.app.database.read((tx) => tx.count(table, { where }));
  const countEntries = (status: 'pending' | 'processing' | 'completed') =>
    countRows(renewalQueue, { status });

  /** The longest stretch of `work`, if it is too long each time; `prepare` comes before it and is not measured. */
  const excessOf = (work: () => Promise<unknown>, prepare: () => Promise<unknown> = async () => undefined) =>
    stretchExcess(50, work, async () => {
      await prepare();
      // the next commit checkpoints what was seeded
      await run('update fqdns set fqdn = fqdn where 1 = 0');
    });

  test('that become due together are renewed with turns for everything else in between', async () => {
    const renew = async () => {
      const enough = (await countEntries('completed')) + renewedAtLeast;
      while ((await countEntries('completed')) < enough) await place.app.renew();
    };
    expect(await excessOf(renew)).toBeUndefined();
    // those that the last run began end after it
    await until(async () => (await countEntries('processing')) === 0);
  });

  interface Sweep {
    readonly prepare: () => Promise<unknown>;
    readonly sweep: () => Promise<unknown>;
    readonly expectSwept: () => Promise<void>;
  }
  const sweeps: Readonly<Record<string, Sweep>> = {
    'the missing states of 2,000': {
      prepare: () =>
        run('delete from fqdn_standings where id in (select id from fqdns order by id limit 2000)'),
      sweep: () => place.app.sweepStatuses(),
      expectSwept: async () => expect(await countRows(fqdnStatuses)).toBe(count + 1),
    },
    'their missing checks': {
      prepare: () => run('delete from watched_fqdns'),
      sweep: () => {
        const { database: db, clock } = place.app;
        return sweepWatch({ db, clock, logger, watchesExpiry: true });
      },
      expectSwept: async () => expect(await countRows(watchedFqdns)).toBe(count + 1),
    },
    'the moments of 10,000 checks that a wrong clock stored': {
      prepare: async () => {
        const { database: db, clock } = place.app;
        await sweepWatch({ db, clock, logger, watchesExpiry: true });
        await run(`update watched_fqdns set due_at = '2030-12-31 12:00:00.000'`);
      },
      sweep: () => place.app.pullBack(),
      expectSwept: async () => {
        const text = 'select distinct due_at from watched_fqdns where due_at < $1';
        const until = new Date(place.app.clock.now().getTime() + 20 * minute);
        const moments = await place.app.database.read((tx) => executeSql(tx, text, [until]));
        expect(moments).toBeGreaterThan(100);
        const late = place.app.database.read((tx) =>
          executeSql(tx, 'select 1 from watched_fqdns where due_at >= $1', [until]),
        );
        expect(await late).toBe(0);
      },
    },
    '200 renewals that a wrong clock planned': {
      prepare: () =>
        run(`update renewal_queue set scheduled_at = '2030-12-31 12:00:00.000'
          where id in (select id from renewal_queue where status = 'pending' order by id limit 200)`),
      sweep: () => {
        const { database: db, clock } = place.app;
        return sweepRenewals({
          db,
          clock,
          logger,
          emit: createEmit({ clock, notices: undefined, watch: undefined }),
        });
      },
      expectSwept: async () => {
        const late = "select 1 from renewal_queue where status = 'pending' and scheduled_at > '2030-01-01'";
        expect(await place.app.database.read((tx) => executeSql(tx, late))).toBe(0);
      },
    },
    'the chains of 2,000 certificates of an earlier version': {
      prepare: () =>
        run(`update certificates set leaf_expires_at = null
          where id in (select id from certificates order by id limit 2000)`),
      sweep: () => place.app.readChainEnds(),
      expectSwept: async () => {
        const unread = 'select 1 from certificates where leaf_expires_at is null';
        expect(await place.app.database.read((tx) => executeSql(tx, unread))).toBe(0);
      },
    },
    'the wrong sizes of their space and of 300 others': {
      prepare: async () => {
        await place.app.database.transaction(async (tx) => {
          const model = await tx.findOneByOrFail(spaces, {});
          const others = Array.from({ length: 300 }, () => ({
            ...model,
            id: randomUUID(),
            requestKey: null,
          }));
          await insertMany(tx, spaces, others);
        });
        await run('update space_sizes set fqdn_count = fqdn_count + 1');
      },
      sweep: () => place.app.sweepSpaceSizes(),
      expectSwept: async () => expect(await place.app.database.read(listWrongSizes)).toEqual([]),
    },
    'their renewals of 90 days ago, and 200 that are missing': {
      prepare: async () => {
        // they are needed again where the work is measured again
        await run('create table if not exists copied_entries as select * from renewal_queue');
        await run('delete from renewal_queue');
        await run('insert into renewal_queue select * from copied_entries');
        await run(`update renewal_queue set status = 'completed', finished_at = scheduled_at
          where status = 'pending'`);
        await run(`update fqdns set renewal_enabled = false
          where id not in (select id from fqdns order by id limit ${unplanned})`);
        place.app.clock.advance(180 * day);
        expect(await countEntries('completed')).toBeGreaterThan(count);
      },
      sweep: () => {
        const { database: db, clock } = place.app;
        return sweepRenewals({
          db,
          clock,
          logger,
          emit: createEmit({ clock, notices: undefined, watch: undefined }),
        });
      },
      expectSwept: async () => {
        expect(await countEntries('completed')).toBe(0);
        expect(await countEntries('pending')).toBe(unplanned);
      },
    },
  };

  test.each(Object.entries(sweeps))(
    'are swept with turns for everything else in between: %s',
    async (_, { prepare, sweep, expectSwept }) => {
      expect(await excessOf(sweep, prepare)).toBeUndefined();
      await expectSwept();
    },
  );
});
